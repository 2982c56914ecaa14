"""Headline of a run: its most important results in two or three sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median_low

from worldline.core.util.text import pluralize
from worldline.evaluation.runs import ScoredSample

# What a divergence is in, by the kind of the actual value.
_KIND_NAMES = {
    "str": "a string",
    "int": "an integer",
    "float": "a float",
    "bool": "a truth value",
    "None": "None",
    "list": "a list",
    "dict": "a dictionary",
    "set": "a set",
    "tuple": "a tuple",
    "object": "an object",
    "missing": "a missing value",
}
_PLACE_NAMES = {
    "action": "the next line",
    "end": "the end of the execution",
    "exception": "an exception",
}


def headline(samples: Sequence[ScoredSample]) -> str:
    """The results of a run in sentences, each with its denominator.

    "37% of 196 answers are correct (72). 81% of the predictions (159) diverge from the actual
    execution, half of them by step 6. 48% of the divergences (76) are in a string."

    Infrastructure errors are not counted. "" if there is nothing to count.
    """
    return " ".join(_sentences([s for s in samples if s.verdict != "infra_error"]))


def _sentences(samples: Sequence[ScoredSample]) -> Iterator[str]:
    if not samples:
        return
    correct = [sample for sample in samples if sample.verdict == "correct"]
    yield f"{_share(len(correct), len(samples))} of {pluralize(len(samples), 'answer')} " + (
        f"{'is' if len(samples) == 1 else 'are'} correct ({len(correct):,})."
    )
    with_steps = [sample for sample in samples if sample.matched_steps is not None]
    diverged = [sample for sample in with_steps if sample.differs_in is not None]
    if diverged:
        yield from _divergence_sentences(with_steps, diverged)
        superficial = sum(sample.verdict == "correct" for sample in diverged)
        if superficial:
            yield (
                f"{superficial:,} of the {len(correct):,} correct answers come after a wrong "
                "execution."
            )
    elif with_steps:
        yield f"None of {pluralize(len(with_steps), 'prediction')} diverges."
    truncated = sum(sample.verdict == "truncated" for sample in samples)
    if truncated:
        yield f"{_share(truncated, len(samples))} are truncated ({truncated:,})."


def _divergence_sentences(
    samples: Sequence[ScoredSample], diverged: Sequence[ScoredSample]
) -> Iterator[str]:
    steps = [sample.step for sample in diverged if sample.step is not None]
    half = f", half of them by step {median_low(steps):,}" if len(steps) > 1 else ""
    whole = "the predictions" if len(samples) > 1 else "the prediction"
    yield (
        f"{_share(len(diverged), len(samples))} of {whole} ({len(diverged):,} of {len(samples):,}) "
        f"{'diverge' if len(samples) > 1 else 'diverges'} from the actual execution{half}."
    )
    (place, count), *_ = Counter(map(_place, diverged)).most_common()
    if len(diverged) > 1:
        yield f"{_share(count, len(diverged))} of the divergences ({count:,}) are in {place}."


def _place(sample: ScoredSample) -> str:
    where = sample.differs_in or ""
    return _PLACE_NAMES.get(where) or _KIND_NAMES.get(sample.kind or "", "another value")


def _share(part: int, whole: int) -> str:
    """3, 4 -> "75%"; a share is 0% or 100% only if it is exactly that."""
    percent = 100 * part / whole
    if 0 < part < whole:
        percent = min(max(percent, 1), 99)
    return f"{percent:.0f}%"
