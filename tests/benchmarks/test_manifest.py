"""A benchmark asked from Python, without the command line: what its runs are of."""

from pathlib import Path

from tests.runs.samples import knowing_engine
from worldline.benchmarks import Benchmark, LeftOut, as_typed, make_manifest
from worldline.benchmarks.manifest import facet_kinds
from worldline.benchmarks.permutation import permutation
from worldline.measures import changed_settings
from worldline.predict import Question, Settings
from worldline.recorders import PythonRecorder
from worldline.runs import Manifest, Run, ask_into, read_judged, read_manifest
from worldline.trace import Limits, Program


def ask(
    target: Path, benchmark: Benchmark, recorder: PythonRecorder, *, budget: int, limits: Limits
) -> Manifest:
    """Ask a model that knows all answers; what the run is of."""
    manifest = make_manifest(
        benchmark, Settings(budget=budget), engine="http://me:secret@host/v1", limits=limits
    )
    engine = knowing_engine(recorder, benchmark.questions)
    with Run(target) as run:
        rows = ask_into(
            run, benchmark.questions, engine, recorder, manifest, is_right=benchmark.is_right
        )
        assert [row.verdict for row in rows] == ["right"] * 2
    assert len(read_judged(target)) == 2
    return read_manifest(target)


def test_runs_are_made_and_told_apart_from_python(tmp_path: Path, recorder: PythonRecorder) -> None:
    benchmark = permutation(variables=3, lengths=[2], per_length=2)
    a = ask(tmp_path / "a", benchmark, recorder, budget=2000, limits=Limits())
    b = ask(tmp_path / "b", benchmark, recorder, budget=3000, limits=Limits(steps=99))
    assert (a.benchmark, a.questions, a.questions_hash) == ("permutation", 2, benchmark.hash)
    assert a.facets["length"] == "int"
    assert (a.engine, a.limits) == ("http://host/v1", Limits())
    assert changed_settings(a, a) == {}
    assert changed_settings(a, b) == {
        "budget": (2000, 3000),
        "limit of steps": (Limits().steps, 99),
    }


def test_facets_and_what_is_left_out_are_counted() -> None:
    program = Program("def f():\n    return 1\n", "f()")
    questions = (
        Question("a", program, "1", {"n": 1, "mixed": 2}),
        Question("b", program, "1", {"mixed": "few", "large": 2**63}),
        Question("c", program, "1", {"mixed": 3}),
    )
    kinds = {"n": "int", "mixed": "text", "large": "text"}
    assert facet_kinds(questions) == kinds
    left_out = tuple(LeftOut(str(n), "x", "too long" if n else "no call") for n in range(3))
    made = make_manifest(Benchmark("mine", questions, left_out=left_out), Settings())
    assert (made.facets, made.left_out) == (kinds, {"too long": 2, "no call": 1})


def test_options_as_one_would_type_them() -> None:
    manifest = Manifest("mine", {"lengths": [1, 2, 3], "seed": 4}, model="m")
    assert as_typed(manifest) == Manifest("mine", {"lengths": "1-3", "seed": "4"}, model="m")
