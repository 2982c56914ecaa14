"""Recorders in C or in Python for any interpreter; the C extensions are built if needed."""

import os
import runpy
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TypeVar

import pytest

from tests.support.paths import PROJECT_ROOT
from tests.support.tiers import IS_COMPLETE
from worldline.languages.python.recorder import Backend, PythonRecorder

ROOT = PROJECT_ROOT
# Versions of Python for which there is a tracer in C.
VERSIONS = ("3.11", "3.12", "3.13")
Item = TypeVar("Item")

build_extensions: Callable[..., list[Path]] = runpy.run_path(str(ROOT / "hatch_build.py"))[
    "build_extensions"
]
find_python: Callable[[str], str | None] = runpy.run_path(str(ROOT / "scripts" / "gold"))[
    "find_python"
]


@cache
def _build_error(python: str) -> str | None:
    """Build the C extensions for an interpreter; returns the error message if that fails."""
    try:
        build_extensions(ROOT, python=python, keep_newer=True)
    except (OSError, subprocess.CalledProcessError) as error:
        return f"the C extensions cannot be built for {python}: {error}"
    return None


def python_of(version: str) -> str:
    """The interpreter of that version, with the C extensions built for it.

    The test is skipped if there is no such interpreter, or no compiler (in CI, it fails then).
    """
    path = find_python(version)
    if path is None:
        pytest.skip(f"no Python {version} on PATH or in ~/.pyenv/versions")
    require_extensions(path)
    return path


def share_of(items: Sequence[Item], python: str) -> Sequence[Item]:
    """A third of the items, another third for each interpreter: together they are all.

    With WORLDLINE_TEST_ALL=1, all items for every version.
    """
    if IS_COMPLETE:
        return items
    return items[[*map(find_python, VERSIONS)].index(python) :: len(VERSIONS)]


def require_extensions(python: str) -> None:
    """Build the C extensions for an interpreter, if it is supported; skip the test on failure."""
    error = None if python == find_python("3.10") else _build_error(python)
    if error is not None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(error)


def recorder_of(python: str, backend: str, *, has_threads: bool = False) -> PythonRecorder:
    """A recorder with the tracer in C ("core") or the reference tracer ("settrace")."""
    require_extensions(python)
    known: Backend = "core" if backend == "core" else "settrace"
    return PythonRecorder(python=python, backend=known, has_threads=has_threads)
