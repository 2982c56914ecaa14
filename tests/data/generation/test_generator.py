"""Selection of candidates: rejections, decontamination and equal shares of cells."""

import json
from collections import Counter
from pathlib import Path

import pytest

from worldline.core.errors import InputError, RecorderError, SandboxError
from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation import (
    LEVELS,
    DecontaminationIndex,
    GenerationRequest,
    Progress,
    decontamination,
    facet_bin,
    generate_programs,
    load_decontamination_index,
    select_candidates,
)
from worldline.data.generation.candidates import write_program
from worldline.data.generation.canonical_hash import hash_source
from worldline.data.generation.facets import measure_facets
from worldline.data.generation.stratification import plan_quotas
from worldline.evaluation.benchmarks import Benchmark, load_benchmark
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question


def generate(
    request: GenerationRequest, excluded: DecontaminationIndex | None = None, *, workers: int = 1
) -> Progress:
    progress = Progress()
    for _ in select_candidates(
        request, excluded or DecontaminationIndex(), workers=workers, progress=progress
    ):
        pass
    return progress


def reasons(progress: Progress) -> Counter[str]:
    counts: Counter[str] = Counter()
    for (reason, _), number in progress.left_out.items():
        counts[reason] += number
    return counts


def test_levels_get_equal_shares() -> None:
    progress = generate(GenerationRequest(26, levels=("loops", "calls", "recursion")))
    levels = Counter(str(question.facets["level"]) for question in progress.questions)
    assert levels == {"loops": 9, "calls": 9, "recursion": 8}
    ids = [question.id for question in progress.questions]
    assert len(set(ids)) == 26
    assert ids[0] == "loops_0_000000"


def test_combinations_of_facets_get_equal_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    # Enough to see every frequent combination.
    monkeypatch.setattr("worldline.data.generation.generator.PILOT_SIZE", 120)
    progress = generate(
        GenerationRequest(60, levels=("recursion", "strings"), balance=("level", "steps"))
    )
    cells = Counter(
        (str(q.facets["level"]), facet_bin("steps", q.facets["steps"])) for q in progress.questions
    )
    short = {shortage.cell for shortage in progress.shortages}
    for level in ("recursion", "strings"):
        sizes = [n for cell, n in cells.items() if cell[0] == level and cell not in short]
        assert max(sizes) - min(sizes) <= 1
        assert len(sizes) >= 3
    missing = sum(shortage.wanted - shortage.filled for shortage in progress.shortages)
    assert len(progress.questions) + missing == 60
    assert reasons(progress)["its cell is full"] > 0


