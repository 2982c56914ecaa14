"""Build hooks: the C extensions, the viewer's page, the JavaScript tracer, and the addresses.

A wheel contains the C extensions for the Python that builds it, and for all other supported ones on
PATH that have headers. A wheel with the extensions of all supported versions can be installed in
any of them. The viewer's page and the JavaScript tracer are built with Node.js, unless they are
built already, as in an sdist.

A build without a compiler or without Node.js fails. WORLDLINE_BUILD_WITHOUT leaves parts out:
extensions, page, javascript.

The addresses are those of the GitHub repository OWNER/NAME in the environment variable
WORLDLINE_REPOSITORY, or else GITHUB_REPOSITORY, which GitHub's workflows set. Without one, the
package has no addresses, and the links of the README stay relative.
"""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
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
# Versions of CPython that the extensions can be built for.
SUPPORTED = ("3.11", "3.12", "3.13")
MIN_NODE = 20
PAGE = Path("src/worldline/interfaces/viewer/page/index.html")
TRACER = Path("src/worldline/languages/javascript/node")
TRACER_FILES = ("dist/tracer.mjs", "dist/typescript.cjs")
PARTS = ("extensions", "page", "javascript")
# Each is compiled from NAME.c to the module _NAME.
EXTENSIONS = ("sandbox_layers", "tracer", "exec_filter")
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


def is_supported() -> bool:
    """Whether the extensions can be built for this Python."""
    return (
        platform.python_implementation() == "CPython"
        and ".".join(platform.python_version_tuple()[:2]) in SUPPORTED
        and not sysconfig.get_config_var("Py_GIL_DISABLED")
    )


def other_pythons() -> dict[str, str]:
    """The other supported Pythons on PATH, by version."""
    if sys.platform != "linux":
        return {}
    this = ".".join(platform.python_version_tuple()[:2])
    paths = {version: shutil.which(f"python{version}") for version in SUPPORTED if version != this}
    return {version: path for version, path in paths.items() if path is not None}


def build_page(root: Path) -> None:
    """Build the viewer's page, unless it is built.

    Raises:
        OSError: Node.js or npm is not installed, or too old.
        CalledProcessError: npm failed.
    """
    if not (root / PAGE).exists():
        _npm_build(root / "viewer")


def build_javascript(root: Path) -> None:
    """Build the JavaScript tracer with the libraries that it needs, unless it is built.

    Raises:
        OSError: Node.js or npm is not installed, or too old.
        CalledProcessError: npm failed.
    """
    if not all((root / TRACER / name).exists() for name in TRACER_FILES):
        _npm_build(root / TRACER)


def _npm_build(folder: Path) -> None:
    """Install the packages of a folder and execute its script `build`."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        raise OSError(f"{'npm' if node else 'Node.js'} is not installed")
    query = subprocess.run([node, "--version"], capture_output=True, text=True, check=True)
    if int(query.stdout.strip().removeprefix("v").split(".")[0]) < MIN_NODE:
        raise OSError(f"Node.js {query.stdout.strip()} is too old")
    if not (folder / "node_modules").exists():
        subprocess.run([npm, "ci", "--no-audit", "--no-fund"], cwd=folder, check=True)
    subprocess.run([npm, "run", "build"], cwd=folder, check=True)


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


class PartsHook(BuildHookInterface[Any]):
    """Hook that hatchling calls before it builds a wheel or an sdist.

    An editable install has the extensions of this Python alone, in place, no page and no
    JavaScript tracer: scripts/build-recorder, scripts/build-viewer and scripts/build-javascript
    build them in a checkout.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the parts that are not in the repository."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        root = Path(self.root)
        left_out = set(os.environ.get("WORLDLINE_BUILD_WITHOUT", "").replace(",", " ").split())
        if unknown := left_out - set(PARTS):
            self.app.abort(
                f"WORLDLINE_BUILD_WITHOUT can be some of {', '.join(PARTS)}, not {min(unknown)!r}"
            )
        if version != "editable" and "page" not in left_out:
            self._build_page(root)
        if version != "editable" and "javascript" not in left_out:
            self._build_javascript(root)
        if self.target_name == "wheel" and "extensions" not in left_out:
            if version == "editable":
                self._build_extensions(root, into=None)
            else:
                self._add_extensions(root, build_data)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was built outside of the source tree."""
        if self._folder is not None:
            self._folder.cleanup()

    def _build_page(self, root: Path) -> None:
        try:
            build_page(root)
        except (OSError, subprocess.CalledProcessError) as error:
            self.app.abort(
                f"the viewer's page cannot be built: {error}. `worldline view` and `worldline "
                f"report -o` need it. Install Node.js {MIN_NODE} or later with npm, or build "
                "without the page: WORLDLINE_BUILD_WITHOUT=page"
            )

    def _build_javascript(self, root: Path) -> None:
        try:
            build_javascript(root)
        except (OSError, subprocess.CalledProcessError) as error:
            self.app.abort(
                f"the JavaScript tracer cannot be built: {error}. JavaScript and TypeScript "
                f"programs need it. Install Node.js {MIN_NODE} or later with npm, or build without "
                "it: WORLDLINE_BUILD_WITHOUT=javascript"
            )

    def _build_extensions(self, root: Path, *, into: Path | None) -> list[Path]:
        """Build the extensions for this Python, if there are any for it."""
        if sys.platform != "linux" or not is_supported():
            self.app.display_warning(
                f"no C extensions for {platform.python_implementation()} "
                f"{platform.python_version()} on {sys.platform}: programs run only with "
                "`worldline --sandbox reduced`, or with another Python (--python)"
            )
            return []
        try:
            return build_extensions(root, flags=["-g0"] if into else [], into=into)
        except (OSError, subprocess.CalledProcessError) as error:
            self.app.abort(
                f"the C extensions cannot be built: {error}. Install a C compiler and Python's "
                "headers (apt install gcc python3-dev), or build without them: "
                "WORLDLINE_BUILD_WITHOUT=extensions; then programs run only with `worldline "
                "--sandbox reduced`, and are recorded more slowly"
            )
            raise  # `abort` does not return

    def _add_extensions(self, root: Path, build_data: dict[str, Any]) -> None:
        """Add the extensions for this and other Pythons to the wheel, and set its tag."""
        self._folder = tempfile.TemporaryDirectory()
        into = Path(self._folder.name)
        built = self._build_extensions(root, into=into)
        for python in other_pythons().values():
            try:
                built += build_extensions(root, python=python, into=into, flags=["-g0"])
            except (OSError, subprocess.CalledProcessError):
                self.app.display_info(f"no C extensions for {python}: it has no headers")
        if not built:
            return
        build_data["pure_python"] = False
        if len(built) == len(SUPPORTED) * len(EXTENSIONS):
            system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{system}"
        else:
            build_data["infer_tag"] = True
        inside = TARGET.relative_to("src")
        build_data["force_include"] |= {str(path): str(inside / path.name) for path in built}


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
