"""Process trees."""

from contextlib import suppress
from pathlib import Path


def process_tree(pid: int) -> list[int]:
    """A process and all its descendants."""
    parents = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            parents[int(stat.parent.name)] = int(stat.read_text().rpartition(")")[2].split()[1])
    tree = [pid]
    for each in tree:
        tree += [child for child, parent in parents.items() if parent == each]
    return tree
