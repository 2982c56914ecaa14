"""Other Python versions on this machine, and a folder from which they import worldline."""

import runpy
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import worldline
from tests.support.paths import PROJECT_ROOT

ROOT = PROJECT_ROOT
find_python: Callable[[str], str | None] = runpy.run_path(str(ROOT / "scripts" / "gold"))[
    "find_python"
]
# The packages that `import worldline` needs; no other package may be necessary.
NEEDED = ("click", "rich", "pygments", "markdown_it", "mdurl", "pyseccomp")


def write_metadata(folder: Path) -> None:
    """Make worldline an installed package for the interpreters that import from a folder."""
    about = folder / "worldline-0.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: worldline\nVersion: 0.0\n")


def make_packages(folder: Path) -> Path:
    """Link worldline and its dependencies into a folder."""
    (folder / "worldline").symlink_to(Path(worldline.__file__).parent)
    write_metadata(folder)
    for name in NEEDED:
        spec = find_spec(name)
        if spec is not None and spec.origin is not None:
            path = Path(spec.origin)
            path = path.parent if path.name == "__init__.py" else path
            (folder / path.name).symlink_to(path)
    return folder
