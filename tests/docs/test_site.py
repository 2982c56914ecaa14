"""The documentation site is built without a broken link, and its tutorials run."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.paths import DOCS_FOLDER, PROJECT_ROOT

needs_mkdocs = pytest.mark.skipif(
    importlib.util.find_spec("mkdocs") is None, reason="pip install --group docs"
)


@needs_mkdocs
def test_the_site_is_built_without_warnings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "reference" / "cli" / "index.html").read_text().count("worldline bench") > 0


@pytest.mark.parametrize("name", ["debug-a-prediction", "evaluate-and-compare"])
def test_tutorials_run(name: str, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="pip install --group docs")
    nbclient = pytest.importorskip("nbclient", reason="pip install --group docs")
    notebook = nbformat.read(DOCS_FOLDER / "tutorials" / f"{name}.ipynb", as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    outputs = [cell.outputs for cell in notebook.cells if cell.cell_type == "code"]
    assert sum(bool(output) for output in outputs) >= 5
