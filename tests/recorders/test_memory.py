"""The recorder in C under AddressSanitizer: all sample programs, and some that fight it."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.recorders.methods import ROOT, build_core, python_of
from tests.recorders.same import body
from tests.recorders.test_conformance import NAMES, read_program
from tests.recorders.test_core import CHANGES
from worldline.recorders import PythonRecorder, asking
from worldline.sandbox import Sandbox
from worldline.trace import Limits, Program

FLAGS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-O1"]
# It maps terabytes to keep its books in; nothing of that is used.
LIMITS = Limits(memory_mb=10**9, seconds=120, steps=3_000)


@pytest.fixture(scope="module", params=["3.11", "3.12", "3.13"])
def checked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[PythonRecorder, Path]]:
    """A recorder whose core stops at the first wrong access, and where it would say so."""
    python, folder = python_of(request.param), tmp_path_factory.mktemp("checked")
    where = ["gcc", "-print-file-name=libasan.so"]
    try:
        library = subprocess.run(where, capture_output=True, text=True, check=True).stdout.strip()
        shutil.copytree(ROOT / "src/worldline/recorders/inner", folder / "inner")
        for built in (folder / "inner").glob("_*.so"):
            built.unlink()
        build_core(ROOT, python=python, flags=FLAGS, into=folder / "inner")
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no AddressSanitizer for {python}: {error}")
    said = folder / "said"
    environment = {
        **asking._environment(0),
        "LD_PRELOAD": library,
        # Python itself leaves what it has at its end.
        "ASAN_OPTIONS": f"detect_leaks=0:log_path={said}",
        "UBSAN_OPTIONS": f"log_path={said}",
        "PYTHONMALLOC": "malloc",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asking, "FOLDER", folder)
        patch.setattr(asking, "_environment", lambda seed: environment)
        # The sanitizer asks for more than any program is given.
        with PythonRecorder(python=python, method="core", sandbox=Sandbox(frozenset())) as recorder:
            yield recorder, folder


def assert_silent(folder: Path) -> None:
    """Nothing was wrong."""
    said = [path.read_text() for path in folder.glob("said.*")]
    assert not said, said[0]


def test_the_sample_programs(checked: tuple[PythonRecorder, Path]) -> None:
    recorder, folder = checked
    with PythonRecorder(
        python=recorder._python, method="settrace", sandbox=Sandbox(frozenset())
    ) as reference:
        for name in NAMES:
            # How deep calls from C can be, and what fits into memory, is another matter here.
            if name not in ("recursion_limit", "huge_int"):
                trace = recorder.record(read_program(name), limits=LIMITS)
                assert_silent(folder)
                assert body(trace) == body(reference.record(read_program(name), limits=LIMITS))


def test_every_change(checked: tuple[PythonRecorder, Path]) -> None:
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
    assert_silent(folder)
    assert trace.ending.reason == "finished"


def test_threads(checked: tuple[PythonRecorder, Path]) -> None:
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
    assert_silent(folder)
    assert trace.ending.reason == "finished"
    assert {step.thread for step in trace.steps} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize(
    "limits", [Limits(steps=40), Limits(trace_mb=1), Limits(value_chars=5), Limits(seconds=2)]
)
def test_limits(checked: tuple[PythonRecorder, Path], limits: Limits) -> None:
    recorder, folder = checked
    source = (
        "def use():\n"
        "    text, items = '\\N{SNOWMAN}' * 5_000, {}\n"
        "    while True:\n"
        "        text += '\\\\\"'\n"
        "        items[len(text)] = [text, -1.5, b'x' * 99]\n"
    )
    given = Limits(
        memory_mb=10**9,
        steps=limits.steps,
        trace_mb=limits.trace_mb,
        value_chars=limits.value_chars,
        seconds=limits.seconds,
    )
    trace = recorder.record(Program(source, "use()"), limits=given)
    assert_silent(folder)
    assert trace.ending.reason in ("step_limit", "trace_limit", "time_limit")


def test_a_wrong_access_would_be_seen(checked: tuple[PythonRecorder, Path]) -> None:
    recorder, folder = checked
    # Beyond its end, in memory that the sanitizer watches too.
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
    said = list(folder.glob("said.*"))
    assert said
    assert "heap-buffer-overflow" in said[0].read_text()
    for path in said:
        os.unlink(path)
