"""Runs that grow, go, or are asked for by many at once while they are served."""

import json
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.runs.samples import fill, knowing_engine, questions
from tests.runs.test_intervening import run_of, tried
from tests.viewer.asking import at, get, told
from tests.viewer.conftest import read_data
from worldline.predict import Settings
from worldline.recorders import PythonRecorder
from worldline.tokens import BytesTokenizer
from worldline.viewer import ViewServer, write_report

Served = Callable[..., ViewServer]


@pytest.fixture
def served(recorder: PythonRecorder, bare_page: str) -> Iterator[Served]:
    with ExitStack() as servers:
        yield lambda run: servers.enter_context(
            ViewServer([str(run)], recorder, tokenizer=BytesTokenizer())
        )


def filled(run: Path, count: int, recorder: PythonRecorder, *, budget: int = 400) -> Path:
    asked, settings = questions(count), Settings(budget=budget)
    fill(run, asked, knowing_engine(recorder, asked), recorder, questions=4, settings=settings)
    return run


def test_a_run_that_grows_is_read_again_with_the_page(
    served: Served, recorder: PythonRecorder, tmp_path: Path
) -> None:
    run = filled(tmp_path / "run", 2, recorder)
    server = served(run)
    assert "2 of 4 samples" in told(server, "api/report")["runs"][0]["lines"][2]
    filled(run, 4, recorder)
    # A page that is open keeps to what it was given.
    assert told(server, "api/rows?run=0")["total"] == 2
    assert "4 of 4 samples" in told(server, "api/report")["runs"][0]["lines"][2]
    assert told(server, "api/rows?run=0")["total"] == 4
    assert told(server, "api/sample?run=0&id=s3")["expected"] == "4"


def test_what_is_tried_meanwhile_is_there_with_the_next_page(
    served: Served, recorder: PythonRecorder, tmp_path: Path
) -> None:
    run_of(tmp_path / "run", recorder)
    server = served(tmp_path / "run")
    assert told(server, "api/report")["runs"][0]["interventions"] is None
    tried(tmp_path / "run", recorder, "patch")
    assert told(server, "api/report")["runs"][0]["interventions"]["failures"] == 2
    (attempt,) = told(server, "api/sample?run=0&id=slip")["attempts"]
    assert (attempt["intervention"], attempt["is_right"]) == ("patch", True)


def test_a_run_that_goes_is_said_to_have_gone(
    served: Served, recorder: PythonRecorder, tmp_path: Path
) -> None:
    run = filled(tmp_path / "run", 2, recorder)
    server = served(run)
    shutil.rmtree(run)
    for path in ("api/report", "api/sample?run=0&id=nobody"):
        status, body, _ = get(server, at(server, path))
        assert (status, body.decode()) == (410, f"{run} is no longer there")
    # One that is put in its place is another.
    filled(run, 3, recorder)
    assert told(server, "api/report")["runs"][0]["accuracy"]["asked"] == 3


def test_many_at_once_each_get_their_own(
    served: Served, recorder: PythonRecorder, tmp_path: Path
) -> None:
    server = served(filled(tmp_path / "run", 4, recorder))
    asked = [f"s{number % 4}" for number in range(24)]
    with ThreadPoolExecutor(8) as threads:
        found = threads.map(lambda name: told(server, f"api/sample?run=0&id={name}")["id"], asked)
        assert list(found) == asked


def test_formats_are_counted_as_in_a_file(
    served: Served, recorder: PythonRecorder, tmp_path: Path
) -> None:
    run = filled(tmp_path / "run", 3, recorder, budget=150)
    server = served(run)
    (document,) = told(server, "api/report")["runs"]
    assert document["budget"]["can_count"]
    assert document["budget"]["formats"] == []
    write_report([str(run)], tmp_path / "page.html", recorder, tokenizer=BytesTokenizer())
    (filed,) = json.loads(read_data(tmp_path / "page.html", "report"))["runs"]
    assert told(server, "api/budget?run=0") == filed["budget"]
    assert {each["of"] for each in filed["budget"]["formats"]} == {3}
    fits = {each["codec"]: each["fit"] for each in filed["budget"]["formats"]}
    assert (fits["cwm"], max(fits.values())) == (0, 3)
