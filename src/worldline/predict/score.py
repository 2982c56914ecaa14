"""A true trace goes in; how a model takes every step of it comes out, from one pass over all."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.codecs import StepCodec
from worldline.engines import TokenScore
from worldline.predict.draft import BudgetSpent, Draft
from worldline.trace import Trace


@dataclass(frozen=True, slots=True)
class StepScore:
    """How a model takes one true step, given the true ones before it.

    `is_…_greedy`: would it have chosen all of its tokens itself? `…_surprise`: the negative
    log-probability of its tokens together, in nats. The end of a trace has an action and no state.
    """

    action_tokens: int
    action_surprise: float
    is_action_greedy: bool
    state_tokens: int
    state_surprise: float
    is_state_greedy: bool


async def score_steps(
    draft: Draft, codec: StepCodec, truth: Trace
) -> tuple[tuple[StepScore, ...], bool]:
    """Score every step that the budget holds, and leave in the draft what the model would write:
    the truth as far as it is its own greedy choice, then the first token that is not. Also says
    whether that is all of it."""
    steps = list(codec.parts(truth))
    pieces = [piece for step in steps for part in step for piece in part.pieces]
    encoded = iter(await draft.vocabulary.encode(pieces))
    roles: list[list[str]] = []
    ids: list[int] = []
    for step in steps:
        roles.append([])
        for part in step:
            size = 0
            for _ in part.pieces:
                token_ids = next(encoded)
                ids += token_ids
                size += len(token_ids)
            roles[-1] += [part.role] * size
    # One token is written behind the prompt, whether it is wanted or not.
    held = ids[: max(0, draft.budget - 1)]
    if not held:
        raise BudgetSpent
    scored = await draft.engine.score([*draft.prompt, *held])
    draft.usage += scored.usage
    scores = scored.tokens[len(draft.prompt) - 1 :]
    found: list[StepScore] = []
    place = 0
    for step_roles in roles:
        if place + len(step_roles) > len(held):
            break
        found.append(_step_score(step_roles, scores[place : place + len(step_roles)]))
        place += len(step_roles)
    await _imagine(draft, held, scores)
    return tuple(found), len(held) == len(ids) and all(score.rank == 1 for score in scores)


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


async def _imagine(draft: Draft, held: Sequence[int], scores: Sequence[TokenScore]) -> None:
    """Write what the model would have written greedily, as far as one pass can tell."""
    agreed = next((n for n, score in enumerate(scores) if score.rank != 1), len(scores))
    written = [*held[:agreed], *(score.likeliest for score in scores[agreed : agreed + 1])]
    draft.ids += written
    draft.text += await draft.engine.spell(written)