def test_a_cell_that_cannot_be_filled_is_given_up_and_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def seven_programs(rng: SeededRandom) -> Program:
        return Program(f"def f():\n    return {rng.below(7)}\n", "f()")

    monkeypatch.setitem(LEVELS, "loops", seven_programs)
    progress = generate(GenerationRequest(10, levels=("loops",)))
    assert len(progress.questions) == 7
    (shortage,) = progress.shortages
    assert (shortage.cell, shortage.wanted, shortage.filled) == (("loops",), 10, 7)
    assert reasons(progress) == {"duplicate": shortage.tries - 7}
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
def test_unsuitable_programs_are_rejected(
    source: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_unsuitable(rng: SeededRandom) -> Program:
        is_unsuitable = rng.below(2) == 0
        suitable = f"def f(x):\n    return x + {rng.below(100_000)}\n"
        return Program(source if is_unsuitable else suitable, "f(3)")

    monkeypatch.setitem(LEVELS, "calls", half_unsuitable)
    progress = generate(GenerationRequest(6, levels=("calls",)))
    assert len(progress.questions) == 6
    assert set(reasons(progress)) == {reason}


@pytest.mark.parametrize("source", ["import os\ndef f():\n    os._exit(3)\n", "def f(:\n"])
def test_a_program_stopped_by_the_machine_is_an_error_not_a_rejection(
    source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(LEVELS, "calls", lambda rng: Program(source, "f()"))
    with pytest.raises(RecorderError, match=r"a program of level calls was stopped .* to resume"):
        generate(GenerationRequest(2, levels=("calls",)))


def test_limits_on_steps_and_values() -> None:
    progress = generate(
        GenerationRequest(16, levels=("reassign", "strings"), max_steps=9, max_value_chars=6)
    )
    assert max(int(question.facets["steps"]) for question in progress.questions) <= 9
    assert max(len(question.expected or "") for question in progress.questions) <= 6
    assert reasons(progress)["too many steps"] > 5
    assert reasons(progress)["a value is too long"] > 5


def test_programs_of_an_excluded_file_are_rejected_even_if_renamed(tmp_path: Path) -> None:
    excluded_programs = [write_program(0, "branches", number) for number in (1, 4, 5)]
    similar = write_program(0, "branches", 2)
    rows = []
    for number, program in enumerate(excluded_programs):
        renamed = "\n\n\n".join(
            line.replace("def f(", "def other(").replace("    ", "\t") + "  # as before"
            for line in program.source.splitlines()
        )
        assert renamed != program.source
        rows.append({"id": f"p{number}", "code": renamed, "call": "other()"})
    # A similar program is not excluded.
    changed = similar.source.replace("return ", "return 0, ", 1)
    rows.append({"id": "near", "code": changed, "call": "f()"})
    path = tmp_path / "train.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    progress = generate(
        GenerationRequest(12, levels=("branches",)), load_decontamination_index([path])
    )
    kept = {hash_source(question.program.source) for question in progress.questions}
    assert kept.isdisjoint(hash_source(program.source) for program in excluded_programs)
    assert hash_source(similar.source) in kept
    assert reasons(progress)[f"is in {path.name}"] == 3


def test_programs_of_a_benchmark_are_rejected_even_if_renamed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from worldline.evaluation.benchmarks import load_benchmark

    original = load_benchmark("permutation").questions[3].program
    renamed = original.source.replace("a, b, c, d, e", "p, q, r, s, t")
    for old, new in zip("abcde", "pqrst", strict=True):
        renamed = renamed.replace(f" {old},", f" {new},").replace(f" {old}\n", f" {new}\n")

    def copy(rng: SeededRandom) -> Program:
        is_copy = rng.below(2)
        return Program(renamed if is_copy else f"def f():\n    return {rng.below(10**6)}\n",
                       "f(1, 2, 3, 4, 5)" if is_copy else "f()")  # fmt: skip

    monkeypatch.setitem(LEVELS, "reassign", copy)
    progress = generate(GenerationRequest(8, levels=("reassign",)), load_decontamination_index())
    assert len(progress.questions) == 8
    assert set(reasons(progress)) == {"is in permutation"}
    assert not any("p, q" in question.program.source for question in progress.questions)


def test_a_benchmark_without_data_is_reported_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from worldline.evaluation.benchmarks import published_data

    def unavailable(source: object) -> published_data.Rows:
        raise InputError("no hub here")

    monkeypatch.setenv("WORLDLINE_DATA", str(tmp_path))
    monkeypatch.setattr(published_data, "_hub_rows", unavailable)
    index = load_decontamination_index()
    assert set(index.missing) == {"cruxeval", "humaneval"}
    assert set(index.names) == {"permutation", "composition", "chance", "hidden", "threads"}
    with pytest.raises(InputError, match="no hub here"):
        load_decontamination_index(["cruxeval"])


def test_a_benchmark_that_cannot_be_executed_is_reported_as_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_sandbox(name: str) -> Benchmark:
        if name == "chance":
            raise SandboxError("the sandbox is not available")
        return load_benchmark(name)

    monkeypatch.setattr(decontamination, "_generated_hashes", decontamination._source_hashes)
    monkeypatch.setattr(decontamination, "load_benchmark", without_sandbox)
    index = load_decontamination_index()
    assert "chance" not in index.names
    assert "the sandbox is not available" in index.missing["chance"]
    with pytest.raises(SandboxError):
        load_decontamination_index(["chance"])


def test_generated_benchmarks_are_not_generated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some execute programs, and every command that excludes programs needs the index."""
    first = load_decontamination_index()
    decontamination._generated_hashes.cache_clear()
    loaded: list[str] = []

    def load(name: str) -> Benchmark:
        loaded.append(name)
        return load_benchmark(name)

    monkeypatch.setattr(decontamination, "load_benchmark", load)
    assert load_decontamination_index() == first
    assert {"permutation", "composition", "chance", "hidden", "threads"} <= {*first.names}
    assert loaded == ["cruxeval", "humaneval"]


def test_the_number_of_workers_does_not_change_the_programs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Enough for several chunks in each level.
    monkeypatch.setattr("worldline.data.generation.generator.PILOT_SIZE", 60)
    request = GenerationRequest(30, seed=4, levels=("strings", "calls"), balance=("level", "kind"))
    single, parallel = generate(request), generate(request, workers=2)
    assert single.questions == parallel.questions
    assert (single.left_out, single.shortages) == (parallel.left_out, parallel.shortages)


def test_generate_programs_yields_questions(tmp_path: Path) -> None:
    first = list(generate_programs(count=9, levels=["loops"], seed=2))
    assert all(isinstance(each, Question) for each in first)
    rows = [{"id": q.id, "code": q.program.source, "call": q.program.call} for q in first]
    path = tmp_path / "first.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    second = list(generate_programs(count=9, levels=["loops"], seed=2, exclude=[path]))
    assert {q.id for q in first}.isdisjoint(q.id for q in second)
    third = list(generate_programs(count=9, levels=["loops"], seed=3))
    assert {q.program.text for q in first}.isdisjoint(q.program.text for q in third)


@pytest.mark.parametrize(
    ("invalid", "message"),
    [
        (GenerationRequest(0), "count must be 1 or more"),
        (GenerationRequest(5, levels=("loop",)), "there is no level 'loop'"),
        (GenerationRequest(5, levels=("loops", "loops")), "each once"),
        (GenerationRequest(5, balance=("size",)), "there is no facet 'size'"),
        (GenerationRequest(5, balance=()), "name one facet or more"),
    ],
)
def test_invalid_requests_are_errors(invalid: GenerationRequest, message: str) -> None:
    with pytest.raises(InputError, match=message):
        next(iter(select_candidates(invalid, DecontaminationIndex())))


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
def test_branch_outcomes(source: str, call: str, branches: str, recorder: PythonRecorder) -> None:
    assert measure_facets("loops", recorder.record(Program(source, call)))["branches"] == branches


def test_facet_bins() -> None:
    assert [facet_bin("steps", n) for n in (1, 8, 9, 16, 17, 64, 65, 900)] == [
        "1-8", "1-8", "9-16", "9-16", "17-32", "33-64", "65-", "65-",
    ]  # fmt: skip
    assert [facet_bin("iterations", n) for n in (0, 1, 4, 17)] == ["0", "1-4", "1-4", "17-"]
    assert facet_bin("kind", "int") == "int"


def test_rare_cells_of_the_pilot_get_no_quota() -> None:
    pilot = [{"level": "loops", "kind": "int"}] * 250 + [{"level": "loops", "kind": "str"}] * 50
    plan = plan_quotas(
        11, ["loops"], ["level", "kind"], [*pilot, {"level": "loops", "kind": "None"}]
    )
    assert plan.quotas == {("loops", "int"): 6, ("loops", "str"): 5}
