"""Near-duplicates: programs that share most of their tokens, found by MinHash."""

import re
from typing import Any

from worldline.core.util.optional_imports import optional_import

_TOKEN = re.compile(r"\w+|[^\w\s]")
_SHINGLE = 4
_PERMUTATIONS = 64


class NearDuplicateIndex:
    """Index of programs, in which similar ones are found.

    Two programs are similar if the estimated Jaccard similarity of their runs of four tokens is
    at least `similarity`. The programs depend on the order in which they are added.
    """

    def __init__(self, similarity: float) -> None:
        """Create an empty index.

        Args:
            similarity: From 0 to 1; at 1, the index finds nothing, and needs no library.

        Raises:
            InputError: The library `datasketch` is not installed.
        """
        self._index: Any = None
        self._count = 0
        if similarity >= 1:
            return
        with optional_import(
            "near-duplicates need datasketch (or use --similarity 1); install it with",
            extra="harvest",
        ):
            from datasketch import MinHashLSH
        self._index = MinHashLSH(threshold=similarity, num_perm=_PERMUTATIONS)

    def add(self, text: str) -> bool:
        """Add a program, unless a similar one is there; whether it was added."""
        if self._index is None:
            return True
        from datasketch import MinHash

        sketch = MinHash(num_perm=_PERMUTATIONS, seed=1)
        sketch.update_batch([each.encode() for each in sorted(token_shingles(text))])
        if self._index.query(sketch):
            return False
        self._index.insert(self._count, sketch)
        self._count += 1
        return True


def token_shingles(text: str) -> set[str]:
    """Runs of four tokens: "a = b + 1" -> {"a = b +", "= b + 1"}."""
    tokens = _TOKEN.findall(text)
    last = max(1, len(tokens) - _SHINGLE + 1)
    return {" ".join(tokens[start : start + _SHINGLE]) for start in range(last)}
