"""One-step accuracy: the share of actual steps that are the model's own first choice."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from worldline.analysis.stats import Share, clustered_share
from worldline.models.prediction import StepScore


@dataclass(frozen=True, slots=True)
class OneStepAccuracy:
    """The accuracy of a model on single steps, with the actual steps before as context.

    A step counts if every token of it is the model's most probable one. The intervals account for
    the correlation of the steps of one sample.

    Attributes:
        samples: The number of samples.
        actions: The share of actions; the end of a trace is an action.
        states: The share of states.
        steps: The share of steps with a correct action and state.
        action_surprise: The mean negative log-likelihood of an action token, in nats.
        state_surprise: The mean negative log-likelihood of a state token, in nats.
    """

    samples: int
    actions: Share
    states: Share
    steps: Share
    action_surprise: float
    state_surprise: float

    def __repr__(self) -> str:
        shares = ", ".join(
            f"{name} {'none' if share.value is None else f'{share.value:.3f}'}"
            for name, share in (
                ("actions", self.actions),
                ("states", self.states),
                ("steps", self.steps),
            )
        )
        return f"OneStepAccuracy({self.samples} samples: {shares})"


def measure_one_step_accuracy(
    scored: Iterable[tuple[str, tuple[StepScore, ...]]],
) -> OneStepAccuracy | None:
    """Measure the one-step accuracy.

    Args:
        scored: The scores of each sample, with its name.

    Returns:
        The accuracy; None if no step was scored.
    """
    by_sample: dict[str, list[StepScore]] = defaultdict(list)
    for sample, scores in scored:
        by_sample[sample] += scores
    groups = [scores for scores in by_sample.values() if scores]
    if not groups:
        return None
    all_scores = [score for scores in groups for score in scores]
    with_action = [[score for score in scores if score.action_tokens] for scores in groups]
    with_state = [[score for score in scores if score.state_tokens] for scores in groups]
    written = [[s for s in scores if s.action_tokens or s.state_tokens] for scores in groups]
    return OneStepAccuracy(
        samples=len(groups),
        actions=_share([[s.is_action_greedy for s in scores] for scores in with_action]),
        states=_share([[s.is_state_greedy for s in scores] for scores in with_state]),
        steps=_share(
            [[s.is_action_greedy and s.is_state_greedy for s in scores] for scores in written]
        ),
        action_surprise=sum(s.action_surprise for s in all_scores)
        / max(1, sum(s.action_tokens for s in all_scores)),
        state_surprise=sum(s.state_surprise for s in all_scores)
        / max(1, sum(s.state_tokens for s in all_scores)),
    )


def _share(groups: list[list[bool]]) -> Share:
    return clustered_share(list(map(sum, groups)), list(map(len, groups)))
