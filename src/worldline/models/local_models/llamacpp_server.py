"""llama.cpp server for one GGUF file, in a process of its own."""

import json
import select
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from worldline.core.errors import EngineError
from worldline.models.local_models.download import find_model_file

# Seconds to load a model from a slow disk.
_LOAD_SECONDS = 600.0
# Seconds for the server to end by itself.
_STOP_SECONDS = 10.0
# Parallel requests of a server that nobody configured.
DEFAULT_PARALLEL = 4


@dataclass(frozen=True, slots=True)
class LlamaCppOptions:
    """Options of a server.

    Attributes:
        port: Port on 127.0.0.1; 0 takes a free one.
        threads: Threads of the model; None leaves the number to llama.cpp.
        context_length: Tokens of one request, prompt and completion together.
        parallel: Requests at a time; each has its own context in memory.
    """

    port: int = 0
    threads: int | None = None
    context_length: int = 8192
    parallel: int = DEFAULT_PARALLEL


class LlamaCppServer:
    """A running server. `stop` ends it, and so does the end of a `with` block or of this process.

    Attributes:
        name: Name of the model on the server.
        address: Address of the server: `http://127.0.0.1:8080/v1`.
    """

    def __init__(
        self, name: str, address: str, process: subprocess.Popen[bytes], log: IO[bytes]
    ) -> None:
        self.name = name
        self.address = address
        self._process = process
        self._log = log

    def __repr__(self) -> str:
        return f"LlamaCppServer({self.name!r}, {self.address!r})"

    def __enter__(self) -> "LlamaCppServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait(self) -> None:
        """Wait until the server ends by itself.

        Raises:
            EngineError: It has ended.
        """
        code = self._process.wait()
        raise EngineError(f"the llama.cpp server ended with {code}: {_last_lines(self._log)}")

    def stop(self) -> None:
        """End the server; harmless if it has ended."""
        _end(self._process)
        self._log.close()


def start_llamacpp_server(
    model: str | Path, options: LlamaCppOptions | None = None
) -> LlamaCppServer:
    """Serve a catalogued model or a GGUF file on 127.0.0.1.

    Args:
        model: Name in the catalogue, or path of a GGUF file.
        options: Options of the server.

    Raises:
        InputError: There is no such model or file.
        EngineError: The model is not on this machine, the extra `llamacpp` is not installed, or
            the server does not start.
    """
    options = options or LlamaCppOptions()
    file = find_model_file(str(model))
    if find_spec("xllamacpp") is None:
        raise EngineError("serving a GGUF file needs xllamacpp: pip install 'worldline[llamacpp]'")
    name = file.stem if Path(model).is_file() else str(model)
    arguments = {"file": str(file), "name": name, **asdict(options)}
    # Closed by `stop`.
    log = tempfile.TemporaryFile()  # noqa: SIM115
    module = "worldline.models.local_models.llamacpp_child"
    process = subprocess.Popen(
        [sys.executable, "-m", module, json.dumps(arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
    )
    try:
        address = _read_address(process)
    except BaseException:
        _end(process)
        log.close()
        raise
    if address is None:
        process.wait()
        reason = _last_lines(log)
        _end(process)
        log.close()
        raise EngineError(f"llama.cpp could not serve {file}: {reason}")
    return LlamaCppServer(name, f"{address}/v1", process, log)


def _read_address(process: subprocess.Popen[bytes]) -> str | None:
    """Read the address that the process writes; None if it ends without one."""
    assert process.stdout is not None
    end = time.monotonic() + _LOAD_SECONDS
    while time.monotonic() < end:
        if not select.select([process.stdout], [], [], 0.5)[0]:
            continue
        line = process.stdout.readline()
        if not line:
            return None
        reply: dict[str, Any] = json.loads(line)
        return str(reply["address"])
    raise EngineError(f"llama.cpp did not load the model within {_LOAD_SECONDS:g} s")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the process's standard input, which ends it; kill it if it does not end."""
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _last_lines(log: IO[bytes]) -> str:
    """The end of a server's log, on one line."""
    log.seek(0)
    lines = log.read().decode("utf-8", "replace").splitlines()
    return " | ".join(line.strip() for line in lines[-4:] if line.strip()) or "it wrote no reason"
