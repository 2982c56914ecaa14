"""Runs that grow, are deleted, or get concurrent requests while they are served."""

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.evaluation.runs.samples import fill, knowing_engine, questions
from tests.evaluation.runs.test_intervening import run_of, tried
from tests.interfaces.viewer.conftest import read_data
from tests.interfaces.viewer.http_client import get, get_json, secret_path
from worldline.interfaces.viewer import ViewServer, write_report
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import PredictionSettings
from worldline.models.tokenizers import BytesTokenizer

Serve = Callable[..., ViewServer]


@pytest.fixture
def serve(recorder: PythonRecorder, minimal_page: str) -> Iterator[Serve]:
    """A function that starts a server of a run."""
    with ExitStack() as servers:
        yield lambda run: servers.enter_context(
            ViewServer([str(run)], recorder, tokenizer=BytesTokenizer())
        )


def fill_run(run: Path, count: int, recorder: PythonRecorder, *, max_tokens: int = 400) -> Path:
    items, settings = questions(count), PredictionSettings(max_tokens=max_tokens)
    fill(run, items, knowing_engine(recorder, items), recorder, questions=4, settings=settings)
    return run


def test_a_grown_run_is_read_again_when_the_page_is_loaded(
    serve: Serve, recorder: PythonRecorder, tmp_path: Path
) -> None:
    run = fill_run(tmp_path / "run", 2, recorder)
    server = serve(run)
    assert "2 of 4 samples" in get_json(server, "api/report")["runs"][0]["header"][2]
    fill_run(run, 4, recorder)
    # An open page keeps its rows.
    assert get_json(server, "api/rows?run=0")["total"] == 2
    assert "4 of 4 samples" in get_json(server, "api/report")["runs"][0]["header"][2]
    assert get_json(server, "api/rows?run=0")["total"] == 4
    assert get_json(server, "api/sample?run=0&id=s3")["expected"] == "4"


def test_new_interventions_are_read_when_the_page_is_loaded(
    serve: Serve, recorder: PythonRecorder, tmp_path: Path
) -> None:
    run_of(tmp_path / "run", recorder)
    server = serve(tmp_path / "run")
    assert get_json(server, "api/report")["runs"][0]["interventions"] is None
    tried(tmp_path / "run", recorder, "patch")
    assert get_json(server, "api/report")["runs"][0]["interventions"]["failures"] == 2
    (attempt,) = get_json(server, "api/sample?run=0&id=slip")["attempts"]
    assert (attempt["intervention"], attempt["is_correct"]) == ("patch", True)


def test_a_deleted_run_is_reported(serve: Serve, recorder: PythonRecorder, tmp_path: Path) -> None:
    run = fill_run(tmp_path / "run", 2, recorder)
    server = serve(run)
    shutil.rmtree(run)
    for path in ("api/report", "api/sample?run=0&id=missing"):
        status, body, _ = get(server, secret_path(server, path))
        assert (status, body.decode()) == (410, f"{run} no longer exists")
    # A new run in the same folder is served.
    fill_run(run, 3, recorder)
    assert get_json(server, "api/report")["runs"][0]["accuracy"]["samples"] == 3


def test_concurrent_requests_get_their_own_samples(
    serve: Serve, recorder: PythonRecorder, tmp_path: Path
) -> None:
    server = serve(fill_run(tmp_path / "run", 4, recorder))
    names = [f"s{number % 4}" for number in range(24)]
    with ThreadPoolExecutor(8) as threads:
        ids = threads.map(lambda name: get_json(server, f"api/sample?run=0&id={name}")["id"], names)
        assert list(ids) == names


def test_server_counts_the_same_tokens_as_a_report(
    serve: Serve, recorder: PythonRecorder, tmp_path: Path
) -> None:
    run = fill_run(tmp_path / "run", 3, recorder, max_tokens=150)
    server = serve(run)
    (document,) = get_json(server, "api/report")["runs"]
    assert document["token_usage"]["can_count"]
    assert document["token_usage"]["formats"] == []
    write_report([str(run)], tmp_path / "page.html", recorder, tokenizer=BytesTokenizer())
    (reported,) = json.loads(read_data(tmp_path / "page.html", "report"))["runs"]
    assert get_json(server, "api/tokens?run=0") == reported["token_usage"]
    formats = reported["token_usage"]["formats"]
    assert {counts["traces"] for counts in formats} == {3}
    fitting = {counts["codec"]: counts["fitting"] for counts in formats}
    assert (fitting["cwm"], max(fitting.values())) == (0, 3)
