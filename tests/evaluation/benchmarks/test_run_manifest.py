"""Manifests of runs that are evaluated from Python, without the command line."""

from pathlib import Path

from tests.evaluation.runs.samples import knowing_engine
from worldline.core.trace import Limits, Program
from worldline.evaluation.benchmarks import (
    Benchmark,
    SkippedItem,
    format_manifest_options,
    make_manifest,
)
from worldline.evaluation.benchmarks.permutation import permutation
from worldline.evaluation.benchmarks.run_manifest import facet_types
from worldline.evaluation.metrics import changed_settings
from worldline.evaluation.runs import (
    Manifest,
    RunWriter,
    evaluate_into_run,
    read_manifest,
    read_scored_samples,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import PredictionSettings, Question


def evaluate(
    target: Path, benchmark: Benchmark, recorder: PythonRecorder, *, max_tokens: int, limits: Limits
) -> Manifest:
    """Evaluate a model that knows all answers, and return the manifest."""
    manifest = make_manifest(
        benchmark,
        PredictionSettings(max_tokens=max_tokens),
        engine="http://me:secret@host/v1",
        limits=limits,
    )
    engine = knowing_engine(recorder, benchmark.questions)
    with RunWriter(target) as run:
        rows = evaluate_into_run(
            run, benchmark.questions, engine, recorder, manifest, is_correct=benchmark.is_correct
        )
        assert [row.verdict for row in rows] == ["correct"] * 2
    assert len(read_scored_samples(target)) == 2
    return read_manifest(target)


def test_runs_with_different_settings_are_compared_from_python(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    benchmark = permutation(variables=3, lengths=[2], per_length=2)
    a = evaluate(tmp_path / "a", benchmark, recorder, max_tokens=2000, limits=Limits())
    b = evaluate(tmp_path / "b", benchmark, recorder, max_tokens=3000, limits=Limits(steps=99))
    assert (a.benchmark, a.questions, a.questions_hash) == ("permutation", 2, benchmark.hash)
    assert a.facets["length"] == "int"
    assert (a.engine, a.limits) == ("http://host/v1", Limits())
    assert changed_settings(a, a) == {}
    assert changed_settings(a, b) == {
        "max_tokens": (2000, 3000),
        "limit of steps": (Limits().steps, 99),
    }


def test_manifest_has_facet_types_and_counts_of_skipped_items() -> None:
    program = Program("def f():\n    return 1\n", "f()")
    questions = (
        Question("a", program, "1", {"n": 1, "mixed": 2}),
        Question("b", program, "1", {"mixed": "few", "large": 2**63}),
        Question("c", program, "1", {"mixed": 3}),
    )
    types = {"n": "int", "mixed": "text", "large": "text"}
    assert facet_types(questions) == types
    skipped = tuple(SkippedItem(str(n), "x", "too long" if n else "no call") for n in range(3))
    manifest = make_manifest(Benchmark("mine", questions, skipped=skipped), PredictionSettings())
    assert (manifest.facets, manifest.left_out) == (types, {"too long": 2, "no call": 1})


def test_options_in_a_manifest_are_formatted_as_typed() -> None:
    manifest = Manifest("mine", {"lengths": [1, 2, 3], "seed": 4}, model="m")
    assert format_manifest_options(manifest) == Manifest(
        "mine", {"lengths": "1-3", "seed": "4"}, model="m"
    )
