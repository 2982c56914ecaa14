"""Paths benchmark: one question for each path, and functions that are understood."""

import json
from pathlib import Path

import pytest

from tests.evaluation.runs.samples import fill
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.core.errors import InputError
from worldline.data.generation import DecontaminationIndex
from worldline.data.harvest import HarvestLimits, harvest_file
from worldline.evaluation.benchmarks import load_benchmark
from worldline.evaluation.metrics import measure_paths
from worldline.interfaces.report import read_results, run_report_to_json
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import PredictionSettings

MODULE = """\
def grade(points: int):
    if points > 90:
        return "A"
    if points < 0:
        return "?"
    return "B"


def sign(n: int):
    if n > 0:
        return 1
    return 0


def twice(n: int):
    return 2 * n
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("paths")
    (folder / "school.py").write_text(MODULE)
    output = folder / "programs.jsonl"
    limits = HarvestLimits(sources=("constants",))
    harvest_file(output, [folder / "school.py"], DecontaminationIndex(), limits=limits)
    return output


def test_every_path_is_asked_once(programs: Path) -> None:
    benchmark = load_benchmark("paths", data=str(programs))
    paths = [(q.facets["function"], q.facets["execution_path"]) for q in benchmark.questions]
    assert sorted(paths) == [("grade", 0), ("grade", 1), ("grade", 2), ("sign", 0), ("sign", 1)]
    results = [(q.facets["function"], q.expected) for q in benchmark.questions]
    assert len(set(results)) == 5
    assert [item.reason for item in benchmark.skipped] == ["one path only"]
    assert {q.facets["conditions"] for q in benchmark.questions} == {1, 2}


def test_a_model_that_knows_only_common_paths_understands_no_function(
    programs: Path, tmp_path: Path, recorder: PythonRecorder
) -> None:
    benchmark = load_benchmark("paths", data=str(programs))
    asked = list(benchmark.questions)
    known = [q for q in asked if q.facets["common_path"] == "yes" or q.facets["function"] == "sign"]
    engine = engine_of(continue_actual_trace(*(recorder.record(q.program) for q in known)))
    run = tmp_path / "run"
    settings = PredictionSettings(max_tokens=600)
    fill(run, asked, lambda: engine, recorder, settings=settings, questions=len(asked))
    result = run_report_to_json(read_results(run))["paths"]
    assert result["understood"]["correct"] == 1
    assert (result["common"]["correct"], result["functions"], result["paths"]) == (2, 2, 5)


def test_functions_with_a_path_that_was_not_asked_are_left_out(
    programs: Path, tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = list(load_benchmark("paths", data=str(programs)).questions)
    engine = engine_of(continue_actual_trace(*(recorder.record(q.program) for q in asked)))
    settings = PredictionSettings(max_tokens=600)
    # Without the last path of the last function.
    samples = fill(tmp_path / "run", asked[:-1], lambda: engine, recorder, settings=settings)
    result = measure_paths(samples)
    assert result is not None
    assert (result.functions, result.left_out) == (1, 1)
    assert measure_paths([]) is None


def test_errors_say_what_to_do(programs: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"worldline harvest PATHS -o programs\.jsonl"):
        load_benchmark("paths")
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"id": "a", "code": "def f(): pass", "call": "f()"}))
    with pytest.raises(InputError, match="has no path"):
        load_benchmark("paths", data=str(other))
    rows = [json.loads(line) for line in programs.read_text().splitlines()]
    other.write_text(
        "\n".join(json.dumps(row) for row in rows if row["facets"]["execution_path"] == 0)
    )
    with pytest.raises(InputError, match="no function with more than one path"):
        load_benchmark("paths", data=str(other))
