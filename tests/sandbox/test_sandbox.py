"""The sandbox as its users see it: what holds here, what a trace says of it, what it needs."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.cli import main
from worldline.errors import SandboxError
from worldline.recorders import PythonRecorder, asking, check_holding
from worldline.sandbox import LAYERS, NEEDED, Sandbox
from worldline.sandbox.filter import call_filter
from worldline.sandbox.policy import ALLOWED, DEADLY, FAILING, PARTLY
from worldline.trace import Ending, Limits, Program


def test_what_holds_is_said() -> None:
    found = list(check_holding())
    assert [each.layer for each in found] == list(LAYERS)
    assert all(each.holds for each in found if each.layer in NEEDED), found
    result = CliRunner().invoke(main, ["sandbox", "check"])
    assert result.exit_code == 0
    assert result.output.count("  yes  ") >= len(NEEDED)
    assert "programs are held here" in result.output
    as_json = json.loads(CliRunner().invoke(main, ["sandbox", "check", "--json"]).output)
    assert as_json["holds"] is True


def test_what_does_not_hold_is_said_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = CliRunner().invoke(main, ["sandbox", "check"])
    assert result.exit_code == 1
    assert "  no   bubblewrap" in result.output
    assert "apt install bubblewrap" in result.output
    # The other layers hold without it, and are tried.
    assert "  yes  seccomp" in result.output
    assert "worldline --sandbox reduced" in result.output


def test_reduced_is_asked_for_and_stamped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "p.py"
    file.write_text("def f():\n    return open('/etc/passwd').read()[:4]\n")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("WORLDLINE_SANDBOX", "full")
    words = ["record", str(file), "--call", "f()"]
    refused = CliRunner().invoke(main, words)
    assert refused.exit_code == 2
    assert "bubblewrap is not here" in refused.output
    found = CliRunner().invoke(main, ["--sandbox", "reduced", *words])
    assert found.exit_code == 0
    assert "note: reduced sandbox: without bubblewrap, control groups, namespaces, disk" in (
        found.output
    )
    # Landlock holds even so.
    assert "PermissionError" in found.output
    monkeypatch.setenv("WORLDLINE_SANDBOX", "none")
    with pytest.raises(SandboxError, match="WORLDLINE_SANDBOX is 'none'"):
        PythonRecorder()


def test_endings_have_names_of_their_own() -> None:
    bodies = {
        "finished": "return 1",
        "raised": "raise ValueError",
        "exited": "sys.exit(3)",
        "step_limit": "while True: x = 1",
        "time_limit": "time.sleep(60)",
        "memory_limit": "x = bytearray(4 << 30)",
        "output_limit": "while True: os.write(1, b'x' * 100_000)",
        "killed": "os.abort()",
    }
    with PythonRecorder() as recorder:
        for reason, body in bodies.items():
            program = Program(f"import os, sys, time\ndef f():\n    {body}\n", "f()")
            limits = Limits(seconds=2, steps=100_000 if reason == "output_limit" else 2_000)
            assert recorder.record(program, limits=limits).ending.reason == reason


def test_a_forbidden_call_is_one() -> None:
    if not hasattr(os, "unshare"):
        program = Program("import os\ndef f():\n    os.chroot('.')\n", "f()")
    else:
        program = Program("import os\ndef f():\n    os.unshare(0x20000)\n", "f()")
    with PythonRecorder() as recorder:
        ending = recorder.record(program).ending
    assert ending == Ending("forbidden_call", "a call to the kernel that no program needs")


def test_each_program_finds_an_empty_disk_and_no_company() -> None:
    program = Program(
        "import os\ndef f():\n    open('left', 'w').write('x')\n"
        "    return os.listdir(), os.getpid(), os.getppid()\n",
        "f()",
    )
    with PythonRecorder() as recorder:
        found = {recorder.record(program).result for _ in range(3)}
    assert found == {"(['left'], 2, 1)"}


def test_what_programs_need_works() -> None:
    bodies = {
        "3": "import asyncio\n    async def g():\n        await asyncio.sleep(0.01)\n        return 3\n"
        "    return asyncio.run(g())",
        "[0, 1, 4]": "from concurrent.futures import ThreadPoolExecutor\n"
        "    return list(ThreadPoolExecutor(3).map(lambda n: n * n, range(3)))",
        "'x'": "import tempfile\n    with tempfile.TemporaryFile('w+') as file:\n"
        "        file.write('x'); file.seek(0)\n        return file.read()",
        "(0, 7)": "import os\n    pid = os.fork()\n    if pid == 0: os._exit(7)\n"
        "    status = os.waitpid(pid, 0)[1]\n    return os.WTERMSIG(status), os.WEXITSTATUS(status)",
        "5": "import sqlite3\n    return sqlite3.connect('x.db').execute('select 2 + 3').fetchone()[0]",
        "8": "import random, uuid, hashlib, datetime, decimal, json, re, collections, itertools\n"
        "    return len(uuid.uuid4().hex[:8])",
    }
    with PythonRecorder() as recorder:
        for result, body in bodies.items():
            trace = recorder.record(
                Program(f"def f():\n    {body}\n", "f()"), limits=Limits(seconds=60)
            )
            assert trace.result == result, trace.ending


def test_a_folder_to_import_from_is_there_and_cannot_be_changed(tmp_path: Path) -> None:
    (tmp_path / "helper.py").write_text("def help(): return 'helped'\n")
    source = (
        "import helper, os\ndef f():\n    try:\n        open('new', 'w')\n"
        "    except OSError as error:\n        return helper.help(), type(error).__name__, os.getcwd()\n"
    )
    with PythonRecorder(import_from=[tmp_path]) as recorder:
        result = recorder.record(Program(source, "f()")).result
    assert result is not None
    assert result.startswith("('helped', '")
    assert result.endswith(f", {str(tmp_path)!r})")
    assert os.listdir(tmp_path) == ["helper.py"]


def test_an_environment_may_lie_in_the_folder_of_the_program(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "e")], check=True)
    (tmp_path / "helper.py").write_text("def help(): return 'helped'\n")
    program = Program("import helper, sys\ndef f(): return helper.help(), sys.prefix\n", "f()")
    # For the other user, where root runs this.
    tmp_path.chmod(0o755)
    python = str(tmp_path / "e" / "bin" / "python3")
    with PythonRecorder(python=python, import_from=[tmp_path]) as recorder:
        assert recorder.record(program).result == repr(("helped", str(tmp_path / "e")))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives its rights up")
def test_what_only_root_can_read_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(SandboxError, match=f"cannot read {tmp_path}: chmod o\\+rX"):
        PythonRecorder(import_from=[tmp_path]).method  # noqa: B018


def test_the_policy_names_each_call_once() -> None:
    names = [*ALLOWED, *DEADLY, *FAILING, *{name for name, *_ in PARTLY}]
    assert len(names) == len(set(names))
    # Eight bytes an instruction, no more of them than the kernel takes.
    assert 0 < len(call_filter()) // 8 <= 4096
    assert len(call_filter()) % 8 == 0
    assert call_filter("execve") != call_filter()


def test_layers_that_are_switched_off_are_not_there() -> None:
    with PythonRecorder(sandbox=Sandbox(frozenset({"limits"}))) as recorder:
        assert recorder.layers == {"limits"}
        trace = recorder.record(Program("import os\ndef f():\n    return os.getuid()\n", "f()"))
    assert trace.result == str(os.getuid())


def test_a_kernel_without_landlock_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    boot = asking._BOOT.replace("LANDLOCK, flush", "0, flush")
    assert boot != asking._BOOT
    monkeypatch.setattr(asking, "_BOOT", boot)
    with pytest.raises(SandboxError, match="the sandbox has no landlock"):
        PythonRecorder().method  # noqa: B018
    with PythonRecorder(sandbox=Sandbox(is_reduced=True)) as recorder:
        trace = recorder.record(Program("def f():\n    return 1\n", "f()"))
    assert (trace.result, trace.notes) == ("1", ("reduced sandbox: without landlock",))


def test_what_cannot_be_started_leaves_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[str] = []
    make = tempfile.mkdtemp

    def make_and_tell(**how: str) -> str:
        made.append(make(**how))
        return made[-1]

    def left() -> tuple[list[Path], int]:
        groups = sorted(Path("/sys/fs/cgroup").glob(f"*/worldline-{os.getpid()}-*"))
        return groups, len(os.listdir("/proc/self/fd"))

    monkeypatch.setattr(tempfile, "mkdtemp", make_and_tell)
    # A folder for temporary files that the other user cannot see into is no hindrance.
    tmp_path.chmod(0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with PythonRecorder():
        pass
    before = left()
    # Kept, so that nothing is closed just because nobody holds it any more.
    recorders = [PythonRecorder() for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setenv("PATH", "/nowhere")
        with pytest.raises(SandboxError):
            recorders[0].method  # noqa: B018
    with monkeypatch.context() as patched:
        patched.setattr(asking, "_BOOT", "import sys; sys.exit('no')")
        with pytest.raises(SandboxError, match="no"):
            recorders[1].method  # noqa: B018
    assert left() == before
    assert not any(map(os.path.exists, made))
