"""Published data is read from a file, a folder or the hub, with helpful errors."""

import gzip
import json
import socket
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.errors import InputError
from worldline.evaluation.benchmarks import published_data
from worldline.evaluation.benchmarks.cruxeval import cruxeval
from worldline.evaluation.benchmarks.humaneval import humaneval

CRUXEVAL = {"id": "sample_0", "code": "def f(x):\n    return x\n", "input": "'a\u2028b'"}
CRUXEVAL |= {"output": "'a\u2028b'"}
HUMANEVAL = {
    "task_id": "HumanEval/0",
    "prompt": "def f(x):\n",
    "canonical_solution": "    return x\n",
    "test": "def check(candidate):\n    assert candidate(1) == 1\n",
    "entry_point": "f",
}
THREE_WAYS = (
    r"--data .*as `data`\); or set WORLDLINE_DATA .*; "
    r"or, with a network, pip install 'worldline\[hub\]'"
)


@pytest.fixture(autouse=True)
def no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WORLDLINE_DATA", raising=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with both benchmarks, as their authors publish them."""
    (tmp_path / "cruxeval.jsonl").write_text(json.dumps(CRUXEVAL) + "\n", encoding="utf-8")
    with gzip.open(tmp_path / "HumanEval.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(HUMANEVAL) + "\n")
    return tmp_path


def on_hub(name: str, repository: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a different repository for a benchmark."""
    dataset = replace(published_data.PUBLISHED_DATASETS[name], repository=repository)
    monkeypatch.setitem(published_data.PUBLISHED_DATASETS, name, dataset)


def test_data_can_be_a_file_or_a_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLDLINE_DATA", "/nowhere")
    assert cruxeval(folder).questions == cruxeval(str(folder / "cruxeval.jsonl")).questions
    assert cruxeval(folder).questions[0].expected == CRUXEVAL["output"]
    other = (folder / "HumanEval.jsonl.gz").rename(folder / "under another name.jsonl.gz")
    assert [question.id for question in humaneval(other).questions] == ["HumanEval_0_tc0"]
    (folder / "HumanEval.jsonl").write_text(json.dumps(HUMANEVAL), encoding="utf-8")
    assert humaneval(folder).questions == humaneval(other).questions


def test_missing_data_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file or folder .*none to read cruxeval from"):
        cruxeval(tmp_path / "none")
    with pytest.raises(InputError, match=r"contains no HumanEval.jsonl.gz or HumanEval.jsonl"):
        humaneval(tmp_path)


def test_folder_from_the_environment_variable_is_used(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLDLINE_DATA", str(folder))
    assert [question.id for question in cruxeval().questions] == ["sample_0"]
    assert [question.id for question in humaneval().questions] == ["HumanEval_0_tc0"]


@pytest.fixture
def library(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """The actual library, with its own cache and an unreachable hub."""
    datasets = pytest.importorskip("datasets")
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", cache)
    monkeypatch.setattr(datasets.config, "HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", False)
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield
    assert datasets.config.HF_HUB_OFFLINE is False


@pytest.mark.usefixtures("library")
def test_rows_from_the_hub_equal_those_of_the_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder stands for the repository."""
    for name, file in (("cruxeval", "cruxeval.jsonl"), ("humaneval", "HumanEval.jsonl.gz")):
        repository = tmp_path / name
        repository.mkdir()
        ending = ".jsonl.gz" if file.endswith(".gz") else ".jsonl"
        (repository / f"test{ending}").write_bytes((folder / file).read_bytes())
        on_hub(name, str(repository), monkeypatch)
    assert cruxeval().questions == cruxeval(folder).questions
    assert humaneval().questions == humaneval(folder).questions


@pytest.mark.usefixtures("library")
def test_hub_is_used_if_the_folder_lacks_the_file(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (folder / "cruxeval.jsonl").rename(repository / "test.jsonl")
    on_hub("cruxeval", str(repository), monkeypatch)
    monkeypatch.setenv("WORLDLINE_DATA", str(folder))
    assert [question.id for question in cruxeval().questions] == ["sample_0"]


@pytest.mark.usefixtures("library")
def test_error_names_the_row_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test.jsonl").write_text('{"id": "a", "code": "x"}', encoding="utf-8")
    on_hub("cruxeval", str(tmp_path), monkeypatch)
    with pytest.raises(InputError, match=r"row 1 of .*needs 'call'"):
        cruxeval()


@pytest.mark.usefixtures("library")
def test_unreachable_hub_is_reported_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    on_hub("humaneval", "nobody/has-this", monkeypatch)
    start = time.perf_counter()
    with pytest.raises(InputError, match=f"127.0.0.1:9 does not answer.*{THREE_WAYS}"):
        humaneval()
    assert time.perf_counter() - start < 15


@pytest.mark.usefixtures("library")
def test_silent_hub_is_reported_quickly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    datasets = pytest.importorskip("datasets")
    on_hub("humaneval", "nobody/has-this", monkeypatch)
    monkeypatch.setattr(published_data, "HUB_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        monkeypatch.setattr(datasets.config, "HF_ENDPOINT", url)
        start = time.perf_counter()
        with pytest.raises(InputError, match=f"{url} does not answer.*{THREE_WAYS}"):
            humaneval()
        assert time.perf_counter() - start < 15


def test_missing_datasets_library_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(InputError, match=f"'datasets' is not installed.*{THREE_WAYS}"):
        cruxeval()
