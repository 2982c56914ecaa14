"""The package as it is installed, with and without a C compiler."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.pythons import NEEDED
from tests.recorders.methods import ROOT

SAY = """
from worldline import Program, PythonRecorder
with PythonRecorder() as recorder:
    trace = recorder.record(Program("def f(x):\\n    y = [x]\\n    return y\\n", "f(2)"))
print(recorder.method, trace.origin.recorder, len(trace.steps), trace.result)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What an install from source starts from: nothing that was built in place."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder / name)
    left = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "src", folder / "src", ignore=left)
    return folder


def wheel_of(checkout: Path, folder: Path, compiler: str | None) -> Path:
    """Build a wheel as pip does."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    environment = dict(os.environ) | ({} if compiler is None else {"CC": compiler})
    subprocess.run([*command, str(checkout), "-w", str(folder)], env=environment, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def said_by(wheel: Path, folder: Path, sandbox: str = "full") -> str:
    """What a recorder of the installed package says, beside nothing but what it depends on."""
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(folder)
    for name in NEEDED:
        found = __import__(name).__file__
        assert found is not None
        path = Path(found)
        path = path.parent if path.name == "__init__.py" else path
        (folder / path.name).symlink_to(path)
    command = [sys.executable, "-S", "-c", SAY]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder)}
    environment["WORLDLINE_SANDBOX"] = sandbox
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
def test_with_a_compiler(checkout: Path, tmp_path: Path) -> None:
    wheel = wheel_of(checkout, tmp_path, None)
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert f"-{version}-{version}-linux_" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    built = [name for name in names if name.endswith((".so", ".c", ".h"))]
    assert [name.partition(".cpython-")[0].rpartition("/inner/")[2] for name in built] == [
        "_core",
        "_jail",
    ]
    assert said_by(wheel, tmp_path / "installed") == "core core 7 [2]"


def test_without_a_compiler(checkout: Path, tmp_path: Path) -> None:
    wheel = wheel_of(checkout, tmp_path, "/nowhere/cc")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]
    said = said_by(wheel, tmp_path / "installed", "reduced")
    assert said == "settrace settrace 7 [2]"
