"""Scores of the steps of an actual trace, in the mode `score`, from one forward pass."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.models.codecs import RoleSegments
from worldline.models.engines import TokenScore
from worldline.models.prediction.constrained_generation import (
    ConstrainedGeneration,
    MaxTokensReached,
)


@dataclass(frozen=True, slots=True)
class StepScore:
    """How probable one actual step is to a model, given the actual steps before it.

    The end of a trace has an action and no state. A step that the format does not write has no
    tokens.

    Attributes:
        action_tokens: number of tokens of the action.
        action_surprise: negative log-likelihood of the action's tokens together, in nats.
        is_action_greedy: whether greedy decoding gives all tokens of the action.
        state_tokens: number of tokens of the state.
        state_surprise: negative log-likelihood of the state's tokens together, in nats.
        is_state_greedy: whether greedy decoding gives all tokens of the state.
    """

    action_tokens: int
    action_surprise: float
    is_action_greedy: bool
    state_tokens: int
    state_surprise: float
    is_state_greedy: bool

    def __repr__(self) -> str:
        return (
            f"StepScore(action {self.action_surprise:.3f} nats in {self.action_tokens} tokens, "
            f"state {self.state_surprise:.3f} nats in {self.state_tokens} tokens)"
        )


async def score_steps(
    completion: ConstrainedGeneration, steps: Sequence[Sequence[RoleSegments]]
) -> tuple[tuple[StepScore, ...], bool]:
    """Score every step of the actual trace that fits into the token limit.

    Args:
        completion: The prompt, and nothing after it.
        steps: The actual steps as a codec writes them.

    The completion becomes what greedy decoding would give, as far as one pass shows it: the actual
    tokens up to the first that is not the model's own choice, and that choice.

    Returns:
        The scores, and whether the completion is the complete actual trace.
    """
    segments = [segment for step in steps for part in step for segment in part.segments]
    encoded = iter(await completion.codec_tokenizer.encode(segments))
    roles: list[list[str]] = []
    ids: list[int] = []
    for step in steps:
        roles.append([])
        for part in step:
            size = 0
            for _ in part.segments:
                token_ids = next(encoded)
                ids += token_ids
                size += len(token_ids)
            roles[-1] += [part.role] * size
    # A server generates at least one token after the prompt.
    scored_ids = ids[: max(0, completion.max_tokens - 1)]
    if not scored_ids:
        raise MaxTokensReached
    reply = await completion.engine.score([*completion.prompt, *scored_ids])
    completion.usage += reply.usage
    token_scores = reply.tokens[len(completion.prompt) - 1 :]
    step_scores: list[StepScore] = []
    start = 0
    for step_roles in roles:
        end = start + len(step_roles)
        if end > len(scored_ids):
            break
        step_scores.append(_step_score(step_roles, token_scores[start:end]))
        start = end
    await _add_greedy_tokens(completion, scored_ids, token_scores)
    is_complete = len(scored_ids) == len(ids) and all(score.rank == 1 for score in token_scores)
    return tuple(step_scores), is_complete


def _step_score(roles: Sequence[str], scores: Sequence[TokenScore]) -> StepScore:
    action = [score for role, score in zip(roles, scores, strict=True) if role == "action"]
    state = [score for role, score in zip(roles, scores, strict=True) if role == "state"]
    return StepScore(
        len(action),
        0.0 - sum(score.logprob for score in action),
        all(score.rank == 1 for score in action),
        len(state),
        0.0 - sum(score.logprob for score in state),
        all(score.rank == 1 for score in state),
    )


async def _add_greedy_tokens(
    completion: ConstrainedGeneration, ids: Sequence[int], scores: Sequence[TokenScore]
) -> None:
    """Append the tokens of greedy decoding, up to the first that is not in the actual trace."""
    agreed = next((n for n, score in enumerate(scores) if score.rank != 1), len(scores))
    greedy = [*ids[:agreed], *(score.likeliest for score in scores[agreed : agreed + 1])]
    completion.ids += greedy
    completion.text += await completion.engine.detokenize(greedy)
