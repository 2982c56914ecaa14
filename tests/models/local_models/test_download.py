"""Downloads of models: from an imitation of the hub, resumed, verified, and taken over."""

import hashlib
import json
import os
import random
import subprocess
import sys
import time
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from tests.support.hub_server import HubServer, running_hub
from worldline.core.errors import EngineError, InputError
from worldline.models.local_models import (
    CATALOG,
    ModelFile,
    download,
    find_model_file,
    get_model,
    hub_download,
    import_model_file,
    model_path,
)

DATA = b"GGUF" + random.Random(0).randbytes(5_000_000)
SMALL = b"GGUF and some more"
MODEL = ModelFile(
    name="tiny",
    repository="someone/tiny-GGUF",
    file="tiny-q4.gguf",
    size=len(DATA),
    sha256=hashlib.sha256(DATA).hexdigest(),
    licence="MIT",
    context_length=128,
)
SMALL_MODEL = replace(MODEL, size=len(SMALL), sha256=hashlib.sha256(SMALL).hexdigest())
SCRIPT = """\
import json, sys
from worldline.models.local_models import ModelFile, download, get_model
model = ModelFile(**json.loads(sys.argv[1]))
download.CATALOG = {model.name: model}
print(get_model(model.name))
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder, and a catalogue with one small model."""
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(download, "CATALOG", {"tiny": SMALL_MODEL})
    return tmp_path / "cache"


def start_download(hub: HubServer) -> "subprocess.Popen[str]":
    """Download in a process of its own, which can be killed."""
    environment = {**os.environ, "HF_ENDPOINT": hub.url}
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, json.dumps(asdict(hub.model))],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_hub_is_asked_once_and_an_interrupted_download_resumes(cache: Path) -> None:
    with running_hub(HubServer(MODEL, DATA)) as hub:
        hub.stalls_after = 3_500_000
        killed = start_download(hub)
        assert hub.stalled.wait(60)
        part = cache / "models" / f"{MODEL.file}.part"
        while part.stat().st_size < 3_000_000:
            time.sleep(0.02)
        other = start_download(hub)
        assert "another process is downloading" in other.communicate(timeout=30)[1]
        killed.kill()
        killed.communicate(timeout=30)
        assert not (cache / "models" / MODEL.file).exists()
        hub.stalls_after = None
        resumed = start_download(hub)
        output, errors = resumed.communicate(timeout=60)
        assert resumed.returncode == 0, errors
        path = Path(output.strip())
        assert path == cache / "models" / MODEL.file
        assert path.read_bytes() == DATA
        assert hub.ranges[0] == 0
        assert 3_000_000 <= hub.ranges[1] <= 3_500_000
        assert not part.exists()
        again = start_download(hub)
        assert again.communicate(timeout=60)[0] == output
        assert len(hub.ranges) == 2


def test_a_part_that_is_longer_than_the_model_is_downloaded_again(cache: Path) -> None:
    part = cache / "models" / f"{MODEL.file}.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * (len(DATA) + 10))
    with running_hub(HubServer(MODEL, DATA)) as hub:
        output, errors = start_download(hub).communicate(timeout=60)
        assert Path(output.strip()).read_bytes() == DATA, errors
        assert hub.ranges == [0]


def test_a_file_with_another_hash_is_deleted_and_refused(cache: Path) -> None:
    with running_hub(HubServer(MODEL, DATA[:-1] + b"x")) as hub:
        process = start_download(hub)
        _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert f"not sha256 {MODEL.sha256}. It was deleted" in errors
    assert list((cache / "models").iterdir()) == []


def test_a_hub_that_does_not_have_the_file_is_an_error(cache: Path) -> None:
    with running_hub(HubServer(MODEL, DATA)) as hub:
        hub.model = replace(MODEL, repository="someone/else")
        process = start_download(hub)
        hub.model = MODEL
        _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    address = f"{hub.url}/someone/else/resolve/main/tiny-q4.gguf"
    assert f"tiny could not be downloaded from {address}: 404" in errors
    assert "--from tiny-q4.gguf" in errors


def test_a_connection_that_breaks_is_continued(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_download, "_PAUSES", (0.0,))
    monkeypatch.setattr(download, "CATALOG", {"tiny": MODEL})
    shown: list[int] = []
    with running_hub(HubServer(MODEL, DATA)) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        # The server closes the connection instead of waiting.
        hub.stalls_after = 2_000_000
        hub.ended.set()

        def progress(done: int, total: int) -> None:
            shown.append(done)
            if done >= 1_900_000:
                hub.stalls_after = None

        assert get_model("tiny", on_progress=progress).read_bytes() == DATA
    assert hub.ranges[:2] == [0, 2_000_000]
    assert shown[-1] == len(DATA)


def test_a_hub_that_is_not_reachable_is_one_error(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_download, "_PAUSES", (0.0,))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(EngineError, match="Run the same command again to resume"):
        get_model("tiny")


def test_an_injected_downloader_is_verified_too(cache: Path) -> None:
    contents = iter([b"wrong", SMALL])

    def fetch(model: ModelFile, part: Path, on_progress: object) -> None:
        part.write_bytes(next(contents))

    with pytest.raises(EngineError, match=r"has 5 bytes, not 18 bytes\. It was deleted"):
        get_model("tiny", download=fetch)
    assert get_model("tiny", download=fetch) == model_path(SMALL_MODEL)
    # It is there now: nothing is fetched.
    assert get_model("tiny", download=fetch).read_bytes() == SMALL
    # Damaged later: it is fetched again.
    model_path(SMALL_MODEL).write_bytes(SMALL[:-1] + b"x")
    contents = iter([SMALL])
    assert get_model("tiny", download=fetch).read_bytes() == SMALL


def test_a_file_is_taken_over_only_if_it_is_the_model(cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(SMALL[:-1] + b"x")
    with pytest.raises(EngineError, match=r"is not tiny-q4\.gguf of someone/tiny-GGUF"):
        import_model_file("tiny", file)
    # A file of the user is never deleted.
    assert file.exists()
    assert not model_path(SMALL_MODEL).exists()
    file.write_bytes(SMALL)
    path = import_model_file("tiny", file)
    assert (path, path.read_bytes()) == (model_path(SMALL_MODEL), SMALL)
    assert import_model_file("tiny", path) == path
    with pytest.raises(InputError, match="there is no file"):
        import_model_file("tiny", tmp_path / "nowhere")


def test_models_are_found_by_name_or_path(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(EngineError, match="worldline models get tiny"):
        find_model_file("tiny")
    with pytest.raises(InputError, match="the catalogue has: tiny"):
        find_model_file("huge")
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"not this")
    with pytest.raises(InputError, match="is not a GGUF file"):
        find_model_file(str(file))
    file.write_bytes(SMALL)
    assert find_model_file(str(file)) == file
    assert import_model_file("tiny", file) == find_model_file("tiny")


def test_the_catalogue_pins_every_file() -> None:
    for name, model in CATALOG.items():
        assert model.name == name
        assert len(bytes.fromhex(model.sha256)) == 32
        assert model.file.endswith(".gguf")
        assert "/" in model.repository
        assert model.licence
