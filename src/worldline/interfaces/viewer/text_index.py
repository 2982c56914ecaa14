"""Index for full-text search over the table, the programs and the outputs of a run."""

from collections.abc import Iterable, Sequence
from threading import Lock

from worldline.evaluation.runs import read_run_texts
from worldline.evaluation.store import TextBlock, lower_text, make_text_block
from worldline.interfaces.viewer.sample_table import Table

# The columns that are searched; viewer/src/dataSource/embedded.ts searches the same.
_COLUMNS = ("code", "context", "call", "output", "answer")


class TextIndex:
    """The texts of samples in a few blocks of bytes, in which a search takes milliseconds.

    Args:
        blocks: The names of some samples, and their texts.
    """

    def __init__(self, blocks: Iterable[tuple[Sequence[str], TextBlock]]) -> None:
        self._blocks = tuple(blocks)
        # The rows of a search and the counts of its menus are two requests.
        self._lock = Lock()
        self._last: tuple[str, frozenset[str]] | None = None

    def search(self, text: str) -> frozenset[str]:
        """The names of the samples whose text contains `text`, in any case."""
        with self._lock:
            if self._last is None or text != self._last[0]:
                self._last = text, self._find(lower_text(text))
            return self._last[1]

    def _find(self, wanted: bytes) -> frozenset[str]:
        return frozenset(
            names[number] for names, block in self._blocks for number in block.find_lower(wanted)
        )


def read_text_index(location: str, table: Table) -> TextIndex:
    """Read the programs and outputs of a run into an index, with the cells of its table."""
    return TextIndex([*read_run_texts(location, _COLUMNS), table_texts(table)])


def table_texts(table: Table) -> tuple[Sequence[str], TextBlock]:
    """The names of all rows of a table, and the texts of their cells."""
    names = [str(row[0]) for row in table.rows]
    return names, make_text_block(map(table.searched_text, table.rows))
