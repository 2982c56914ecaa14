"""Control groups (cgroups) that limit all programs of one interpreter together."""

import os
import uuid
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
MEMORY_BYTES = 4 << 30
PROCESSES = 256


class ControlGroups:
    """Control groups of one interpreter: version 1 (as root) or version 2.

    Attributes:
        task_files: The files that a process writes its id to in order to join.
    """

    def __init__(self, folders: list[Path], task_files: list[str]) -> None:
        self._folders = folders
        self.task_files = task_files

    @classmethod
    def create(cls) -> "ControlGroups | None":
        """New control groups, or None if they cannot be created on this machine."""
        name = f"worldline-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        if (ROOT / "cgroup.controllers").exists():
            return cls._create(
                [(ROOT / name, {"memory.max": MEMORY_BYTES, "pids.max": PROCESSES})], "cgroup.procs"
            )
        limits = [
            (ROOT / "memory" / name, {"memory.limit_in_bytes": MEMORY_BYTES}),
            (ROOT / "pids" / name, {"pids.max": PROCESSES}),
        ]
        return cls._create(limits, "tasks")

    @classmethod
    def _create(
        cls, limits: "list[tuple[Path, dict[str, int]]]", task_file: str
    ) -> "ControlGroups | None":
        groups = cls([], [])
        try:
            for folder, values in limits:
                folder.mkdir()
                groups._folders.append(folder)
                for name, value in values.items():
                    (folder / name).write_text(str(value))
                groups.task_files.append(str(folder / task_file))
        except OSError:
            groups.close()
            return None
        return groups

    def close(self) -> None:
        """Remove the groups; their processes have ended."""
        for folder in self._folders:
            with suppress(OSError):
                folder.rmdir()
