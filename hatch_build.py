"""Build hooks: the recorder's C extensions in the wheel, and the project's addresses.

Without a C compiler, the wheel contains no extensions. The addresses are those of the GitHub
repository OWNER/NAME in the environment variable WORLDLINE_REPOSITORY, or else GITHUB_REPOSITORY,
which GitHub's workflows set. Without one, the package has no addresses, and the links of the README
stay relative.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # scripts/build-recorder needs only `build_extensions`

    class BuildHookInterface:  # type: ignore[no-redef]
        """Stub for interpreters without hatchling."""

        def __class_getitem__(cls, _: object) -> type:
            return cls

    class MetadataHookInterface:  # type: ignore[no-redef]
        """Stub for interpreters without hatchling."""


RECORDER = Path("src/worldline/languages/python/recorder")
SOURCES = RECORDER / "c"
TARGET = RECORDER / "child"
# Each is compiled from NAME.c to the module _NAME.
EXTENSIONS = ("sandbox_layers", "tracer")
FLAGS = (
    "-std=gnu11",
    "-O3",
    "-g",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fno-plt",
    "-Wall",
    "-Wextra",
)
_QUERY = (
    "import json, sysconfig; print(json.dumps([sysconfig.get_path('include'), "
    "sysconfig.get_config_var('EXT_SUFFIX'), sysconfig.get_config_var('CC')]))"
)


def build_extensions(
    root: Path,
    *,
    python: str = sys.executable,
    flags: list[str] | None = None,
    into: Path | None = None,
    keep_newer: bool = False,
) -> list[Path]:
    """Compile the C extensions for an interpreter.

    Args:
        root: The folder of the project.
        python: The interpreter.
        flags: More flags for the compiler.
        into: The folder to write to; by default that of the recorder's child modules.
        keep_newer: Do not compile extensions that are newer than the sources.

    Returns:
        The paths of the extensions.

    Raises:
        OSError: The interpreter or the compiler cannot be started.
        CalledProcessError: The compiler failed.
    """
    query = subprocess.run([python, "-c", _QUERY], capture_output=True, check=True)
    include, suffix, compiler = json.loads(query.stdout)
    command = [*os.environ.get("CC", compiler or "cc").split(), *FLAGS, *(flags or [])]
    changed = max(path.stat().st_mtime for path in (root / SOURCES).iterdir())
    targets = []
    for name in EXTENSIONS:
        target = (into or root / TARGET) / f"_{name}{suffix}"
        targets.append(target)
        if keep_newer and target.exists() and target.stat().st_mtime > changed:
            continue
        # Write to a temporary file first: an interpreter may have loaded the existing one.
        temporary = target.with_suffix(f".{os.getpid()}")
        source = root / SOURCES / f"{name}.c"
        try:
            subprocess.run(
                [*command, "-isystem", include, str(source), "-o", str(temporary)], check=True
            )
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
    return targets


class ExtensionsHook(BuildHookInterface[Any]):
    """Hook that hatchling calls before it builds a wheel, also for an editable install."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the extensions for the Python that the wheel is for."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        try:
            built = build_extensions(root)
        except (OSError, subprocess.CalledProcessError) as error:
            self.app.display_warning(
                f"the C extensions were not built ({error}): without them the sandbox is "
                "incomplete, so programs run only with `worldline --sandbox reduced`, and are "
                "recorded in Python"
            )
            return
        build_data["infer_tag"] = True
        build_data["pure_python"] = False
        build_data["artifacts"] += [str(path.relative_to(root)) for path in built]


_RELATIVE_LINK = re.compile(r"(!?)\[([^]]*)\]\((?!https?://|mailto:|#)([^)]+)\)")


def repository() -> str | None:
    """The GitHub repository of the project, OWNER/NAME, if the environment names it."""
    return os.environ.get("WORLDLINE_REPOSITORY") or os.environ.get("GITHUB_REPOSITORY") or None


def project_urls(repository: str) -> dict[str, str]:
    """The addresses that a package index shows."""
    owner, name = repository.split("/")
    page = f"https://github.com/{repository}"
    return {
        "Repository": page,
        "Documentation": f"https://{owner}.github.io/{name}/",
        "Changelog": f"{page}/blob/main/CHANGELOG.md",
        "Issues": f"{page}/issues",
    }


def absolute_links(text: str, repository: str) -> str:
    """Replace the relative links of a Markdown text, which work only in the repository.

    "[FAQ](docs/faq.md)" -> "[FAQ](https://github.com/OWNER/NAME/blob/main/docs/faq.md)"
    """
    bases = {
        "": f"https://github.com/{repository}/blob/main",
        "!": f"https://raw.githubusercontent.com/{repository}/main",
    }
    return _RELATIVE_LINK.sub(
        lambda match: f"{match[1]}[{match[2]}]({bases[match[1]]}/{match[3]})", text
    )


class AddressesHook(MetadataHookInterface):
    """Hook that gives the package its README and addresses."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the fields that pyproject.toml lists as dynamic."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        name = repository()
        if name is not None:
            metadata["urls"] = project_urls(name)
            text = absolute_links(text, name)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
