"""Index for full-text search over the programs and the outputs of a run."""

from collections.abc import Iterable, Sequence

from worldline.evaluation.runs import read_run_texts
from worldline.evaluation.store import TextBlock

# The columns that are searched; viewer/src/dataSource/embedded.ts searches the same.
_COLUMNS = ("code", "context", "call", "output", "answer")


class TextIndex:
    """The texts of samples in a few blocks of bytes, in which a search takes milliseconds.

    Args:
        blocks: The names of some samples, and their texts.
    """

    def __init__(self, blocks: Iterable[tuple[Sequence[str], TextBlock]]) -> None:
        self._blocks = tuple(blocks)

    def search(self, text: str) -> frozenset[str]:
        """The names of the samples whose text contains `text`, in any case."""
        return frozenset(
            names[number] for names, block in self._blocks for number in block.find(text)
        )


def read_text_index(location: str) -> TextIndex:
    """Read the programs and outputs of a run into an index."""
    return TextIndex(read_run_texts(location, _COLUMNS))
