"""Resources of the sandbox: nothing is left behind, and TMPDIR is obeyed."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from worldline.core.errors import SandboxError
from worldline.languages.sandbox import control_groups, launch_command
from worldline.languages.sandbox.control_groups import remove_abandoned_groups

UNCLOSED = """
import os
from worldline import Program, PythonRecorder
recorder = PythonRecorder()
print(recorder.record(Program("def f():\\n    return 1\\n", "f()")).result)
groups = recorder._server._launch._control_groups
print(*(groups._folders if groups else ()))
print(os.listdir(os.environ["TMPDIR"]))
"""


def ended_process() -> int:
    """The id of a process that has ended."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_groups_of_ended_processes_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_groups, "ROOT", tmp_path)
    ended = ended_process()
    names = [f"worldline-{ended}-0123abcd", f"worldline-{os.getpid()}-0123abcd", "worldline-mine"]
    for name in names:
        (tmp_path / "memory" / name).mkdir(parents=True)
    remove_abandoned_groups(seconds=60)
    assert len(list((tmp_path / "memory").iterdir())) == 3
    os.utime(tmp_path / "memory" / names[0], (time.time() - 61,) * 2)
    remove_abandoned_groups(seconds=60)
    assert {path.name for path in (tmp_path / "memory").iterdir()} == set(names[1:])


def test_a_new_group_of_another_container_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_groups, "ROOT", tmp_path)
    own = control_groups._process_namespace()
    names = [f"worldline-{ended_process()}-0123abcd-{namespace}" for namespace in (own, "1", "2")]
    for name in names:
        (tmp_path / "memory" / name).mkdir(parents=True)
    os.utime(tmp_path / "memory" / names[2], (time.time() - 61,) * 2)
    remove_abandoned_groups()
    assert [path.name for path in (tmp_path / "memory").iterdir()] == [names[1]]


def test_a_group_with_processes_is_awaited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_groups, "ROOT", tmp_path)
    group = tmp_path / "pids" / f"worldline-{ended_process()}-0123abcd"
    # A folder that is not empty is as busy as a group with a process.
    (group / "busy").mkdir(parents=True)
    remove_abandoned_groups(timeout=0.1)
    assert group.exists()


@pytest.fixture
def reachable_folder() -> Path:
    """A temporary folder that every user can enter."""
    folder = Path(tempfile.mkdtemp(dir="/var/tmp"))
    folder.chmod(0o755)
    return folder


def test_the_staging_folder_is_in_tmpdir(
    reachable_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(reachable_folder))
    staging = Path(launch_command._make_staging_folder())
    assert staging.parent == reachable_folder
    staging.rmdir()
    # The unprivileged user could not reach it there.
    reachable_folder.chmod(0o700)
    staging = Path(launch_command._make_staging_folder())
    assert staging.parent != reachable_folder
    staging.rmdir()
    reachable_folder.rmdir()


def test_without_any_folder_tmpdir_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*, prefix: str, dir: str) -> str:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(tempfile, "mkdtemp", refuse)
    with pytest.raises(SandboxError, match=r"Read-only file system.*name another in TMPDIR"):
        launch_command._make_staging_folder()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has a staging folder and control groups")
def test_a_recorder_that_is_not_closed_leaves_nothing(reachable_folder: Path) -> None:
    environment = dict(os.environ) | {"TMPDIR": str(reachable_folder)}
    process = subprocess.run(
        [sys.executable, "-c", UNCLOSED], env=environment, capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    result, groups, during = process.stdout.splitlines()
    assert result == "1"
    # The folder is needed only while the interpreter starts.
    assert during == "[]"
    assert [group for group in groups.split() if Path(group).exists()] == []
    reachable_folder.rmdir()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has control groups")
def test_a_recorder_that_is_killed_leaves_no_groups() -> None:
    script = UNCLOSED.replace("print(os.listdir", "sys.stdout.flush(); time.sleep(600)  # ")
    process = subprocess.Popen(
        [sys.executable, "-c", f"import sys, time\n{script}"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "1\n"
    groups = [Path(name) for name in process.stdout.readline().split()]
    assert all(group.exists() for group in groups)
    process.kill()
    process.communicate()
    end = time.monotonic() + 30
    while any(group.exists() for group in groups) and time.monotonic() < end:
        time.sleep(0.1)
    assert [group for group in groups if group.exists()] == []
