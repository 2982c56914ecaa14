"""Installation of the package with and without a C compiler."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.languages.recorder.methods import ROOT
from tests.support.pythons import NEEDED

RECORD_SCRIPT = """
from worldline import Program, PythonRecorder
with PythonRecorder() as recorder:
    trace = recorder.record(Program("def f(x):\\n    y = [x]\\n    return y\\n", "f(2)"))
print(recorder.backend, trace.origin.recorder, len(trace.steps), trace.result)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source without anything that was built in place."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder / name)
    built = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(ROOT / "src", folder / "src", ignore=built)
    return folder


def build_wheel(checkout: Path, folder: Path, compiler: str | None) -> Path:
    """Build a wheel as pip does."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    environment = dict(os.environ) | ({} if compiler is None else {"CC": compiler})
    subprocess.run([*command, str(checkout), "-w", str(folder)], env=environment, check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def record_with_wheel(wheel: Path, folder: Path, sandbox: str = "full") -> str:
    """Install a wheel and only its dependencies, and print what its recorder records."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    for name in NEEDED:
        file = __import__(name).__file__
        assert file is not None
        path = Path(file)
        path = path.parent if path.name == "__init__.py" else path
        (folder / path.name).symlink_to(path)
    command = [sys.executable, "-S", "-c", RECORD_SCRIPT]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(folder)}
    environment["WORLDLINE_SANDBOX"] = sandbox
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return run.stdout.strip()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="no C compiler")
def test_a_wheel_built_with_a_compiler_has_the_extensions(checkout: Path, tmp_path: Path) -> None:
    wheel = build_wheel(checkout, tmp_path, None)
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    assert f"-{version}-{version}-linux_" in wheel.name
    names = zipfile.ZipFile(wheel).namelist()
    built = [name for name in names if name.endswith((".so", ".c", ".h"))]
    assert [name.partition(".cpython-")[0].rpartition("/child/")[2] for name in built] == [
        "_sandbox_layers",
        "_tracer",
    ]
    assert record_with_wheel(wheel, tmp_path / "installed") == "core core 7 [2]"


def test_a_wheel_built_without_a_compiler_records_in_python(checkout: Path, tmp_path: Path) -> None:
    wheel = build_wheel(checkout, tmp_path, "/nowhere/cc")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]
    output = record_with_wheel(wheel, tmp_path / "installed", "reduced")
    assert output == "settrace settrace 7 [2]"
