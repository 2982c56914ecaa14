"""Agreement of repeated answers with exact distributions, as lines of text."""

from collections.abc import Iterator

from rich.text import Text

from worldline.core.util.text import pluralize
from worldline.evaluation.metrics import AnswerDistributions
from worldline.interfaces.report.number_format import share_text


def answer_distribution_lines(results: AnswerDistributions) -> Iterator[Text]:
    """Yield the lines about questions with several correct answers."""
    yield Text(
        f"Distributions: {pluralize(results.questions, 'question')}, repeated answers compared "
        "with the exact distribution",
        "bold",
    )
    yield Text(f"{'impossible answers':<18} {share_text(results.impossible)}")
    yield Text(
        f"{'total variation':<18} {results.total_variation:.3f} on average; more than sampling "
        f"noise (5% of questions) in {share_text(results.beyond_chance)}"
    )
    yield Text(
        f"{'log score':<18} {results.log_score:.3f} bits on average (best possible "
        f"{results.best_log_score:.3f})"
    )
