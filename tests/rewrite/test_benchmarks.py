"""Every program of the benchmarks does the same once it is rewritten."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import seed
from typing import Any, NamedTuple

import pytest

from tests.rewrite.behaviour import Behaviour, Namespace, behaviour, observed
from worldline.generate import LEVELS
from worldline.generate.candidates import write_program
from worldline.rewrite import Rewritten, rewrite_expressions
from worldline.trace import Program


def rewritten(text: str) -> Rewritten:
    """The program rewritten; a second time changes nothing, and each line has its origin."""
    found = rewrite_expressions(text)
    assert rewrite_expressions(found.text).text == found.text, found.text
    assert len(found.origins) == found.text.count("\n")
    assert set(found.origins) <= set(range(1, text.count("\n") + 2))
    return found


@pytest.mark.data
def test_all_of_cruxeval(cruxeval: list[dict[str, Any]]) -> None:
    changed = left = 0
    for row in cruxeval:
        text = Program(row["code"], f"f({row['input']})").text
        found = rewritten(text)
        call = f"f({row['input']})"
        assert behaviour(found.text, call) == behaviour(text, call), found.text
        changed += found.text != text
        left += len(found.left)
    assert (len(cruxeval), changed, left) == (800, 610, 3)


def checked(row: dict[str, Any]) -> Callable[[Namespace], tuple[object, object]]:
    """To run the benchmark's own tests; what was given and came back each time is looked at."""

    def use(space: Namespace) -> tuple[object, object]:
        seed(0)
        seen: list[str] = []

        def candidate(*args: Any) -> Any:
            value = space[row["entry_point"]](*args)
            seen.append(repr((value, args)))
            return value

        exec(compile(row["test"], "test", "exec", dont_inherit=True), space)
        space["check"](candidate)
        return len(seen), seen

    return use


@pytest.mark.data
def test_all_of_humaneval(humaneval: list[dict[str, Any]]) -> None:
    changed = left = 0
    for row in humaneval:
        text = row["prompt"] + row["canonical_solution"]
        found = rewritten(text)
        before = observed(text, checked(row))
        assert before.result.startswith("<class 'int'>")
        assert observed(found.text, checked(row)) == before, found.text
        changed += found.text != text
        left += len(found.left)
    assert (len(humaneval), changed, left) == (164, 145, 7)


@pytest.mark.parametrize("level", LEVELS)
def test_generated_programs(level: str) -> None:
    changed = 0
    for number in range(60):
        program = write_program(5, level, number)
        found = rewritten(program.text)
        assert observed(found.text, run_main) == observed(program.text, run_main), found.text
        changed += found.text != program.text
    # Those of two levels have no more than one operation a statement.
    assert changed == 0 if level in ("reassign", "permutations") else changed > 20


def run_main(space: Namespace) -> tuple[object, object]:
    return space["main"](), None


class Compared(NamedTuple):
    """The paper's rewrite of a program beside ours."""

    is_theirs_same: bool
    do_they: bool
    do_we: bool
    lines: tuple[int, int, int]


def compared(row: dict[str, Any]) -> Compared:
    code, theirs = row["code"], row["rewritten"] or row["code"]
    text = Program(code, row["call"]).text
    ours = rewritten(text).text
    texts = text, Program(theirs, row["call"]).text, ours
    did: list[Behaviour] = [observed(text, run_main) for text in texts]
    assert did[2] == did[0], ours
    # Theirs has lost the layout: a program that was not rewritten has the same lines with code.
    is_other = code_lines(theirs) != code_lines(code)
    counts = tuple(len(code_lines(text)) for text in texts)
    return Compared(did[1] == did[0], is_other, ours != texts[0], (counts[0], counts[1], counts[2]))


def code_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.mark.data
def test_beside_the_rewrites_of_the_paper(recorded_files: list[Path]) -> None:
    """They pull out single operations as well, which we leave; we take whole expressions apart."""
    rows = [json.loads(line) for path in recorded_files for line in path.open(encoding="utf-8")]
    found = {row["id"]: compared(row) for row in rows}
    assert len(found) == 182
    # Theirs has lost the program's globals there.
    assert [name for name, each in found.items() if not each.is_theirs_same] == ["sample_258"]
    who = Counter((each.do_they, each.do_we) for each in found.values())
    assert who == {(True, True): 79, (True, False): 21, (False, True): 75, (False, False): 7}
    assert [sum(each.lines[n] for each in found.values()) for n in range(2)] == [2197, 2424]
    assert sum(each.lines[2] for each in found.values()) > 3000
