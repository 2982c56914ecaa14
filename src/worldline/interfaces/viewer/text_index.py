"""Index for full-text search over the programs and the outputs of a run."""

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from typing import Any

from worldline.evaluation.runs import read_run
from worldline.models.prediction import repeat_id

# The columns that are searched; viewer/src/dataSource/embedded.ts searches the same.
_COLUMNS = ("code", "context", "call", "output", "answer")


class TextIndex:
    """The texts of samples in one block of bytes, in which a search takes milliseconds.

    Args:
        texts: The text of each sample by its name.
    """

    def __init__(self, texts: Iterable[tuple[str, str]]) -> None:
        self._names: list[str] = []
        self._starts = array("q")
        blocks: list[bytes] = []
        position = 0
        for name, text in texts:
            block = _encode(text) + b"\0"
            self._names.append(name)
            self._starts.append(position)
            blocks.append(block)
            position += len(block)
        self._block = b"".join(blocks)

    def search(self, text: str) -> frozenset[str]:
        """The names of the samples whose text contains `text`, in any case."""
        wanted = _encode(text)
        if not wanted:
            return frozenset(self._names)
        names = []
        position = self._block.find(wanted)
        while position >= 0:
            number = bisect_right(self._starts, position) - 1
            names.append(self._names[number])
            # The rest of this sample does not matter.
            if number + 1 == len(self._starts):
                break
            position = self._block.find(wanted, self._starts[number + 1])
        return frozenset(names)


def read_text_index(location: str) -> TextIndex:
    """Read the programs and outputs of a run into an index."""
    rows = read_run(location, columns=_COLUMNS)
    return TextIndex((repeat_id(row["sample"], row["repeat"]), _text(row)) for row in rows)


def _text(row: Mapping[str, Any]) -> str:
    return "\n".join(row[name] for name in _COLUMNS if row.get(name))


def _encode(text: str) -> bytes:
    return text.lower().replace("\0", " ").encode("utf-8", "surrogatepass")
