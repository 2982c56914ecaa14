"""Project page: the documents that the server of a folder of runs sends."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.viewer.http_client import get, get_json, secret_path
from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.interfaces.viewer.test_api_types import mismatches
from tests.support.predictions import CWM, text_of
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.runs import read_scored_samples
from worldline.interfaces.viewer import ProjectServer, operation_cache
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Prediction, make_prediction

SOURCE = "def f(x):\n    y = x + {0}\n    return y\n"
Serve = Callable[[Path], ProjectServer]


def predictions(wrong: int, recorder: PythonRecorder) -> list[Prediction]:
    """Six predictions; the first ones have a wrong sum."""
    result = []
    for number in range(6):
        program = Program(SOURCE.format(number + 2), "f(1)")
        text = text_of(recorder.record(program))
        if number < wrong:
            text = text.replace(f'"{number + 3}"', '"77"')
        expected = str(number + 3)
        result.append(
            make_prediction(f"s{number}", program, text, CWM, finish="stop", expected=expected)
        )
    return result


@pytest.fixture(scope="module")
def project(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three checkpoints with 5, 3 and 1 wrong predictions, and one run in a subfolder."""
    folder = tmp_path_factory.mktemp("project")
    for step, wrong in ((100, 5), (200, 3), (1000, 1)):
        make_recorded_run(folder / f"checkpoint-{step}", predictions(wrong, recorder), recorder)
    make_recorded_run(folder / "other" / "base", predictions(6, recorder), recorder)
    (folder / "broken").mkdir()
    (folder / "broken" / "manifest.json").write_text("{}")
    (folder / "not a run").mkdir()
    return folder


@pytest.fixture
def serve(
    recorder: PythonRecorder,
    minimal_page: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Serve]:
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path / "cache"))
    with ExitStack() as servers:
        yield lambda folder: servers.enter_context(ProjectServer(str(folder), recorder))


def by_id(document: Any) -> dict[str, Any]:
    return {run["id"]: run for run in document["runs"]}


def test_runs_are_listed_with_their_accuracy(serve: Serve, project: Path) -> None:
    document = get_json(serve(project), "api/project")
    runs = by_id(document)
    assert list(runs) == ["checkpoint-100", "checkpoint-1000", "checkpoint-200", "other/base"]
    rows = read_scored_samples(project / "checkpoint-200")
    correct = sum(row.verdict == "correct" for row in rows)
    share = runs["checkpoint-200"]["accuracy"]["of_all"]
    assert (share["correct"], share["of"]) == (correct, 6)
    assert runs["checkpoint-1000"]["step"] == 1000
    assert runs["other/base"]["step"] is None
    (unreadable,) = document["unreadable"]
    assert unreadable["run"] == "broken"
    assert list(mismatches(document, "ProjectDocument", "project")) == []


def test_the_trend_is_ordered_by_step(serve: Serve, project: Path) -> None:
    (trend,) = get_json(serve(project), "api/project")["trends"]
    assert [point["step"] for point in trend["points"]] == [100, 200, 1000]
    first, second, _ = trend["points"]
    assert first["change"] is None
    values = [share["correct"] / share["of"] for share in (first["of_all"], second["of_all"])]
    assert second["change"]["value"] == pytest.approx(values[1] - values[0])
    assert second["of_all"]["low"] < values[1] < second["of_all"]["high"]


def test_differences_to_a_chosen_baseline(serve: Serve, project: Path) -> None:
    server = serve(project)
    differences = get_json(server, "api/differences?baseline=checkpoint-1000")
    assert differences["baseline"] == "checkpoint-1000"
    values = {each["run"]: each["all"]["value"] for each in differences["runs"]}
    assert set(values) == {"checkpoint-100", "checkpoint-200", "other/base"}
    assert values["checkpoint-100"] < values["checkpoint-200"] < 0
    assert list(mismatches(differences, "Differences", "differences")) == []
    assert get(server, secret_path(server, "api/differences?baseline=none"))[0] == 404


def test_operations_are_counted_once(
    serve: Serve, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = "api/operations?a=checkpoint-100&b=checkpoint-1000"
    with monkeypatch.context() as context:
        # The rows of a run have the counts: no sample is diagnosed again.
        context.delattr(operation_cache, "DiagnosedRun")
        changes = get_json(serve(project), path)
    (sum_change,) = (change for change in changes if change["name"] == "int +")
    assert (sum_change["a"], sum_change["b"]) == (
        {"correct": 1, "of": 6},
        {"correct": 5, "of": 6},
    )
    assert sum_change["difference"]["value"] == pytest.approx(4 / 6)
    assert list(mismatches(changes, "OperationChange[]", "changes")) == []
    # The counts of another version are counted again, once.
    with monkeypatch.context() as context:
        context.setattr(operation_cache, "version", lambda _: "0.0.1")
        assert get_json(serve(project), path) == changes
        context.delattr(operation_cache, "DiagnosedRun")
        assert get_json(serve(project), path) == changes


def test_runs_and_comparisons_have_their_own_pages(serve: Serve, project: Path) -> None:
    server = serve(project)
    status, body, _ = get(server, secret_path(server, "run/other%2Fbase/"))
    assert status == 200
    assert b'<meta name="worldline-home" content="../../">' in body
    report = get_json(server, "run/other%2Fbase/api/report")
    assert [run["name"] for run in report["runs"]] == [str(project / "other" / "base")]
    report = get_json(server, "compare/checkpoint-100/checkpoint-1000/api/report")
    assert len(report["comparison"]["gained"]) == 4
    sample = get_json(server, "compare/checkpoint-100/checkpoint-1000/api/sample?run=1&id=s0")
    assert sample["id"] == "s0"


@pytest.mark.parametrize(
    "path",
    [
        "run/none/api/report",
        "run/..%2F..%2Fetc/api/report",
        "run/not%20a%20run/api/report",
        "compare/checkpoint-100/api/report",
        "other",
    ],
)
def test_only_listed_runs_are_served(serve: Serve, project: Path, path: str) -> None:
    server = serve(project)
    assert get(server, secret_path(server, path))[0] == 404


def test_new_runs_are_listed_after_a_reload(
    serve: Serve, recorder: PythonRecorder, tmp_path: Path
) -> None:
    folder = tmp_path / "runs"
    make_recorded_run(folder / "a", predictions(1, recorder), recorder)
    server = serve(folder)
    assert list(by_id(get_json(server, "api/project"))) == ["a"]
    make_recorded_run(folder / "b", predictions(2, recorder), recorder)
    assert list(by_id(get_json(server, "api/project"))) == ["a", "b"]


def test_a_folder_without_runs_is_an_error(recorder: PythonRecorder, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="contains no run"):
        ProjectServer(str(tmp_path), recorder)
