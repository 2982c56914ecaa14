"""Real servers for the tests: the folder of a model goes in, a running `vllm serve` comes out."""

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

ROOT = Path(__file__).parent.parent
VLLM = Path(os.environ.get("WORLDLINE_VLLM") or ROOT / ".venv-vllm" / "bin" / "vllm")
# Seconds. A first start on two busy cores compiles every module that vLLM imports.
START_LIMIT = 300
STOP_LIMIT = 10
# Lines. vLLM's last words repeat in three processes what went wrong in one.
LOG_TAIL = 150

# In float32 a hit in the prefix cache gives the same log-probabilities as a miss; in bfloat16 not.
# 32 tokens is the smallest cache block on a CPU; the 128 it takes by itself hardly ever fit a test.
FLAGS = (
    *("--dtype", "float32"),
    *("--block-size", "32"),
    *("--kv-cache-memory-bytes", "512M"),
    *("--max-logprobs", "100"),
    # The model in the engine's own process: two would wait for one another on both cores, at full
    # speed. On a CPU vLLM grants it only where its other processes are declined, too.
    *("--distributed-executor-backend", "uni"),
    "--enforce-eager",
    "--enable-prefix-caching",
    "--enable-prompt-tokens-details",
)
ENVIRONMENT = {
    # Nothing from the network, and nothing to it.
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_HOST_IP": "127.0.0.1",
    # One thread, as a second one is ten times slower than none where its core is busy; and unbound,
    # else all servers keep to the same core.
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",
    # Two processes import vLLM: half a minute with compiled modules, a minute and more without.
    "PYTHONDONTWRITEBYTECODE": "",
}


class Server:
    """One `vllm serve`, which can be stopped and started again on the same port."""

    def __init__(self, command: Sequence[str], *, model: str, port: int, log: Path) -> None:
        self.model = model
        self.port = port
        self.log = log
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """What a client is told: "http://127.0.0.1:8201/v1"."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def pid(self) -> int:
        """The process that was started; its group has the same number."""
        if self._process is None:
            raise RuntimeError(f"{self.model} is not running; call start()")
        return self._process.pid

    def start(self) -> None:
        """Start it and wait until it answers."""
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
        """End it and its children; nothing happens where it has ended already."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(STOP_LIMIT)
        # Its last child frees the memory that the others shared, and is killed only if it hangs.
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
                    self._said(f"ended with {process.returncode} before it answered")
                )
            if time.monotonic() > limit:
                raise RuntimeError(self._said(f"did not answer within {START_LIMIT} s"))
            time.sleep(0.5)

    def _said(self, what: str) -> str:
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
) -> Iterator[Server]:
    """A server of one model under that name, until the block is left; its log stays."""
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
    server = Server(command, model=name, port=port, log=Path(log))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
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
    """Have the kernel end the server when the tests are killed, which runs no `finally`."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGTERM)
