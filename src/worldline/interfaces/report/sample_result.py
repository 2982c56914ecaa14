"""Result of one sample in one line."""

from worldline.analysis.diagnosis import label
from worldline.core.util.text import truncate_text
from worldline.evaluation.runs import ScoredSample


def sample_text(sample: ScoredSample, *, width: int = 40) -> str:
    """ "Character slip: 'ab' instead of 'abc' in text at step 4"; `width` limits each value.

    A sample without a divergence is described by its verdict.
    """
    if sample.differs_in is None or sample.actual_value is None or sample.predicted_value is None:
        return label(sample.verdict)
    predicted, actual = (
        truncate_text(value.strip() or "nothing", width)
        for value in (sample.predicted_value, sample.actual_value)
    )
    cause = f"{label(sample.cause)}: " if sample.cause else ""
    place = f" in {sample.variable}" if sample.variable else ""
    step = "" if sample.step is None else f" at step {sample.step}"
    correct = f"{label('correct')}; " if sample.verdict == "correct" else ""
    return f"{correct}{cause}{predicted} instead of {actual}{place}{step}"
