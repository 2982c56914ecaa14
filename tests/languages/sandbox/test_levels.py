"""Levels of the sandbox: which attacks succeed at each, by test and as the documentation says."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.languages.sandbox.attacks import ATTACKS
from tests.languages.sandbox.battery import build_syscall_module
from tests.languages.sandbox.level_attacks import SUCCESSFUL_IN_CONTAINERS, run_attacks
from tests.support.configurations import CONTAINER
from tests.support.paths import DOCS_FOLDER, PROJECT_ROOT
from worldline.core.errors import SandboxError
from worldline.languages.sandbox import CONTAINER_LAYERS, LEVELS, Sandbox, default_sandbox
from worldline.languages.sandbox.interpreter_files import leave_out
from worldline.languages.sandbox.policy import OWN_ID
from worldline.languages.sandbox.seccomp_filter import build_seccomp_filter

USER = 64_000
# Records a program that forks and then sleeps.
RECORD = """
from worldline import Program, PythonRecorder
from worldline.core.trace import Limits
source = "import os, time\\ndef f():\\n    os.fork()\\n    time.sleep(600)\\n"
PythonRecorder().record(Program(source, "f()"), limits=Limits(seconds=600))
"""
# Starts such a recorder, kills it, and counts the processes of its interpreter before and after.
KILL_RECORDER = """
import subprocess, sys, time
from pathlib import Path

def wait_for(count):
    for _ in range(600):
        lines = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline")]
        # Not as one word: it would be found in the command line of this script, too.
        found = sum(b"child." + b"fork_server" in line for line in lines)
        if found == count:
            break
        time.sleep(0.1)
    return found

recorder = subprocess.Popen([sys.executable, "-c", sys.argv[1]])
before = wait_for(3)
recorder.kill()
recorder.wait()
print(f"{before} processes, then {wait_for(0)}")
"""
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can imitate a container")


@pytest.fixture(scope="module")
def modules() -> Iterator[Path]:
    """A folder with the extension module of the attacks that all containers can read."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        build_syscall_module(Path(folder))
        os.chmod(folder, 0o755)
        yield Path(folder)


@needs_root
@pytest.mark.parametrize("user", [0, USER], ids=["root", "user"])
def test_the_attacks_that_succeed_in_a_container(user: int, modules: Path) -> None:
    count, successful = run_attacks("container", [], user=user, modules=modules)
    assert count == len(ATTACKS)
    assert successful == SUCCESSFUL_IN_CONTAINERS


@needs_root
@pytest.mark.parametrize("user", [0, USER], ids=["root", "user"])
def test_an_old_landlock_stops_the_same_attacks(user: int, modules: Path) -> None:
    kinds = ["read", "write", "process", "crash"]
    _, successful = run_attacks("container", [*kinds, "--landlock=1"], user=user, modules=modules)
    assert successful == SUCCESSFUL_IN_CONTAINERS


@needs_root
def test_processes_that_are_left_are_noticed(modules: Path) -> None:
    name = "a child that lives on"
    options = ["hang", f"--attack={name}", "--without=seccomp"]
    assert run_attacks("container", options, user=USER, modules=modules) == (1, {("hang", name)})


@needs_root
@pytest.mark.parametrize("user", [0, USER], ids=["root", "user"])
def test_no_process_outlives_a_recorder_that_is_killed(user: int) -> None:
    command = [sys.executable, str(CONTAINER), "--user", f"{user}:{user}", "--"]
    done = subprocess.run(
        [*command, sys.executable, "-c", KILL_RECORDER, RECORD],
        env={**os.environ, "WORLDLINE_SANDBOX": "container"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stdout == "3 processes, then 0\n", done.stderr


def test_the_documentation_names_the_attacks_that_succeed() -> None:
    page = (DOCS_FOLDER / "explanation" / "sandbox.md").read_text(encoding="utf-8")
    row = re.search(r"^\| `container` \| (\d+) \| (.+) \|$", page, re.MULTILINE)
    assert row is not None
    assert int(row[1]) == len(SUCCESSFUL_IN_CONTAINERS)
    assert set(row[2].split("; ")) == {name for _, name in SUCCESSFUL_IN_CONTAINERS}
    for path in (DOCS_FOLDER / "explanation" / "sandbox.md", PROJECT_ROOT / "SECURITY.md"):
        assert f"{len(ATTACKS)} attacks" in path.read_text(encoding="utf-8")


def test_levels_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for level in LEVELS:
        monkeypatch.setenv("WORLDLINE_SANDBOX", level)
        assert default_sandbox().level == level
    assert Sandbox.of_level("container").layers == CONTAINER_LAYERS
    monkeypatch.setenv("WORLDLINE_SANDBOX", "none")
    with pytest.raises(SandboxError, match="it can be full, container or reduced"):
        default_sandbox()


def test_hidden_files_are_left_out_of_readable_paths(tmp_path: Path) -> None:
    for name in ("lib/json/decoder.py", "lib/dynload/_ctypes.so", "lib/dynload/_json.so", "x/y"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "lib" / "link").symlink_to("/etc")
    whole, divided = leave_out(
        [str(tmp_path / "lib"), str(tmp_path / "x")], [str(tmp_path / "lib/dynload/_ctypes.so")]
    )
    assert sorted(Path(path).relative_to(tmp_path).as_posix() for path in whole) == [
        "lib/dynload/_json.so", "lib/json", "x",
    ]  # fmt: skip
    assert [Path(path).name for path in divided] == ["lib", "dynload"]


def test_the_filter_has_a_place_for_the_process_id_only_where_signals_need_it() -> None:
    own_id = OWN_ID.to_bytes(4, sys.byteorder)
    assert own_id not in build_seccomp_filter(in_bubblewrap=False)
    assert own_id in build_seccomp_filter(in_bubblewrap=False, are_signals_confined=False)
