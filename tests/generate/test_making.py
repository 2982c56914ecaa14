"""What is kept, what is left out and why, and how programs are shared out among cells."""

import json
from collections import Counter
from pathlib import Path

import pytest

from worldline.benchmarks.draws import Draws
from worldline.errors import InputError, RecorderError
from worldline.generate import (
    LEVELS,
    Excluded,
    Order,
    Progress,
    bin_of,
    decide,
    generate_programs,
    load_excluded,
)
from worldline.generate.balance import plan
from worldline.generate.candidates import write_program
from worldline.generate.facets import facets_of
from worldline.generate.normal import source_key
from worldline.predict import Question
from worldline.recorders import PythonRecorder
from worldline.trace import Program


def made(order: Order, excluded: Excluded | None = None, *, workers: int = 1) -> Progress:
    progress = Progress()
    for _ in decide(order, excluded or Excluded(), workers=workers, progress=progress):
        pass
    return progress


def reasons(progress: Progress) -> Counter[str]:
    found: Counter[str] = Counter()
    for (reason, _), number in progress.left_out.items():
        found[reason] += number
    return found


def test_levels_have_equal_shares() -> None:
    found = made(Order(26, levels=("loops", "calls", "recursion")))
    levels = Counter(str(question.facets["level"]) for question in found.questions)
    assert levels == {"loops": 9, "calls": 9, "recursion": 8}
    ids = [question.id for question in found.questions]
    assert len(set(ids)) == 26
    assert ids[0] == "loops_0_000000"


def test_combinations_of_facets_have_equal_shares() -> None:
    found = made(Order(60, levels=("recursion", "strings"), balance=("level", "steps")))
    cells = Counter(
        (str(q.facets["level"]), bin_of("steps", q.facets["steps"])) for q in found.questions
    )
    short = {shortage.cell for shortage in found.shortages}
    for level in ("recursion", "strings"):
        sizes = [n for cell, n in cells.items() if cell[0] == level and cell not in short]
        assert max(sizes) - min(sizes) <= 1
        assert len(sizes) >= 3
    wanted = sum(shortage.wanted - shortage.found for shortage in found.shortages)
    assert len(found.questions) + wanted == 60
    assert reasons(found)["its cell is full"] > 0


