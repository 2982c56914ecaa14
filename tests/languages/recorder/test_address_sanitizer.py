"""Tracer in C under AddressSanitizer, with the sample programs and with hostile ones."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.languages.recorder.both_recorders import body
from tests.languages.recorder.methods import ROOT, VERSIONS, build_extensions, python_of, share_of
from tests.languages.recorder.test_c_tracer import CHANGES
from tests.languages.recorder.test_conformance import NAMES, read_program
from worldline.core.trace import Limits, Program
from worldline.languages.python.recorder import PythonRecorder, fork_server_client
from worldline.languages.sandbox import Sandbox

FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-O1"]
# AddressSanitizer reserves terabytes of address space.
LIMITS = Limits(memory_mb=10**9, seconds=120, steps=3_000)


@pytest.fixture(scope="module", params=VERSIONS)
def checked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[PythonRecorder, Path]]:
    """A recorder whose C extensions stop at the first memory error, and the folder of its log."""
    python, folder = python_of(request.param), tmp_path_factory.mktemp("checked")
    query = ["gcc", "-print-file-name=libasan.so"]
    try:
        library = subprocess.run(query, capture_output=True, text=True, check=True).stdout.strip()
        shutil.copytree(ROOT / "src/worldline/languages/python/recorder/child", folder / "child")
        for built in (folder / "child").glob("_*.so"):
            built.unlink()
        build_extensions(ROOT, python=python, flags=FLAGS, into=folder / "child")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no AddressSanitizer for {python}: {error}")
    log = folder / "log"
    environment = {
        **fork_server_client._environment(0),
        "LD_PRELOAD": library,
        # Python itself does not free all memory at exit.
        "ASAN_OPTIONS": f"detect_leaks=0:log_path={log}",
        "UBSAN_OPTIONS": f"log_path={log}",
        "PYTHONMALLOC": "malloc",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fork_server_client, "FOLDER", folder)
        patch.setattr(fork_server_client, "_environment", lambda seed: environment)
        # The sanitizer needs more than the sandbox allows.
        with PythonRecorder(
            python=python, backend="core", sandbox=Sandbox(frozenset())
        ) as recorder:
            yield recorder, folder


def assert_no_errors(folder: Path) -> None:
    """Assert that the sanitizer has logged nothing."""
    logs = [path.read_text() for path in folder.glob("log.*")]
    assert not logs, logs[0]


def test_the_sample_programs_cause_no_memory_error(checked: tuple[PythonRecorder, Path]) -> None:
    recorder, folder = checked
    with PythonRecorder(
        python=recorder._python, backend="settrace", sandbox=Sandbox(frozenset())
    ) as reference:
        for name in share_of(NAMES, recorder._python):
            # The sanitizer changes how deep calls from C can be, and what fits into memory.
            if name not in ("recursion_limit", "huge_int"):
                trace = recorder.record(read_program(name), limits=LIMITS)
                assert_no_errors(folder)
                assert body(trace) == body(reference.record(read_program(name), limits=LIMITS))


def test_changes_of_values_cause_no_memory_error(checked: tuple[PythonRecorder, Path]) -> None:
    recorder, folder = checked
    lines = [
        f"        try:\n            {change.replace('; ', chr(10) + ' ' * 12)}\n"
        "        except Exception:\n            pass\n"
        for change in (*CHANGES, *reversed(CHANGES))
    ]
    source = (
        "from collections import deque\n"
        "class Thing:\n    pass\n"
        "def use():\n"
        "    x, y, s, z = [[0], 2, 'c', None], {}, {1, 'b'}, None\n"
        "    for i in range(4):\n" + "".join(lines) + "    return x\n"
    )
    trace = recorder.record(Program(source, "use()"), limits=LIMITS)
    assert_no_errors(folder)
    assert trace.ending.reason == "finished"


def test_threads_cause_no_memory_error(checked: tuple[PythonRecorder, Path]) -> None:
    recorder, folder = checked
    source = (
        "import threading\n"
        "class Own:\n    def __repr__(self):\n        return 'Own()'\n"
        "def work(items):\n"
        "    for i in range(30):\n        items.append((i, Own()))\n        items = items[-5:]\n"
        "def use():\n"
        "    made = [threading.Thread(target=work, args=([],)) for _ in range(4)]\n"
        "    [thread.start() for thread in made]\n"
        "    [thread.join() for thread in made]\n"
    )
    with PythonRecorder(
        python=recorder._python, has_threads=True, sandbox=Sandbox(frozenset())
    ) as with_threads:
        trace = with_threads.record(Program(source, "use()"), limits=LIMITS)
    assert_no_errors(folder)
    assert trace.ending.reason == "finished"
    assert {step.thread for step in trace.steps} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    "limits", [Limits(steps=40), Limits(trace_mb=1), Limits(value_chars=5), Limits(seconds=2)]
)
def test_limits_cause_no_memory_error(checked: tuple[PythonRecorder, Path], limits: Limits) -> None:
    recorder, folder = checked
    source = (
        "def use():\n"
        "    text, items = '\\N{SNOWMAN}' * 5_000, {}\n"
        "    while True:\n"
        "        text += '\\\\\"'\n"
        "        items[len(text)] = [text, -1.5, b'x' * 99]\n"
    )
    all_limits = Limits(
        memory_mb=10**9,
        steps=limits.steps,
        trace_mb=limits.trace_mb,
        value_chars=limits.value_chars,
        seconds=limits.seconds,
    )
    trace = recorder.record(Program(source, "use()"), limits=all_limits)
    assert_no_errors(folder)
    assert trace.ending.reason in ("step_limit", "trace_limit", "time_limit")


def test_a_memory_error_would_be_detected(checked: tuple[PythonRecorder, Path]) -> None:
    recorder, folder = checked
    # A write beyond the end of a block that the sanitizer checks.
    source = (
        "import ctypes, os\n"
        "def use():\n"
        "    block = ctypes.create_string_buffer(16)\n"
        "    libc = ctypes.CDLL(None)\n"
        "    libc.malloc.restype = ctypes.c_void_p\n"
        "    place = libc.malloc(16)\n"
        "    ctypes.memset(place, 0, 17)\n"
    )
    trace = recorder.record(Program(source, "use()"), limits=LIMITS)
    assert trace.ending.reason == "killed"
    logs = list(folder.glob("log.*"))
    assert logs
    assert "heap-buffer-overflow" in logs[0].read_text()
    for path in logs:
        os.unlink(path)
