"""Bounds on all that one interpreter's programs use together, where the system lets us set them."""

import os
import uuid
from contextlib import suppress
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
MEMORY_BYTES = 4 << 30
PROCESSES = 256


class ControlGroups:
    """Control groups that were made for one interpreter (version 1, as root; or version 2)."""

    def __init__(self, folders: list[Path], tasks: list[str]) -> None:
        self._folders = folders
        self.tasks = tasks

    @classmethod
    def make(cls) -> "ControlGroups | None":
        """New ones; none where they cannot be had."""
        name = f"worldline-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        if (ROOT / "cgroup.controllers").exists():
            return cls._made(
                [(ROOT / name, {"memory.max": MEMORY_BYTES, "pids.max": PROCESSES})], "cgroup.procs"
            )
        bounds = [
            (ROOT / "memory" / name, {"memory.limit_in_bytes": MEMORY_BYTES}),
            (ROOT / "pids" / name, {"pids.max": PROCESSES}),
        ]
        return cls._made(bounds, "tasks")

    @classmethod
    def _made(
        cls, bounds: "list[tuple[Path, dict[str, int]]]", tasks: str
    ) -> "ControlGroups | None":
        made = cls([], [])
        try:
            for folder, values in bounds:
                folder.mkdir()
                made._folders.append(folder)
                for name, value in values.items():
                    (folder / name).write_text(str(value))
                made.tasks.append(str(folder / tasks))
        except OSError:
            made.close()
            return None
        return made

    def close(self) -> None:
        """Remove them; whoever was in them has ended."""
        for folder in self._folders:
            with suppress(OSError):
                folder.rmdir()