def test_a_cell_that_cannot_be_filled_is_told_and_not_tried_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def few(draws: Draws) -> Program:
        return Program(f"def f():\n    return {draws.below(7)}\n", "f()")

    monkeypatch.setitem(LEVELS, "loops", few)
    found = made(Order(10, levels=("loops",)))
    assert len(found.questions) == 7
    (shortage,) = found.shortages
    assert (shortage.cell, shortage.wanted, shortage.found) == (("loops",), 10, 7)
    assert reasons(found) == {"duplicate": shortage.tries - 7}
    assert shortage.tries == 800


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def f(x):\n    return 1 // (x - x)\n", "did not finish"),
        ("def f(x):\n    while True:\n        x += 1\n", "too many steps"),
        ("def f(x):\n    y = 'a' * 199\n    return x\n", "a value is too long"),
        ("def f(x):\n    return f\n", "the result is no literal"),
        ("def f(x):\n    return object()\n", "the result is no literal"),
        ("def f(x):\n    return x > 9 or (x < 5 and f(x + 9))\n", "Pythons trace it differently"),
        ("def f(x):\n    return [y for y in range(x)]\n", "Pythons trace it differently"),
    ],
)
def test_what_cannot_be_asked_about_is_left_out(
    source: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def some(draws: Draws) -> Program:
        is_bad = draws.below(2) == 0
        good = f"def f(x):\n    return x + {draws.below(100_000)}\n"
        return Program(source if is_bad else good, "f(3)")

    monkeypatch.setitem(LEVELS, "calls", some)
    found = made(Order(6, levels=("calls",)))
    assert len(found.questions) == 6
    assert set(reasons(found)) == {reason}


@pytest.mark.parametrize("source", ["import os\ndef f():\n    os._exit(3)\n", "def f(:\n"])
def test_what_may_be_the_machines_fault_is_no_reason_to_leave_a_program_out(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LEVELS, "calls", lambda draws: Program(source, "f()"))
    with pytest.raises(RecorderError, match=r"a program of calls was stopped .* goes on"):
        made(Order(2, levels=("calls",)))


def test_limits_are_kept() -> None:
    found = made(Order(40, levels=("reassign", "strings"), most_steps=9, longest_value=6))
    assert max(int(question.facets["steps"]) for question in found.questions) <= 9
    assert max(len(question.expected or "") for question in found.questions) <= 6
    assert reasons(found)["too many steps"] > 5
    assert reasons(found)["a value is too long"] > 5


def test_no_program_of_a_file_is_made_again_under_whatever_names(tmp_path: Path) -> None:
    planted = [write_program(0, "branches", number) for number in (1, 4, 5)]
    stays = write_program(0, "branches", 2)
    rows = []
    for number, program in enumerate(planted):
        renamed = "\n\n\n".join(
            line.replace("def f(", "def other(").replace("    ", "\t") + "  # as before"
            for line in program.source.splitlines()
        )
        assert renamed != program.source
        rows.append({"id": f"p{number}", "code": renamed, "call": "other()"})
    # Nearly the same is not the same.
    changed = stays.source.replace("return ", "return 0, ", 1)
    rows.append({"id": "near", "code": changed, "call": "f()"})
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = made(Order(12, levels=("branches",)), load_excluded([path]))
    kept = {source_key(question.program.source) for question in found.questions}
    assert kept.isdisjoint(source_key(program.source) for program in planted)
    assert source_key(stays.source) in kept
    assert reasons(found)[f"is in {path.name}"] == 3


def test_no_program_of_a_benchmark_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    from worldline.benchmarks import load_benchmark

    taken = load_benchmark("permutation").questions[3].program
    renamed = taken.source.replace("a, b, c, d, e", "p, q, r, s, t")
    for old, new in zip("abcde", "pqrst", strict=True):
        renamed = renamed.replace(f" {old},", f" {new},").replace(f" {old}\n", f" {new}\n")

    def copy(draws: Draws) -> Program:
        kind = draws.below(2)
        return Program(renamed if kind else f"def f():\n    return {draws.below(10**6)}\n",
                       "f(1, 2, 3, 4, 5)" if kind else "f()")  # fmt: skip

    monkeypatch.setitem(LEVELS, "reassign", copy)
    found = made(Order(8, levels=("reassign",)), load_excluded())
    assert len(found.questions) == 8
    assert set(reasons(found)) == {"is in permutation"}
    assert not any("p, q" in question.program.source for question in found.questions)


def test_a_benchmark_that_is_not_here_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from worldline.benchmarks import sources

    def unavailable(source: object) -> sources.Rows:
        raise InputError("no hub here")

    monkeypatch.setenv("WORLDLINE_DATA", str(tmp_path))
    monkeypatch.setattr(sources, "_hub_rows", unavailable)
    found = load_excluded()
    assert set(found.missing) == {"cruxeval", "humaneval"}
    assert set(found.names) == {"permutation", "composition"}
    with pytest.raises(InputError, match="no hub here"):
        load_excluded(["cruxeval"])


def test_workers_make_the_same() -> None:
    order = Order(30, seed=4, levels=("strings", "calls"), balance=("level", "kind"))
    alone, together = made(order), made(order, workers=2)
    assert alone.questions == together.questions
    assert (alone.left_out, alone.shortages) == (together.left_out, together.shortages)


def test_the_function_gives_questions(tmp_path: Path) -> None:
    first = list(generate_programs(count=9, levels=["loops"], seed=2))
    assert all(isinstance(each, Question) for each in first)
    rows = [{"id": q.id, "code": q.program.source, "call": q.program.call} for q in first]
    path = tmp_path / "first.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    second = list(generate_programs(count=9, levels=["loops"], seed=2, without=[path]))
    assert {q.id for q in first}.isdisjoint(q.id for q in second)
    third = list(generate_programs(count=9, levels=["loops"], seed=3))
    assert {q.program.text for q in first}.isdisjoint(q.program.text for q in third)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (Order(0), "count must be 1 or more"),
        (Order(5, levels=("loop",)), "there is no level 'loop'"),
        (Order(5, levels=("loops", "loops")), "each once"),
        (Order(5, balance=("size",)), "there is no facet 'size'"),
        (Order(5, balance=()), "name one facet or more"),
    ],
)
def test_what_cannot_be_made_is_refused(order: Order, message: str) -> None:
    with pytest.raises(InputError, match=message):
        next(iter(decide(order, Excluded())))


@pytest.mark.parametrize(
    ("source", "call", "branches"),
    [
        ("def f(x):\n    return x\n", "f(1)", "none"),
        ("def f(x):\n    if x:\n        return 1\n    return 2\n", "f(1)", "true"),
        ("def f(x):\n    if x:\n        return 1\n    return 2\n", "f(0)", "false"),
        ("def f(x):\n    if x:\n        x = 5\n", "f(0)", "false"),
        ("def f(x):\n    while x:\n        x -= 1\n    return x\n", "f(2)", "both"),
        (
            "def f(x):\n    if x > 5:\n        x = 1\n    elif x > 2:\n        x = 2\n",
            "f(3)",
            "both",
        ),
        ("def f(x):\n    if g(x):\n        x = 1\ndef g(x):\n    return x\n", "f(3)", "true"),
        ("def f(x):\n    while True:\n        break\n    return x\n", "f(2)", "none"),
    ],
)
def test_outcomes_of_tests(source: str, call: str, branches: str, recorder: PythonRecorder) -> None:
    assert facets_of("loops", recorder.record(Program(source, call)))["branches"] == branches


def test_numbers_are_put_into_bins() -> None:
    assert [bin_of("steps", n) for n in (1, 8, 9, 16, 17, 64, 65, 900)] == [
        "1-8", "1-8", "9-16", "9-16", "17-32", "33-64", "65-", "65-",
    ]  # fmt: skip
    assert [bin_of("iterations", n) for n in (0, 1, 4, 17)] == ["0", "1-4", "1-4", "17-"]
    assert bin_of("kind", "int") == "int"


def test_cells_that_a_pilot_hardly_shows_are_not_wanted() -> None:
    pilot = [{"level": "loops", "kind": "int"}] * 250 + [{"level": "loops", "kind": "str"}] * 50
    planned = plan(11, ["loops"], ["level", "kind"], [*pilot, {"level": "loops", "kind": "None"}])
    assert planned.quotas == {("loops", "int"): 6, ("loops", "str"): 5}
