"""Python 3.14: the pure layers and the reference tracer, in Pyodide; what is refused, and how.

Pyodide is CPython for WebAssembly. It is installed by npm in `.cache/pyodide`.
"""

import importlib.util
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from scripts.playground import install_pyodide
from tests.support.paths import PROJECT_ROOT
from tests.support.pythons import NEEDED
from worldline.core.errors import InputError

SUPPORT = PROJECT_ROOT / "tests" / "support"
# Pure Python packages that the checks import.
PACKAGES = (*NEEDED, "pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging")


@pytest.fixture(scope="module")
def pyodide() -> Path:
    """The folder of the npm package; skips the test if it cannot be installed."""
    try:
        return install_pyodide()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def result(pyodide: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What `python_314_checks.py` prints in Pyodide."""
    packages = tmp_path_factory.mktemp("packages")
    for name in PACKAGES:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        path = Path(spec.origin)
        if path.name == "__init__.py":
            shutil.copytree(path.parent, packages / path.parent.name)
        else:
            shutil.copy(path, packages)
    # Pyodide has no module `resource`, which the tracer uses only in processes that it forks.
    (packages / "resource.py").write_text("RLIMIT_CPU = 0\nsetrlimit = None\n")
    metadata = packages / "worldline-0.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: worldline\nVersion: 0.0\n")
    folders = [packages, PROJECT_ROOT, PROJECT_ROOT / "src"]
    script = SUPPORT / "run_in_pyodide.mjs"
    checks = SUPPORT / "python_314_checks.py"
    process = subprocess.run(
        ["node", str(script), str(pyodide), str(checks), *map(str, folders)],
        capture_output=True,
        text=True,
        timeout=900,
        env={"PATH": os.environ["PATH"]},
    )
    assert process.returncode == 0, process.stderr[-3000:]
    checked: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return checked


def test_it_is_python_314(result: dict[str, Any]) -> None:
    assert result["python"].startswith("3.14.")


def test_the_reference_tracer_gives_the_stored_traces(result: dict[str, Any]) -> None:
    assert result["differ"] == {}


def test_the_tests_of_the_pure_layers_pass(result: dict[str, Any]) -> None:
    assert result["failed"] == []
    assert result["counts"]["passed"] > 400
