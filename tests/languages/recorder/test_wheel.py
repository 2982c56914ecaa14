"""Wheels that are really built: with and without a C compiler, Node.js and the viewer's page."""

import os
import runpy
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from hatch_build import PAGE, SUPPORTED, TRACER, TRACER_FILES
from tests.languages.recorder.methods import ROOT
from tests.support.pythons import NEEDED

release = runpy.run_path(str(ROOT / "scripts" / "release"))
RECORD_SCRIPT = """
from worldline import Program, PythonRecorder
with PythonRecorder() as recorder:
    trace = recorder.record(Program("def f(x):\\n    y = [x]\\n    return y\\n", "f(2)"))
print(recorder.backend, trace.origin.recorder, len(trace.steps), trace.result)
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the source with the viewer's page, and without extensions built in place."""
    if not (ROOT / PAGE).exists():
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip("the viewer's page is not built: scripts/build-viewer")
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder / name)
    if not all((ROOT / TRACER / name).exists() for name in TRACER_FILES):
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip("the JavaScript tracer is not built: scripts/build-javascript")
    built = shutil.ignore_patterns("__pycache__", "*.so", "node_modules")
    shutil.copytree(ROOT / "src", folder / "src", ignore=built)
    (folder / "viewer").mkdir()
    return folder


@pytest.fixture
def checkout_without_page(checkout: Path) -> Iterator[Path]:
    """The same before the viewer's page is built."""
    (checkout / PAGE).rename(checkout / "index.html")
    yield checkout
    (checkout / "index.html").rename(checkout / PAGE)


def build(checkout: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Build a wheel as pip does."""
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q"]
    return subprocess.run(
        [*command, str(checkout), "-w", str(folder)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def build_wheel(checkout: Path, folder: Path, **environment: str) -> Path:
    """Build a wheel that has to succeed."""
    process = build(checkout, folder, **environment)
    assert process.returncode == 0, process.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


def error_of(process: subprocess.CompletedProcess[str]) -> str:
    """The words of what pip prints about a build that failed."""
    assert process.returncode == 1
    return " ".join(process.stderr.split())


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
def test_a_wheel_has_the_page_and_the_extensions(checkout: Path, tmp_path: Path) -> None:
    wheel = build_wheel(checkout, tmp_path)
    this = f"{sys.version_info[0]}.{sys.version_info[1]}"
    release["check_wheel"](zipfile.ZipFile(wheel).namelist(), versions=[this])
    names = zipfile.ZipFile(wheel).namelist()
    assert not [name for name in names if name.endswith((".c", ".h"))]
    built = {name.rpartition("/child/")[2] for name in names if name.endswith(".so")}
    tag = f"cp{this.replace('.', '')}"
    if len(built) == 3 * len(SUPPORTED):  # other Pythons with headers are on PATH
        tag = "py3"
    assert f"-{tag}-{tag if tag != 'py3' else 'none'}-linux_" in wheel.name
    assert not list((checkout / "src").rglob("*.so"))
    assert record_with_wheel(wheel, tmp_path / "installed") == "core core 7 [2]"


def test_a_build_without_a_compiler_says_what_to_install(checkout: Path, tmp_path: Path) -> None:
    error = error_of(build(checkout, tmp_path, CC="/nowhere/cc"))
    assert "No such file or directory: '/nowhere/cc'" in error
    assert "apt install gcc python3-dev" in error
    assert "WORLDLINE_BUILD_WITHOUT=extensions" in error


def test_a_wheel_without_extensions_records_in_python(checkout: Path, tmp_path: Path) -> None:
    wheel = build_wheel(checkout, tmp_path, CC="/nowhere/cc", WORLDLINE_BUILD_WITHOUT="extensions")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]
    output = record_with_wheel(wheel, tmp_path / "installed", "reduced")
    assert output == "settrace settrace 7 [2]"
    with pytest.raises(subprocess.CalledProcessError) as refused:
        record_with_wheel(wheel, tmp_path / "again")
    assert "installed without its C extensions" in refused.value.stderr


def add_program(folder: Path, name: str, script: str) -> None:
    """Write a shell script that stands in for a program."""
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


@pytest.mark.parametrize(
    ("programs", "reason"),
    [
        ({}, "Node.js is not installed"),
        ({"node": "echo v20.1.0"}, "npm is not installed"),
        ({"node": "echo v18.19.0", "npm": "exit 0"}, "Node.js v18.19.0 is too old"),
        ({"node": "echo v20.1.0", "npm": "exit 3"}, "returned non-zero exit status 3"),
    ],
)
def test_a_build_without_node_says_what_to_install(
    checkout_without_page: Path, tmp_path: Path, programs: dict[str, str], reason: str
) -> None:
    for name, line in programs.items():
        add_program(tmp_path, name, line)
    error = error_of(build(checkout_without_page, tmp_path, PATH=str(tmp_path)))
    assert reason in error
    assert "Install Node.js 20" in error
    assert "WORLDLINE_BUILD_WITHOUT=page" in error


def test_the_page_is_built_with_npm(checkout_without_page: Path, tmp_path: Path) -> None:
    page = checkout_without_page / PAGE
    add_program(tmp_path, "node", "echo v20.1.0")
    add_program(tmp_path, "npm", f'echo "$1" >> calls\necho page > {page}')
    path = f"{tmp_path}:{os.environ['PATH']}"
    wheel = build_wheel(
        checkout_without_page, tmp_path, PATH=path, WORLDLINE_BUILD_WITHOUT="extensions"
    )
    assert (checkout_without_page / "viewer" / "calls").read_text().split() == ["ci", "run"]
    name = PAGE.relative_to("src").as_posix()
    assert zipfile.ZipFile(wheel).read(name) == b"page\n"


def test_unknown_parts_are_refused(checkout: Path, tmp_path: Path) -> None:
    error = error_of(build(checkout, tmp_path, WORLDLINE_BUILD_WITHOUT="pages"))
    assert (
        "WORLDLINE_BUILD_WITHOUT can be some of extensions, page, javascript, not 'pages'" in error
    )
