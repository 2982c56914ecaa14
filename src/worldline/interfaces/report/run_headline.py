"""Headline of a run: its most important results in two or three sentences."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median_low

from worldline.core.util.text import pluralize
from worldline.evaluation.runs import ScoredSample

# Kinds of values in a sentence.
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
# What a divergence in something other than a value is.
_ERROR_NAMES = {
    "action": "a wrong next line",
    "end": "a wrong end of the execution",
    "exception": "a wrong exception",
}
_WRONG_VALUE = "a wrong value"


def headline(samples: Sequence[ScoredSample]) -> str:
    """The results of a run in sentences, each with its denominator.

    "36.7% of 196 answers are correct (72). 81.1% of the predictions (159 of 196) diverge from the
    actual execution, half of them by step 6. 58 of the 159 divergences are a wrong next line, 101 a
    wrong value, most often a string (76)."

    Infrastructure errors are not counted. "" if there is nothing to count.
    """
    return " ".join(_sentences([s for s in samples if s.verdict != "infra_error"]))


def _sentences(samples: Sequence[ScoredSample]) -> Iterator[str]:
    if not samples:
        return
    correct = [sample for sample in samples if sample.verdict == "correct"]
    # A sample without an answer is not correct, but it is no answer either.
    has_answers = all(sample.verdict in ("correct", "incorrect") for sample in samples)
    counted = pluralize(len(samples), "answer" if has_answers else "sample")
    yield f"{_share(len(correct), len(samples))} of {counted} " + (
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
    if len(diverged) > 1:
        yield _errors_sentence(diverged)


def _errors_sentence(diverged: Sequence[ScoredSample]) -> str:
    """All divergences by what is wrong; the values are last, with their most frequent kind."""
    errors = Counter(_ERROR_NAMES.get(s.differs_in or "", _WRONG_VALUE) for s in diverged)
    (name, count), *others = sorted(errors.most_common(), key=lambda each: each[0] == _WRONG_VALUE)
    if others:
        start = f"{count:,} of the {len(diverged):,}"
    else:
        start = "Both" if count == 2 else f"All {count:,}"
    first = f"{start} divergences {'is' if count == 1 else 'are'} {name}"
    parts = [first, *(f"{number:,} {error}" for error, number in others)]
    return ", ".join(parts) + _kind_text(diverged) + "."


def _kind_text(diverged: Sequence[ScoredSample]) -> str:
    """ ", most often a string (76)"; "" if no kind of value is more frequent than the others."""
    values = [sample for sample in diverged if sample.differs_in not in _ERROR_NAMES]
    kinds = Counter(sample.kind or "" for sample in values).most_common(2)
    counts = [number for _, number in kinds]
    name = _KIND_NAMES.get(kinds[0][0]) if kinds else None
    if len(values) < 2 or name is None:
        return ""
    if len(counts) == 1:
        return f", always {name}"
    return f", most often {name} ({counts[0]:,})" if counts[0] > counts[1] else ""


def _share(part: int, whole: int) -> str:
    """3, 4 -> "75.0%"; a share is 0% or 100% only if it is exactly that."""
    if part in (0, whole):
        return f"{100 * part // whole}%"
    return f"{min(max(100 * (part / whole), 0.1), 99.9):.1f}%"
