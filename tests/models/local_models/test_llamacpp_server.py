"""The llama.cpp server of a model: started, asked, stopped; with a stand-in for xllamacpp."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

import worldline as wl
from tests.interfaces.cli.commands import ok
from tests.support.stub_xllamacpp import write_stub
from worldline.core.errors import EngineError
from worldline.evaluation.runs import read_manifest
from worldline.models.engines import load_engine
from worldline.models.local_models import LlamaCppOptions, start_llamacpp_server

SOURCE = "def f(x):\n    return x + 1\n"


@pytest.fixture
def stub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the stand-in importable here and in child processes; return a GGUF file."""
    folder = write_stub(tmp_path / "stub")
    monkeypatch.syspath_prepend(str(folder))
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(paths))
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"GGUF")
    return file


def is_up(address: str) -> bool:
    try:
        urlopen(f"{address}/models", timeout=5).close()
    except (URLError, ConnectionError):
        return False
    return True


def test_a_server_has_its_options_and_ends(stub: Path) -> None:
    options = LlamaCppOptions(threads=2, context_length=500, parallel=3)
    with start_llamacpp_server(stub, options) as server:
        assert server.address.startswith("http://127.0.0.1:")
        with urlopen(f"{server.address}/models", timeout=5) as response:
            (row,) = json.load(response)["data"]
    # llama.cpp divides the context among the requests.
    assert row == {"id": "mine", "meta": {"n_ctx": 1500, "slots": 3, "threads": 2}}
    assert not is_up(server.address)
    server.stop()


def test_a_model_that_cannot_be_loaded_is_an_error(stub: Path) -> None:
    stub.write_bytes(b"GGUF broken")
    with pytest.raises(EngineError, match=r"could not serve .*mine\.gguf: .*Failed to init server"):
        start_llamacpp_server(stub)


def test_without_the_extra_nothing_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"GGUF")
    monkeypatch.setattr(
        "worldline.models.local_models.llamacpp_server.find_spec", lambda name: None
    )
    with pytest.raises(EngineError, match=r"pip install 'worldline\[llamacpp\]'"):
        start_llamacpp_server(file)


def test_an_engine_has_its_server_as_long_as_it_is_open(stub: Path) -> None:
    with wl.load_engine(f"llamacpp:{stub}") as engine:
        first = wl.predict(SOURCE, "f(1)", engine=engine)
        server = engine._server
        assert server is not None
        assert (first.answer, first.model) == ("2", "mine")
        # The second prediction uses the same server.
        assert wl.predict(SOURCE, "f(2)", engine=engine).answer == "2"
        assert engine._server is server
        assert is_up(server.address)
    assert not is_up(server.address)


def test_an_engine_by_name_leaves_no_server(stub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stopped: list[str] = []
    stop = wl.EngineHandle.stop_server

    def observed(handle: wl.EngineHandle) -> None:
        if handle._server is not None:
            stopped.append(handle._server.address)
        stop(handle)

    monkeypatch.setattr(wl.EngineHandle, "stop_server", observed)
    assert wl.predict(SOURCE, "f(1)", engine=f"llamacpp:{stub}").answer == "2"
    assert [is_up(address) for address in stopped] == [False]


async def _answer(name: str) -> str:
    engine = load_engine(name)
    try:
        capabilities = await engine.capabilities()
        assert "chat" in capabilities.supported
        return engine.name
    finally:
        await engine.close()


def test_an_engine_of_the_lower_layer_owns_its_server(stub: Path) -> None:
    assert asyncio.run(_answer(f"llamacpp:{stub}")) == "mine"


def test_a_benchmark_is_evaluated_in_one_command(stub: Path, tmp_path: Path) -> None:
    programs, target = tmp_path / "programs.jsonl", tmp_path / "run"
    row = {"id": "a", "code": SOURCE, "call": "f(1)", "expected": "2"}
    programs.write_text(json.dumps(row) + "\n", encoding="utf-8")
    result = ok("bench", programs, "--engine", f"llamacpp:{stub}", "-o", target)
    assert "correct of all       1 of 1" in result.stdout
    assert "codec chat-trace: the model answers chat messages" in result.stderr
    manifest = read_manifest(target)
    assert manifest.settings is not None
    assert (manifest.settings.codec, manifest.model) == ("chat-trace", "mine")
    # Not the address of a server that is gone.
    assert manifest.engine == f"llamacpp:{stub}"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_serve_ends_with_its_server(stub: Path, number: signal.Signals) -> None:
    script = "from worldline.interfaces.cli import main; main()"
    command = [sys.executable, "-c", script, "models", "serve", str(stub)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        # A suite that was started in the background ignores SIGINT, and so would this process.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert process.stdout.readline() == "mine is served here; Ctrl-C stops it. Ask it:\n"
    assert process.stdout.readline() == (
        f"worldline bench cruxeval --first 20 --engine {address} --concurrency 4\n"
    )
    assert is_up(address)
    process.send_signal(number)
    assert process.wait(20) == (0 if number != signal.SIGKILL else -signal.SIGKILL)
    assert ("stopped" in process.stdout.read()) is (number != signal.SIGKILL)
    end = time.monotonic() + 10
    while is_up(address) and time.monotonic() < end:
        time.sleep(0.05)
    assert not is_up(address)
