"""Programs behave the same after the rewrite of their string operations."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.languages.rewrite.program_behaviour import behaviour_of_call
from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.trace import Program, source_lines
from worldline.data.generation import LEVELS
from worldline.data.generation.candidates import write_program
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.rewrite import (
    RewriteResult,
    find_string_operations,
    rewrite_strings,
)

PROGRAMS = sorted(PROGRAMS_FOLDER.glob("*.py"))


def check_lines(text: str, result: RewriteResult) -> None:
    """Check that all lines are still there, in order, and unchanged unless listed as changed."""
    old, new = source_lines(text), source_lines(result.text)
    assert [origin for origin in result.origins if origin] == list(range(1, len(old) + 1))
    for line, origin in zip(new, result.origins, strict=True):
        if origin:
            assert (line != old[origin - 1]) == (origin in result.changed)


@pytest.mark.data
def test_rewritten_cruxeval_programs_behave_the_same(cruxeval: list[dict[str, Any]]) -> None:
    changed = replaced = 0
    skipped: Counter[str] = Counter()
    for row in cruxeval:
        program = Program(row["code"], f"f({row['input']})")
        result = rewrite_strings(program.text)
        check_lines(program.text, result)
        assert rewrite_strings(result.text).text == result.text
        changed += result.text != program.text
        replaced += len(find_string_operations(program.text))
        skipped.update(each.why for each in result.left)
        expected = behaviour_of_call(program.text, f"f({row['input']})")
        assert behaviour_of_call(result.text, f"f({row['input']})") == expected, row["id"]
    assert (changed, replaced) == (537, 1111)
    assert skipped == {
        "its arguments may fail or have side effects before the method is looked up": 4,
        "there is no replacement for these arguments": 3,
        "it is in an f-string": 2,
    }


@pytest.mark.data
def test_rewritten_humaneval_solutions_pass_their_tests(humaneval: list[dict[str, Any]]) -> None:
    changed = replaced = 0
    for row in humaneval:
        solution = f"{row['prompt']}{row['canonical_solution']}\n"
        # The string operations of the tests are rewritten, too.
        text = f"{solution}{row['test']}\ndef run():\n    check({row['entry_point']})\n"
        result = rewrite_strings(text)
        check_lines(text, result)
        changed += rewrite_strings(solution).text != solution
        replaced += len(find_string_operations(solution))
        expected = behaviour_of_call(text, "run()")
        assert behaviour_of_call(result.text, "run()") == expected, row["task_id"]
        assert expected.result == "<class 'NoneType'> None"
    assert (changed, replaced) == (56, 110)


@pytest.mark.parametrize("level", LEVELS)
def test_rewritten_generated_programs_behave_the_same(level: str) -> None:
    for number in range(60):
        program = write_program(11, level, number)
        result = rewrite_strings(program.source)
        check_lines(program.source, result)
        assert program.call is not None
        expected = behaviour_of_call(program.source, program.call)
        assert behaviour_of_call(result.text, program.call) == expected, program.source


def load_sample(path: Path) -> Program:
    """Load a sample program with the call in its first line."""
    source = path.read_text(encoding="utf-8")
    first = source.splitlines()[0]
    call = first.removeprefix("# call: ") if first.startswith("# call: ") else None
    return Program(source, call)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_rewritten_sample_programs_end_the_same(path: Path, recorder: PythonRecorder) -> None:
    program = load_sample(path)
    result = rewrite_strings(program.text)
    check_lines(program.text, result)
    if result.text == program.text:
        return
    trace = recorder.record(program)
    again = recorder.record(Program.from_text(result.text))
    assert again.ending.reason == trace.ending.reason
    assert again.result == trace.result
    assert again.stdout == trace.stdout
