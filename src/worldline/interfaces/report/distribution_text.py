"""Text of a distribution and of the score of predictions."""

from collections.abc import Iterator

from worldline.analysis.choices import (
    Belief,
    DistanceEstimate,
    Distribution,
    DistributionScore,
    StatedScore,
)
from worldline.analysis.stats import share
from worldline.core.util.text import pluralize, truncate_text

# Outcomes that are listed without --all.
LISTED_OUTCOMES = 50
# A fraction with a larger denominator is only shown as a percentage.
_MAX_DENOMINATOR = 1_000_000


def distribution_lines(
    distribution: Distribution, *, width: int, limit: int | None = LISTED_OUTCOMES
) -> Iterator[str]:
    """Yield one line per outcome: fraction, percentage and text."""
    how = "enumerated" if distribution.is_exact else "sampled"
    outcomes = pluralize(len(distribution.probabilities), "outcome")
    yield f"{outcomes}, {pluralize(distribution.executions, 'execution')} {how}"
    yield from outcome_lines(distribution, width=width, limit=limit)


def outcome_lines(
    distribution: Distribution, *, width: int, limit: int | None = LISTED_OUTCOMES
) -> Iterator[str]:
    """Yield one line per outcome, without a heading."""
    for number, (text, probability) in enumerate(distribution.probabilities.items()):
        if limit is not None and number >= limit:
            yield f"… {len(distribution.probabilities) - limit:,} more; list all with --all"
            return
        if distribution.is_exact:
            is_short = probability.denominator <= _MAX_DENOMINATOR
            detail = str(probability) if is_short else ""
        else:
            count = round(probability * distribution.executions)
            interval = share(count, distribution.executions)
            assert interval.low is not None
            assert interval.high is not None
            detail = f"{interval.low:.1%} to {interval.high:.1%}"
        shown = truncate_text(text.rstrip("\n").replace("\n", "⏎"), max(20, width - 36))
        yield f"{float(probability):>8.2%}  {detail:<16}  {shown}"


def belief_lines(belief: Belief, *, width: int) -> Iterator[str]:
    """Yield the lines of a belief: the hidden state, and the next observation."""
    yield f"probability of the observations: {belief.probability}"
    yield f"hidden: {', '.join(belief.hidden)}"
    yield from outcome_lines(belief.state, width=width)
    yield "next observation:"
    yield from outcome_lines(belief.next_observation, width=width)


def stated_score_lines(name: str, score: StatedScore) -> Iterator[str]:
    """Yield the lines about stated probabilities."""
    yield f"stated probabilities of the {name}:"
    yield (
        f"total variation {score.total_variation:.3f}, Jensen–Shannon distance "
        f"{score.jensen_shannon:.3f}, impossible {score.impossible:.1%}"
    )
    yield f"log score {score.log_score:.3f} bits (best possible {score.best_log_score:.3f})"


def score_lines(score: DistributionScore) -> Iterator[str]:
    """Yield the lines about repeated predictions."""
    yield f"{pluralize(score.predictions, 'prediction')}, {score.impossible:,} impossible"
    yield f"total variation {_distance(score.total_variation)}"
    yield f"Jensen–Shannon distance {_distance(score.jensen_shannon)}"
    yield f"log score {score.log_score:.3f} bits (best possible {score.best_log_score:.3f})"


def _distance(estimate: DistanceEstimate) -> str:
    interval = f"[{estimate.low:.3f}, {estimate.high:.3f}]"
    is_sampling_noise = estimate.value <= estimate.chance
    judgement = "within" if is_sampling_noise else "more than"
    return (
        f"{estimate.value:.3f} {interval}: {judgement} sampling noise (up to {estimate.chance:.3f})"
    )
