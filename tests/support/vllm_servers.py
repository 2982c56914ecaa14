"""vLLM servers for the tests."""

import ctypes
import os
import signal
import socket
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.paths import PROJECT_ROOT

ROOT = PROJECT_ROOT
VLLM = Path(os.environ.get("WORLDLINE_VLLM") or ROOT / ".venv-vllm" / "bin" / "vllm")
# In seconds. The first start on two busy cores compiles every module that vLLM imports.
START_LIMIT = 300
STOP_LIMIT = 10
# In lines. vLLM repeats an error in three processes.
LOG_TAIL = 150

# In float32, a prefix-cache hit gives the same log-probabilities as a miss; in bfloat16 not.
# 32 tokens is the smallest cache block on a CPU; few tests fill the default block of 128.
FLAGS = (
    *("--dtype", "float32"),
    *("--block-size", "32"),
    *("--kv-cache-memory-bytes", "512M"),
    *("--max-logprobs", "100"),
    # The model runs in the engine's process: two processes would busy-wait for each other on both
    # cores. On a CPU this also needs VLLM_ENABLE_V1_MULTIPROCESSING=0.
    *("--distributed-executor-backend", "uni"),
    "--enforce-eager",
    "--enable-prefix-caching",
    "--enable-prompt-tokens-details",
)
ENVIRONMENT = {
    # No network access.
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_HOST_IP": "127.0.0.1",
    # One thread: with a second one on a busy core, vLLM is ten times slower. Not bound to a core:
    # otherwise all servers use the same one.
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    # Two processes import vLLM: half a minute with compiled modules, a minute and more without.
    "PYTHONDONTWRITEBYTECODE": "",
}


class VllmServer:
    """A `vllm serve` process that can be stopped and started again on the same port."""

    def __init__(self, command: Sequence[str], *, model: str, port: int, log: Path) -> None:
        self.model = model
        self.port = port
        self.log = log
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Base URL for clients: "http://127.0.0.1:8201/v1"."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def pid(self) -> int:
        """Id of the process, and of its process group."""
        if self._process is None:
            raise RuntimeError(f"{self.model} is not running; call start()")
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it is healthy."""
        if self._process is not None:
            raise RuntimeError(f"{self.model} is running already, as process {self.pid}")
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command,
                env=os.environ | ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=_end_with_parent,
            )
        try:
            self._wait_until_healthy(self._process)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server and its children; do nothing if it is not running."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_LIMIT)
        # The last child frees shared memory; kill it only if it hangs.
        limit = time.monotonic() + STOP_LIMIT
        while _is_group_alive(process.pid) and time.monotonic() < limit:
            time.sleep(0.1)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _wait_until_healthy(self, process: subprocess.Popen[bytes]) -> None:
        limit = time.monotonic() + START_LIMIT
        while not _is_healthy(self.port):
            if process.poll() is not None:
                raise RuntimeError(
                    self._describe_failure(f"ended with {process.returncode} before it answered")
                )
            if time.monotonic() > limit:
                raise RuntimeError(self._describe_failure(f"did not answer within {START_LIMIT} s"))
            time.sleep(0.5)

    def _describe_failure(self, what: str) -> str:
        tail = self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-LOG_TAIL:]
        return "\n".join([f"the server of {self.model} {what}; the end of {self.log}:", *tail])


@contextmanager
def serve(
    model_dir: Path,
    *,
    name: str,
    max_model_len: int = 4096,
    port: int | None = None,
    extra: Sequence[str] = (),
) -> Iterator[VllmServer]:
    """Serve a model under a name within a `with` block; the log file is kept."""
    port = port or free_port()
    descriptor, log = tempfile.mkstemp(prefix=f"vllm-{name}-", suffix=".log")
    os.close(descriptor)
    command = [
        *(str(VLLM), "serve", str(model_dir)),
        *("--served-model-name", name),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--max-model-len", str(max_model_len)),
        *FLAGS,
        *extra,
    ]
    server = VllmServer(command, model=name, port=port, log=Path(log))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def free_port() -> int:
    """Find a free port."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _is_healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _is_group_alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _end_with_parent() -> None:
    """Let the kernel stop the server if the tests are killed, because no `finally` runs then."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
