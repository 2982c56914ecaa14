"""Ways of predicting: a draft goes in with just the prompt, and comes out written.

`free`: the model writes all of it. `force-actions`: the true events and lines are given, the model
writes the states. `force-state`: the true states are given, the model writes events and lines, up
to the first that is wrong (there is no true state for a line that is not executed).
"""

from collections.abc import Iterable, Iterator

from worldline.codecs import Codec, Part, Pieces, Special, StepCodec, joined
from worldline.predict.draft import Draft
from worldline.trace import Trace


async def write_free(draft: Draft, codec: Codec) -> None:
    """Let the model write to the end."""
    await draft.write([] if codec.end is None else [codec.end])


async def write_states(draft: Draft, codec: StepCodec, truth: Trace, *, from_step: int) -> None:
    """Give the true actions and let the model write the states, its own mistakes included."""
    for part in _merged(list(codec.parts(truth))[from_step:]):
        if part.role == "action":
            await draft.give(part.pieces)
        elif await draft.write(tuple(codec.specials)) != part.pieces[-1]:
            # The model ended its state in another way: what would follow is not about it.
            return


async def write_actions(draft: Draft, codec: StepCodec, truth: Trace, *, from_step: int) -> None:
    """Give the true states and let the model write the actions, up to the first wrong one."""
    for part in _merged(list(codec.parts(truth))[from_step:]):
        if part.role == "state":
            await draft.give(part.pieces)
            continue
        start = len(draft.text)
        await draft.write(_stops(codec, part.pieces))
        if draft.text[start:] != "".join(part.pieces):
            return


async def give_steps(draft: Draft, codec: StepCodec, truth: Trace, steps: int) -> None:
    """Give the first steps of the true trace."""
    parts = list(codec.parts(truth))[:steps]
    await draft.give(joined(part for step in parts for part in step))


def _merged(steps: Iterable[tuple[Part, ...]]) -> Iterator[Part]:
    """Neighbouring parts of the same role as one, across steps: one request each."""
    last: Part | None = None
    for part in (part for step in steps for part in step):
        if last is not None and part.role == last.role:
            last = Part(last.role, last.pieces + part.pieces)
            continue
        if last is not None:
            yield last
        last = part
    if last is not None:
        yield last


def _stops(codec: StepCodec, pieces: Pieces) -> tuple[Special, ...]:
    """Where to stop a model that writes these pieces: at any special token but those on the way."""
    passed = {piece for piece in pieces[:-1] if isinstance(piece, Special)}
    return tuple(special for special in codec.specials if special not in passed)
