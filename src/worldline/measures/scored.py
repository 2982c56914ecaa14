"""The scores of true steps go in; how many a model would have taken itself comes out."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from worldline.predict import StepScore
from worldline.stats import Share, clustered_share


@dataclass(frozen=True, slots=True)
class ScoredSteps:
    """How a model takes true steps one at a time, each given the true ones before it.

    `actions`, `states`, `steps`: those that are its own choice, to the last token; the intervals
    know that the steps of one sample are alike. The end of a trace is an action, and no state.
    `…_surprise`: the mean of a token, in nats.
    """

    samples: int
    actions: Share
    states: Share
    steps: Share
    action_surprise: float
    state_surprise: float


def measure_scores(scored: Iterable[tuple[str, tuple[StepScore, ...]]]) -> ScoredSteps | None:
    """Count the scores of samples, each with its name; none where nothing was scored."""
    by_sample: dict[str, list[StepScore]] = defaultdict(list)
    for sample, scores in scored:
        by_sample[sample] += scores
    groups = [scores for scores in by_sample.values() if scores]
    if not groups:
        return None
    every = [score for scores in groups for score in scores]
    with_state = [[score for score in scores if score.state_tokens] for scores in groups]
    return ScoredSteps(
        samples=len(groups),
        actions=_share([[s.is_action_greedy for s in scores] for scores in groups]),
        states=_share([[s.is_state_greedy for s in scores] for scores in with_state]),
        steps=_share(
            [[s.is_action_greedy and s.is_state_greedy for s in scores] for scores in groups]
        ),
        action_surprise=sum(s.action_surprise for s in every)
        / max(1, sum(s.action_tokens for s in every)),
        state_surprise=sum(s.state_surprise for s in every)
        / max(1, sum(s.state_tokens for s in every)),
    )


def _share(groups: list[list[bool]]) -> Share:
    return clustered_share(list(map(sum, groups)), list(map(len, groups)))
