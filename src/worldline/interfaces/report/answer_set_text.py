"""Agreement of repeated answers with the sets of possible results, as lines of text."""

from collections.abc import Iterator

from rich.text import Text

from worldline.core.util.text import pluralize
from worldline.evaluation.metrics import AnswerSets
from worldline.interfaces.report.number_format import share_text


def answer_set_lines(results: AnswerSets) -> Iterator[Text]:
    """Yield the lines about questions whose possible results are known."""
    yield Text(
        f"Possible results: {pluralize(results.questions, 'question')}, repeated answers compared "
        "with the set",
        "bold",
    )
    yield Text(f"{'not in the set':<18} {share_text(results.not_in_set)}")
    yield Text(f"{'recall':<18} {share_text(results.recall)} possible results were named")
    yield Text(f"{'precision':<18} {share_text(results.precision)} different answers are possible")
    yield Text(f"{'all and no other':<18} {share_text(results.complete)} questions")
