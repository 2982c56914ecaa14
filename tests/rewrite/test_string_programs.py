"""Programs whose string operations were rewritten do what they did: benchmarks, and our own."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.rewrite.behaviour import behaviour
from worldline.generate import LEVELS
from worldline.generate.candidates import write_program
from worldline.recorders import PythonRecorder
from worldline.rewrite import Rewritten, rewrite_strings, string_operations
from worldline.trace import Program, source_lines

PROGRAMS = sorted(Path(__file__).parent.parent.glob("programs/*.py"))


def check_lines(text: str, found: Rewritten) -> None:
    """Every line is still there, in its order, and as it was where it is not said to be changed."""
    old, new = source_lines(text), source_lines(found.text)
    assert [origin for origin in found.origins if origin] == list(range(1, len(old) + 1))
    for line, origin in zip(new, found.origins, strict=True):
        if origin:
            assert (line != old[origin - 1]) == (origin in found.changed)


@pytest.mark.data
def test_cruxeval_does_what_it_did(cruxeval: list[dict[str, Any]]) -> None:
    changed = done = 0
    left: Counter[str] = Counter()
    for row in cruxeval:
        program = Program(row["code"], f"f({row['input']})")
        found = rewrite_strings(program.text)
        check_lines(program.text, found)
        assert rewrite_strings(found.text).text == found.text
        changed += found.text != program.text
        done += len(string_operations(program.text))
        left.update(each.why for each in found.left)
        expected = behaviour(program.text, f"f({row['input']})")
        assert behaviour(found.text, f"f({row['input']})") == expected, row["id"]
    assert (changed, done) == (539, 1115)
    assert left == {
        "its arguments may fail, or be noticed, before the method is looked up": 4,
        "there is no loop for these arguments": 3,
        "it stands in an f-string": 2,
    }


@pytest.mark.data
def test_humaneval_passes_its_tests(humaneval: list[dict[str, Any]]) -> None:
    changed = done = 0
    for row in humaneval:
        solution = f"{row['prompt']}{row['canonical_solution']}\n"
        # The tests' own operations are rewritten, too.
        text = f"{solution}{row['test']}\ndef run():\n    check({row['entry_point']})\n"
        found = rewrite_strings(text)
        check_lines(text, found)
        changed += rewrite_strings(solution).text != solution
        done += len(string_operations(solution))
        expected = behaviour(text, "run()")
        assert behaviour(found.text, "run()") == expected, row["task_id"]
        assert expected.result == "<class 'NoneType'> None"
    assert (changed, done) == (56, 110)


@pytest.mark.parametrize("level", LEVELS)
def test_generated_programs_do_what_they_did(level: str) -> None:
    for number in range(60):
        program = write_program(11, level, number)
        found = rewrite_strings(program.source)
        check_lines(program.source, found)
        assert program.call is not None
        expected = behaviour(program.source, program.call)
        assert behaviour(found.text, program.call) == expected, program.source


def sample(path: Path) -> Program:
    """A sample program with the call that its first line names."""
    source = path.read_text(encoding="utf-8")
    first = source.splitlines()[0]
    call = first.removeprefix("# call: ") if first.startswith("# call: ") else None
    return Program(source, call)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_sample_programs_end_as_they_did(path: Path, recorder: PythonRecorder) -> None:
    program = sample(path)
    found = rewrite_strings(program.text)
    check_lines(program.text, found)
    if found.text == program.text:
        return
    trace = recorder.record(program)
    again = recorder.record(Program(found.text, None, context=found.text))
    assert again.ending.reason == trace.ending.reason
    assert again.result == trace.result
    assert again.stdout == trace.stdout
