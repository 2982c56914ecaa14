"""The processes that came of one."""

from contextlib import suppress
from pathlib import Path


def offspring(pid: int) -> list[int]:
    """A process and all that came of it."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found
