"""Generation in the modes `free`, `force-actions` and `force-state`.

`free`: the model generates the trace. `force-actions`: events and lines are teacher-forced
and the model generates the states. `force-state`: states are teacher-forced and the model generates
events and lines, up to the first wrong one (a line that is not executed has no actual state).
"""

from collections.abc import Iterable, Iterator

from worldline.core.trace import Trace
from worldline.models.codecs import (
    Codec,
    RoleSegments,
    Segments,
    SpecialToken,
    StepCodec,
    join_segments,
)
from worldline.models.prediction.constrained_generation import ConstrainedGeneration


async def generate_free(completion: ConstrainedGeneration, codec: Codec) -> None:
    """Let the model generate to the end."""
    await completion.generate_until([] if codec.end_token is None else [codec.end_token])


async def generate_states(
    completion: ConstrainedGeneration, codec: StepCodec, actual: Trace, *, from_step: int
) -> None:
    """Force the actual actions and let the model generate the states, wrong ones included."""
    for part in _merge_roles(list(codec.encode_steps(actual))[from_step:]):
        if part.role == "action":
            await completion.force(part.segments)
        elif await completion.generate_until(tuple(codec.special_tokens)) != part.segments[-1]:
            # The model ended the state with a different token: the next action does not fit.
            return


async def generate_actions(
    completion: ConstrainedGeneration, codec: StepCodec, actual: Trace, *, from_step: int
) -> None:
    """Force the actual states and let the model generate the actions, up to the first wrong one."""
    for part in _merge_roles(list(codec.encode_steps(actual))[from_step:]):
        if part.role == "state":
            await completion.force(part.segments)
            continue
        start = len(completion.text)
        await completion.generate_until(_stops(codec, part.segments))
        if completion.text[start:] != "".join(part.segments):
            return


async def force_steps(
    completion: ConstrainedGeneration, codec: StepCodec, actual: Trace, count: int
) -> None:
    """Force the first steps of the actual trace."""
    steps = list(codec.encode_steps(actual))[:count]
    await completion.force(join_segments(part for step in steps for part in step))


def _merge_roles(steps: Iterable[tuple[RoleSegments, ...]]) -> Iterator[RoleSegments]:
    """Merge neighbouring parts of the same role, across steps, so that each takes one request."""
    last: RoleSegments | None = None
    for part in (part for step in steps for part in step):
        if last is not None and part.role == last.role:
            last = RoleSegments(last.role, last.segments + part.segments)
            continue
        if last is not None:
            yield last
        last = part
    if last is not None:
        yield last


def _stops(codec: StepCodec, segments: Segments) -> tuple[SpecialToken, ...]:
    """Stop tokens for segments: all special tokens except those before the last segment."""
    inner = {segment for segment in segments[:-1] if isinstance(segment, SpecialToken)}
    return tuple(special for special in codec.special_tokens if special not in inner)
