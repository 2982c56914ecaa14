"""Modes for codecs that write rows of plain text: the same as for step codecs, row by row.

`force-actions`: the executed lines are forced and the model generates their effects. `force-state`:
effects are forced and the model generates the lines, up to the first wrong one. `score`: both are
forced. guided_rows.py has the mode `guided`.
"""

from bisect import bisect_right
from collections.abc import Iterator

from worldline.core.trace import Trace
from worldline.models.codecs import Role, RoleSegments, RowCodec, RowText
from worldline.models.prediction.constrained_generation import ConstrainedGeneration

# Of the parts of a row.
_ROLES: tuple[Role, Role] = ("action", "state")


async def force_rows(
    completion: ConstrainedGeneration, codec: RowCodec, actual: Trace, from_step: int
) -> None:
    """Force the rows of the first steps of the actual trace."""
    text = "".join(row.action + row.state for row in _rows_before(codec, actual, from_step))
    if text:
        await completion.force((text,))


async def generate_row_states(
    completion: ConstrainedGeneration, codec: RowCodec, actual: Trace, *, from_step: int
) -> None:
    """Force the executed lines and let the model generate their effects and the answer."""
    for row in _rows_after(codec, actual, from_step):
        await completion.force((row.action,))
        if not await completion.generate_until_text(("\n",)):
            return


async def generate_row_actions(
    completion: ConstrainedGeneration, codec: RowCodec, actual: Trace, *, from_step: int
) -> None:
    """Force the effects and let the model generate the executed lines, up to the first wrong one.

    The answer is the effect of the last row, so it is forced, too.
    """
    for row in _rows_after(codec, actual, from_step):
        if not await _generate_action(completion, codec, row):
            return
        await completion.force((row.state,))


def split_into_steps(codec: RowCodec, actual: Trace) -> list[tuple[RoleSegments, ...]]:
    """The actual rows, split into steps: the effect of a row is the state of the next step.

    A step that is not written, as those of an entry point that only wraps the call, has no parts.
    """
    rows = list(codec.encode_rows(actual))
    text = "".join(row.action + row.state for row in rows)
    ends = [step_text.end for step_text in codec.decode(text, actual.program).step_texts]
    steps: list[list[RoleSegments]] = [[] for _ in ends]
    position = 0
    for row in rows:
        for role, part in zip(_ROLES, row, strict=True):
            step = min(bisect_right(ends, position), len(ends) - 1)
            if part:
                steps[step].append(RoleSegments(role, (part,)))
            position += len(part)
    return [tuple(parts) for parts in steps]


async def _generate_action(
    completion: ConstrainedGeneration, codec: RowCodec, row: RowText
) -> bool:
    """Let the model generate the action of a row; false if it is wrong."""
    start = len(completion.text)
    stops = (row.action.rpartition(" ")[2], codec.answer_prefix, "\n")
    while True:
        is_stopped = await completion.generate_until_text(stops)
        text = completion.text[start:]
        if text.strip() == row.action.strip():
            return True
        # The source line may itself contain the text that ends an action.
        if not is_stopped or text.endswith("\n") or not row.action.startswith(text):
            return False


def _rows_before(codec: RowCodec, actual: Trace, from_step: int) -> Iterator[RowText]:
    text = ""
    for row in codec.encode_rows(actual) if from_step else ():
        if len(codec.decode(text, actual.program).steps) >= from_step:
            return
        text += row.action + row.state
        yield row


def _rows_after(codec: RowCodec, actual: Trace, from_step: int) -> Iterator[RowText]:
    skipped = len(list(_rows_before(codec, actual, from_step)))
    for index, row in enumerate(codec.encode_rows(actual)):
        if index >= skipped:
            yield row
