"""Playground of the documentation site: `scripts/build-playground [FOLDER]`.

The folder (by default site/playground) gets everything that the page needs: the page and its worker
from viewer/, Pyodide from npm, and a snapshot of a Python interpreter that has imported Worldline.
"""

import gzip
import importlib.util
import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from worldline.core.errors import InputError
from worldline.interfaces.playground import playground_settings
from worldline.interfaces.viewer.html_shell import (
    DATA_PLACEHOLDER,
    POLICY_PLACEHOLDER,
    content_security_policy,
    data_script,
)

ROOT = Path(__file__).parent.parent
VIEWER = ROOT / "viewer"
PYODIDE_VERSION = "314.0.7"
# Pure Python packages that Worldline imports, besides itself.
_PACKAGES = ("rich", "pygments", "markdown_it", "mdurl")
# Pyodide has no module `resource`, which the tracer uses only in processes that it forks.
_RESOURCE = "RLIMIT_CPU = 0\nsetrlimit = None\n"
# Executed before the snapshot: what is imported later could not be found any more.
_WARM_UP = """
import gc, json, random, re, traceback
from worldline.interfaces.playground import answer_request
for kind in ("prompt", "diagnose"):
    for row in json.loads({rows!r}):
        answer = json.loads(answer_request(json.dumps({{"kind": kind, "row": row}})))
        assert "error" not in answer, answer
gc.collect()
"""


def install_pyodide() -> Path:
    """Install Pyodide with npm in `.cache/pyodide`; returns the folder of the package.

    Raises:
        InputError: Node.js or npm is missing, or npm cannot install it.
    """
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise InputError("Pyodide needs Node.js 20 or later and npm")
    folder = ROOT / ".cache" / "pyodide"
    package = folder / "node_modules" / "pyodide"
    manifest = package / "package.json"
    if not manifest.exists() or json.loads(manifest.read_text())["version"] != PYODIDE_VERSION:
        folder.mkdir(parents=True, exist_ok=True)
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
        done = subprocess.run(
            [*command, f"pyodide@{PYODIDE_VERSION}"], capture_output=True, text=True, timeout=300
        )
        if done.returncode:
            raise InputError(f"npm cannot install pyodide {PYODIDE_VERSION}: {done.stderr[-200:]}")
    return package


def build_playground(folder: Path) -> dict[str, int]:
    """Build the page in a folder.

    Args:
        folder: The folder, which is replaced.

    Returns:
        The size of each file in bytes.

    Raises:
        InputError: Node.js, npm or Pyodide is missing, or a step fails.
    """
    package = install_pyodide()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as temporary:
        page = _build_page(Path(temporary))
        snapshot = _make_snapshot(package, Path(temporary))
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "snapshot.pack").write_bytes(gzip.compress(snapshot, mtime=0))
    frame = (VIEWER / "playground" / "frame.html").read_text(encoding="utf-8")
    policy = content_security_policy(frame, connect="'none'")
    # Of the worker and of Pyodide, whose texts the page sends to the frame.
    policy = policy.replace("script-src", "script-src blob: 'wasm-unsafe-eval'")
    (folder / "frame.html").write_text(_with_policy(frame, f"{policy}; worker-src blob:"))
    shutil.copy(VIEWER / "playground" / "worker.js", folder)
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "python_stdlib.zip"):
        shutil.copy(package / name, folder)
    wasm = (package / "pyodide.asm.wasm").read_bytes()
    (folder / "pyodide.asm.wasm.pack").write_bytes(gzip.compress(wasm, mtime=0))
    # No package of Pyodide's distribution can be loaded.
    lock = json.loads((package / "pyodide-lock.json").read_text()) | {"packages": {}}
    (folder / "pyodide-lock.json").write_text(json.dumps(lock))
    return {path.name: path.stat().st_size for path in sorted(folder.iterdir())}


def _build_page(folder: Path) -> str:
    """The page, with its settings and its policy."""
    if not (VIEWER / "node_modules").exists():
        _run(["npm", "ci", "--no-audit", "--no-fund"])
    _run(["npx", "vite", "build", "--mode", "playground", "--outDir", str(folder)])
    page = (folder / "playground.html").read_text(encoding="utf-8")
    # A user may name any server of a model; the page requests nothing else from elsewhere.
    policy = content_security_policy(page, connect="'self' http: https:")
    page = page.replace(DATA_PLACEHOLDER, data_script("playground", playground_settings()))
    return _with_policy(page, f"{policy}; frame-src 'self'")


def _with_policy(page: str, policy: str) -> str:
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return page.replace(POLICY_PLACEHOLDER, meta)


def _make_snapshot(package: Path, folder: Path) -> bytes:
    sources, warm_up, snapshot = (folder / name for name in ("sources.zip", "warm_up.py", "memory"))
    with zipfile.ZipFile(sources, "w") as archive:
        for name, text in _source_files():
            archive.writestr(name, text)
    rows = [{"id": "example", **row} for row in playground_settings()["examples"]]
    warm_up.write_text(_WARM_UP.format(rows=json.dumps(rows)))
    script = str(ROOT / "scripts" / "playground_snapshot.mjs")
    _run(["node", script, *map(str, (package, sources, warm_up, snapshot))])
    return snapshot.read_bytes()


def _source_files() -> Iterator[tuple[str, bytes]]:
    """The files of Worldline and of the packages that it imports, by their names in the archive."""
    yield "resource.py", _RESOURCE.encode()
    metadata = f"Metadata-Version: 2.1\nName: worldline\nVersion: {version('worldline')}\n"
    yield f"worldline-{version('worldline')}.dist-info/METADATA", metadata.encode()
    for name in ("worldline", *_PACKAGES):
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise InputError(f"the package {name} is not installed")
        package = Path(spec.origin).parent
        for path in sorted(package.rglob("*")):
            is_source = path.suffix in (".py", ".json", ".jsonl")
            if is_source and "node_modules" not in path.parts:
                yield str(path.relative_to(package.parent)), path.read_bytes()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, cwd=VIEWER, capture_output=True, text=True, timeout=600)
    if done.returncode:
        output = f"{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
        raise InputError(f"{' '.join(command[:3])} failed:\n{output}")


def main() -> None:
    """Build the page and print the sizes of its files."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site" / "playground"
    sizes = build_playground(folder.resolve())
    for name, size in sizes.items():
        print(f"{size / 1e6:8.2f} MB  {name}")
    print(f"{sum(sizes.values()) / 1e6:8.2f} MB  {folder}")


if __name__ == "__main__":
    main()
