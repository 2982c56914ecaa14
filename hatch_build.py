"""Builds the recorder's parts in C into the wheel; without a compiler, the wheel does without."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # scripts/build-recorder uses `build_core` alone

    class BuildHookInterface:  # type: ignore[no-redef]
        """Stands where hatchling is not."""

        def __class_getitem__(cls, _: object) -> type:
            return cls


SOURCES = Path("src/worldline/recorders/core")
MODULES = ("core", "jail")
INNER = Path("src/worldline/recorders/inner")
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
_ASK = (
    "import json, sysconfig; print(json.dumps([sysconfig.get_path('include'), "
    "sysconfig.get_config_var('EXT_SUFFIX'), sysconfig.get_config_var('CC')]))"
)


def build_core(
    root: Path,
    *,
    python: str = sys.executable,
    flags: list[str] | None = None,
    into: Path | None = None,
    is_kept: bool = False,
) -> list[Path]:
    """Compile the modules in C for an interpreter; OSError or CalledProcessError where that fails.

    `is_kept`: those that are newer than their sources are kept.
    """
    asked = subprocess.run([python, "-c", _ASK], capture_output=True, check=True)
    include, suffix, compiler = json.loads(asked.stdout)
    command = [*os.environ.get("CC", compiler or "cc").split(), *FLAGS, *(flags or [])]
    made = max(path.stat().st_mtime for path in (root / SOURCES).iterdir())
    targets = []
    for name in MODULES:
        target = (into or root / INNER) / f"_{name}{suffix}"
        targets.append(target)
        if is_kept and target.exists() and target.stat().st_mtime > made:
            continue
        # Written beside and moved: an interpreter may be running the one that is there.
        draft = target.with_suffix(f".{os.getpid()}")
        source = root / SOURCES / f"{name}.c"
        try:
            subprocess.run(
                [*command, "-isystem", include, str(source), "-o", str(draft)], check=True
            )
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    return targets


class CoreHook(BuildHookInterface[Any]):
    """What hatchling calls before it packs a wheel, also for an editable install."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the core for the Python that the wheel is for."""
        if self.target_name != "wheel":
            return
        root = Path(self.root)
        try:
            built = build_core(root)
        except (OSError, subprocess.CalledProcessError) as error:
            self.app.display_warning(
                f"the part in C was not built ({error}): programs cannot be held without it, "
                "and are run only with `worldline --sandbox reduced`, recorded in Python"
            )
            return
        build_data["infer_tag"] = True
        build_data["pure_python"] = False
        build_data["artifacts"] += [str(path.relative_to(root)) for path in built]
