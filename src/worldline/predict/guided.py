"""Prediction along the control-flow graph, with no ground truth.

The next step must be one that may follow in the program's source. Where there is only one, it is
given without asking; where there are several, the model chooses among just these.
"""

from worldline.codecs import Course, Part, Special, StepCodec
from worldline.flow import Option, Walk
from worldline.predict.draft import Draft


async def write_guided(
    draft: Draft, codec: StepCodec, course: Course, walk: Walk, *, longest_value: int | None
) -> None:
    """Let the model choose its way through the graph, and write the state at every step.

    `course` and `walk` have gone as far as the draft. `longest_value`: keep states to well-formed
    text with values up to this length, where the engine can; else the first state that does not
    end as it should ends the draft.
    """
    while not walk.is_over:
        options = await _write_step(draft, codec, course, walk, longest_value)
        if not options:
            return
        walk.take(*options)
        course.take(options[0].event, options[0].line)
    await draft.give((codec.end,))


async def _write_step(
    draft: Draft, codec: StepCodec, course: Course, walk: Walk, longest_value: int | None
) -> list[Option]:
    """One step, chosen among the options; none where the model broke off in its state, several
    where lines have the same text, which is all that a model writes of them."""
    candidates = [(o, codec.outline(o.event, o.line, course)) for o in walk.options]
    # The first part tells the event, so that the parts of those left are alike in their roles.
    for place in range(max(len(parts) for _, parts in candidates)):
        if place == len(candidates[0][1]):
            break
        part = candidates[0][1][place]
        if part.role == "action":
            pieces = [parts[place].pieces for _, parts in candidates]
            chosen = pieces[await draft.choose(pieces, ends=tuple(codec.specials))]
            candidates = [(o, parts) for o, parts in candidates if parts[place].pieces == chosen]
        elif all(walk.is_unwound(option) for option, _ in candidates):
            await draft.give(tuple(filter(None, (codec.no_value, part.pieces[-1]))))
        elif not await _write_state(draft, codec, candidates[0][0], part, longest_value):
            return []
    return [option for option, _ in candidates]


async def _write_state(
    draft: Draft, codec: StepCodec, option: Option, part: Part, longest_value: int | None
) -> bool:
    """Let the model write a state; says whether it ended it as it should."""
    end = part.pieces[-1]
    if longest_value is None or not isinstance(end, Special):
        return await draft.write(tuple(codec.specials)) == end
    await draft.write_within(codec.state_grammar(option.event, longest_value=longest_value), end)
    return True
