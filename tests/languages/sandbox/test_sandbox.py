"""Sandbox as users see it: `worldline sandbox check`, notes in traces, and error messages."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.core.errors import SandboxError
from worldline.core.trace import Ending, Limits, Program
from worldline.interfaces.cli import main
from worldline.languages.python.recorder import PythonRecorder, check_sandbox, fork_server_client
from worldline.languages.sandbox import LAYERS, REQUIRED_LAYERS, Sandbox
from worldline.languages.sandbox.policy import (
    ALLOWED_SYSCALLS,
    ALLOWED_WITH_ARGUMENT,
    FAILING_SYSCALLS,
    FATAL_SYSCALLS,
)
from worldline.languages.sandbox.seccomp_filter import build_seccomp_filter


def test_sandbox_check_reports_the_layers_that_work() -> None:
    statuses = list(check_sandbox())
    assert [status.layer for status in statuses] == list(LAYERS)
    assert all(status.holds for status in statuses if status.layer in REQUIRED_LAYERS), statuses
    result = CliRunner().invoke(main, ["sandbox", "check"])
    assert result.exit_code == 0
    assert result.output.count("  yes  ") >= len(REQUIRED_LAYERS)
    assert "docs/explanation/sandbox.md" in result.output
    as_json = json.loads(CliRunner().invoke(main, ["sandbox", "check", "--format", "json"]).output)
    assert as_json["holds"] is True


def test_sandbox_check_reports_a_missing_layer_with_a_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    result = CliRunner().invoke(main, ["sandbox", "check"])
    assert result.exit_code == 1
    assert "  no   bubblewrap" in result.output
    assert "apt install bubblewrap" in result.output
    # The other layers work without it, and are tested.
    assert "  yes  seccomp" in result.output
    assert "worldline --sandbox " in result.output


def test_a_reduced_sandbox_has_to_be_requested_and_is_noted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "p.py"
    file.write_text("def f():\n    return open('/etc/passwd').read()[:4]\n")
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setenv("WORLDLINE_SANDBOX", "full")
    command = ["record", str(file), "--call", "f()"]
    refused = CliRunner().invoke(main, command)
    assert refused.exit_code == 2
    assert "bubblewrap is not installed: apt install bubblewrap" in refused.output
    reduced = CliRunner().invoke(main, ["--sandbox", "reduced", *command])
    assert reduced.exit_code == 0
    assert "note: reduced sandbox: without bubblewrap, control groups, namespaces, disk" in (
        reduced.output
    )
    # Landlock still works.
    assert "PermissionError" in reduced.output
    monkeypatch.setenv("WORLDLINE_SANDBOX", "none")
    with pytest.raises(SandboxError, match="WORLDLINE_SANDBOX is 'none'"):
        PythonRecorder()


def test_each_ending_has_its_reason() -> None:
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


def test_a_fatal_system_call_is_reported() -> None:
    if not hasattr(os, "unshare"):
        program = Program("import os\ndef f():\n    os.chroot('.')\n", "f()")
    else:
        program = Program("import os\ndef f():\n    os.unshare(0x20000)\n", "f()")
    with PythonRecorder() as recorder:
        ending = recorder.record(program).ending
    assert ending == Ending("forbidden_call", "a system call that no program needs")


def test_each_program_has_its_own_disk_and_processes() -> None:
    program = Program(
        "import os\ndef f():\n    open('left', 'w').write('x')\n"
        "    return os.listdir(), os.getpid(), os.getppid()\n",
        "f()",
    )
    with PythonRecorder() as recorder:
        results = {recorder.record(program).result for _ in range(3)}
    assert results == {"(['left'], 2, 1)"}


def test_common_library_features_work() -> None:
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


def test_a_folder_to_import_from_is_read_only(tmp_path: Path) -> None:
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


def test_a_virtual_environment_may_be_in_the_folder_of_the_program(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "e")], check=True)
    (tmp_path / "helper.py").write_text("def help(): return 'helped'\n")
    program = Program("import helper, sys\ndef f(): return helper.help(), sys.prefix\n", "f()")
    # Root runs programs as an unprivileged user, who has to be able to read it.
    tmp_path.chmod(0o755)
    python = str(tmp_path / "e" / "bin" / "python3")
    with PythonRecorder(python=python, import_from=[tmp_path]) as recorder:
        assert recorder.record(program).result == repr(("helped", str(tmp_path / "e")))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the user")
def test_a_folder_that_only_root_can_read_is_reported(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(SandboxError, match=f"cannot read {tmp_path}: chmod o\\+rX"):
        PythonRecorder(import_from=[tmp_path]).backend  # noqa: B018


def test_the_policy_lists_each_system_call_once() -> None:
    names = [
        *ALLOWED_SYSCALLS,
        *FATAL_SYSCALLS,
        *FAILING_SYSCALLS,
        *{name for name, *_ in ALLOWED_WITH_ARGUMENT},
    ]
    assert len(names) == len(set(names))
    # An instruction has eight bytes; the kernel accepts up to 4096 instructions.
    assert 0 < len(build_seccomp_filter()) // 8 <= 4096
    assert len(build_seccomp_filter()) % 8 == 0
    assert build_seccomp_filter("execve") != build_seccomp_filter()


def test_layers_can_be_switched_off() -> None:
    with PythonRecorder(sandbox=Sandbox(frozenset({"limits"}))) as recorder:
        assert recorder.layers == {"limits"}
        trace = recorder.record(Program("import os\ndef f():\n    return os.getuid()\n", "f()"))
    assert trace.result == str(os.getuid())


def test_a_kernel_without_landlock_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    script = fork_server_client._START_SCRIPT.replace("LANDLOCK, flush", "0, flush")
    assert script != fork_server_client._START_SCRIPT
    monkeypatch.setattr(fork_server_client, "_START_SCRIPT", script)
    with pytest.raises(SandboxError, match="the sandbox has no landlock"):
        PythonRecorder().backend  # noqa: B018
    with PythonRecorder(sandbox=Sandbox(allow_reduced=True)) as recorder:
        trace = recorder.record(Program("def f():\n    return 1\n", "f()"))
    assert (trace.result, trace.notes) == ("1", ("reduced sandbox: without landlock",))


def test_a_failed_start_leaves_no_resources(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folders: list[str] = []
    mkdtemp = tempfile.mkdtemp

    def list_folder(**options: str) -> str:
        folders.append(mkdtemp(**options))
        return folders[-1]

    def used_resources() -> tuple[list[Path], int]:
        groups = sorted(Path("/sys/fs/cgroup").glob(f"*/worldline-{os.getpid()}-*"))
        return groups, len(os.listdir("/proc/self/fd"))

    monkeypatch.setattr(tempfile, "mkdtemp", list_folder)
    # The unprivileged user does not need access to the folder for temporary files.
    tmp_path.chmod(0o700)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with PythonRecorder():
        pass
    before = used_resources()
    # Keep references, so that the garbage collector closes nothing.
    recorders = [PythonRecorder() for _ in range(2)]
    with monkeypatch.context() as patched:
        patched.setenv("PATH", "/nowhere")
        with pytest.raises(SandboxError):
            recorders[0].backend  # noqa: B018
    with monkeypatch.context() as patched:
        patched.setattr(fork_server_client, "_START_SCRIPT", "import sys; sys.exit('no')")
        with pytest.raises(SandboxError, match="no"):
            recorders[1].backend  # noqa: B018
    assert used_resources() == before
    assert not any(map(os.path.exists, folders))
