"""Programs of the benchmarks behave the same after the rewrite of their expressions."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import seed
from typing import Any, NamedTuple

import pytest

from tests.languages.rewrite.program_behaviour import (
    Behaviour,
    Namespace,
    behaviour_of_call,
    run_and_observe,
)
from worldline.core.trace import Program
from worldline.data.generation import LEVELS
from worldline.data.generation.candidates import write_program
from worldline.languages.python.rewrite import RewriteResult, rewrite_expressions


def rewrite_and_check(text: str) -> RewriteResult:
    """Rewrite a program; a second rewrite changes nothing, and each line has an origin."""
    result = rewrite_expressions(text)
    assert rewrite_expressions(result.text).text == result.text, result.text
    assert len(result.origins) == result.text.count("\n")
    assert set(result.origins) <= set(range(1, text.count("\n") + 2))
    return result


@pytest.mark.data
def test_rewritten_cruxeval_programs_behave_the_same(cruxeval: list[dict[str, Any]]) -> None:
    changed = skipped = 0
    for row in cruxeval:
        text = Program(row["code"], f"f({row['input']})").text
        result = rewrite_and_check(text)
        call = f"f({row['input']})"
        assert behaviour_of_call(result.text, call) == behaviour_of_call(text, call), result.text
        changed += result.text != text
        skipped += len(result.left)
    assert (len(cruxeval), changed, skipped) == (800, 610, 3)


def run_benchmark_tests(row: dict[str, Any]) -> Callable[[Namespace], tuple[object, object]]:
    """Return a function that runs the benchmark's own tests, and records arguments and results."""

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
def test_rewritten_humaneval_solutions_pass_their_tests(humaneval: list[dict[str, Any]]) -> None:
    changed = skipped = 0
    for row in humaneval:
        text = row["prompt"] + row["canonical_solution"]
        result = rewrite_and_check(text)
        before = run_and_observe(text, run_benchmark_tests(row))
        assert before.result.startswith("<class 'int'>")
        assert run_and_observe(result.text, run_benchmark_tests(row)) == before, result.text
        changed += result.text != text
        skipped += len(result.left)
    assert (len(humaneval), changed, skipped) == (164, 145, 7)


@pytest.mark.parametrize("level", LEVELS)
def test_rewritten_generated_programs_behave_the_same(level: str) -> None:
    changed = 0
    for number in range(60):
        program = write_program(5, level, number)
        result = rewrite_and_check(program.text)
        assert run_and_observe(result.text, run_main) == run_and_observe(program.text, run_main), (
            result.text
        )
        changed += result.text != program.text
    # The programs of two levels have at most one operation per statement.
    assert changed == 0 if level in ("reassign", "permutations") else changed > 20


def run_main(space: Namespace) -> tuple[object, object]:
    return space["main"](), None


class Comparison(NamedTuple):
    """The paper's rewrite of a program compared with ours."""

    is_paper_equivalent: bool
    paper_changed: bool
    we_changed: bool
    lines: tuple[int, int, int]


def compare_with_paper(row: dict[str, Any]) -> Comparison:
    code, paper_code = row["code"], row["rewritten"] or row["code"]
    text = Program(code, row["call"]).text
    ours = rewrite_and_check(text).text
    texts = text, Program(paper_code, row["call"]).text, ours
    behaviours: list[Behaviour] = [run_and_observe(text, run_main) for text in texts]
    assert behaviours[2] == behaviours[0], ours
    # The paper's rewrite has lost the layout: compare the lines with code.
    paper_changed = code_lines(paper_code) != code_lines(code)
    counts = tuple(len(code_lines(text)) for text in texts)
    return Comparison(
        behaviours[1] == behaviours[0],
        paper_changed,
        ours != texts[0],
        (counts[0], counts[1], counts[2]),
    )


def code_lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


@pytest.mark.data
def test_comparison_with_the_rewrites_of_the_paper(recorded_files: list[Path]) -> None:
    """The paper also extracts single operations, which we leave; we lower whole expressions."""
    rows = [json.loads(line) for path in recorded_files for line in path.open(encoding="utf-8")]
    comparisons = {row["id"]: compare_with_paper(row) for row in rows}
    assert len(comparisons) == 182
    # The paper's rewrite has lost the program's globals there.
    assert [name for name, each in comparisons.items() if not each.is_paper_equivalent] == [
        "sample_258"
    ]
    counts = Counter((each.paper_changed, each.we_changed) for each in comparisons.values())
    assert counts == {(True, True): 79, (True, False): 21, (False, True): 75, (False, False): 7}
    assert [sum(each.lines[n] for each in comparisons.values()) for n in range(2)] == [2197, 2424]
    assert sum(each.lines[2] for each in comparisons.values()) > 3000
