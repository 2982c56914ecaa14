"""A recorder that works in C or in Python, for whichever interpreter, built where it has to be."""

import os
import runpy
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from worldline.recorders import Method, PythonRecorder

ROOT = Path(__file__).parents[2]


build_core: Callable[..., list[Path]] = runpy.run_path(str(ROOT / "hatch_build.py"))["build_core"]
find_python: Callable[[str], str | None] = runpy.run_path(str(ROOT / "scripts" / "gold"))[
    "find_python"
]


@cache
def _built(python: str) -> str | None:
    """Build the core for an interpreter; what is wrong if it cannot be."""
    try:
        build_core(ROOT, python=python, is_kept=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no core for {python}: {error}"
    return None


def python_of(version: str) -> str:
    """The interpreter of that version, with our parts in C; the test is skipped where there is
    none, or no compiler (in CI, it fails)."""
    path = find_python(version)
    if path is None:
        pytest.skip(f"no Python {version} on PATH or in ~/.pyenv/versions")
    need_core(path)
    return path


def need_core(python: str) -> None:
    """See to it that our parts in C are there for an interpreter, if they can be."""
    wrong = None if python == find_python("3.10") else _built(python)
    if wrong is not None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(wrong)


def recorder_of(python: str, method: str, *, has_threads: bool = False) -> PythonRecorder:
    """A recorder of that kind."""
    need_core(python)
    known: Method = "core" if method == "core" else "settrace"
    return PythonRecorder(python=python, method=known, has_threads=has_threads)
