"""`worldline models list` and `get`."""

import hashlib
import json
from pathlib import Path

import pytest

from tests.interfaces.cli.commands import ok, run
from worldline.models.local_models import CATALOG, ModelFile

DATA = b"GGUF and more"
TINY = ModelFile(
    "tiny", "someone/tiny", "t.gguf", len(DATA), hashlib.sha256(DATA).hexdigest(), "MIT", 128
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WORLDLINE_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_catalogue_is_listed() -> None:
    text = ok("models", "list").stdout
    rows = json.loads(ok("models", "list", "--format", "json").stdout)
    assert [row["name"] for row in rows] == list(CATALOG)
    assert {"qwen2.5-coder-1.5b"} <= set(CATALOG)
    for row in rows:
        assert row["path"] is None
        assert all(str(row[name]) in text for name in ("repository", "file", "sha256", "licence"))
    assert "no: worldline models get qwen2.5-coder-1.5b" in text


def test_a_file_is_taken_over_and_the_next_command_is_named(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("worldline.models.local_models.download.CATALOG", {"tiny": TINY})
    file = tmp_path / "mine.gguf"
    file.write_bytes(DATA)
    result = ok("models", "get", "tiny", "--from", file)
    assert result.stdout == f"{cache / 'models' / 't.gguf'}\n"
    assert "next: worldline bench cruxeval --first 20 --engine llamacpp:tiny" in result.stderr
    # It is there: nothing is downloaded.
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert ok("models", "get", "tiny").stdout == result.stdout


def test_errors_say_what_to_do(tmp_path: Path) -> None:
    unknown = run("models", "get", "huge")
    assert (unknown.exit_code, "the catalogue has: qwen2.5-coder-1.5b" in unknown.stderr) == (2, 1)
    absent = run("models", "serve", "qwen2.5-coder-1.5b")
    assert absent.exit_code == 2
    assert "worldline models get qwen2.5-coder-1.5b" in absent.stderr
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(DATA)
    refused = run("models", "get", "qwen2.5-coder-1.5b", "--from", wrong)
    assert refused.exit_code == 2
    assert "it has 13 bytes, not 1,117,320,768 bytes" in refused.stderr
