"""A code object goes in, its instructions and the jumps between them come out.

What runs after what is read from the bytecode and its exception table, because that is what
Python's own line steps are made from.
"""

import dis
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

# The frame ends here, or its exception is looked up in the table.
RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST"})
_RAISES = frozenset({"RAISE_VARARGS", "RERAISE"})
_JUMPS_ALWAYS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
# SEND jumps when the awaited thing is done: part of `await`, not a decision of the program.
_NOT_DECIDING = _JUMPS_ALWAYS | {"SEND"}
_NEVER_RAISES = frozenset(
    {"NOP", "COPY", "SWAP", "LOAD_CONST", "PUSH_NULL", "PUSH_EXC_INFO", "POP_EXCEPT", "JUMP_FORWARD"}
)
# Where an `async for` loop asks for its next item; the end of it is told by an exception.
_ASKS_FOR_ITEM = frozenset({"GET_ANEXT", "SEND"})


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, the ones that may run after it, and where it goes when it raises.

    `raised_at` is set on a re-raise that claims to come from where the exception first was
    raised: the instructions this may be.
    """

    op: str
    line: int | None
    after: tuple[int, ...]
    handler: int | None
    is_decision: bool
    raised_at: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Guarded:
    """A row of the exception table: instructions of these offsets are guarded by a handler."""

    start: int
    stop: int
    handler: int
    keeps_place: bool


def instructions(code: CodeType) -> tuple[Instruction, ...]:
    """The instructions of a code object, linked by their positions in this tuple.

    the code of "pass" -> (RESUME -> 1, LOAD_CONST -> 2, RETURN_VALUE)
    """
    raw = list(dis.get_instructions(code))
    lines = [line for line, *_ in code.co_positions()]
    table = list(exception_table(code.co_exceptiontable))
    at = {item.offset: index for index, item in enumerate(raw)}
    kept = tuple(
        index
        for index, item in enumerate(raw)
        if any(row.keeps_place and row.start <= item.offset < row.stop for row in table)
    )
    found = []
    for index, item in enumerate(raw):
        handler = next(
            (at[row.handler] for row in table if row.start <= item.offset < row.stop), None
        )
        after = _after(raw, at, index)
        ends_loop = handler is not None and raw[handler].opname == "END_ASYNC_FOR"
        if ends_loop and item.opname in _ASKS_FOR_ITEM and handler is not None:
            after = (*after, handler)
        found.append(
            Instruction(
                op=item.opname,
                line=lines[item.offset // 2],
                after=after,
                handler=None if item.opname in _NEVER_RAISES else handler,
                is_decision=item.opname == "END_ASYNC_FOR"
                or (_is_jump(item) and item.opname not in _NOT_DECIDING),
                raised_at=kept if item.opname == "RERAISE" and item.arg else (),
            )
        )
    return tuple(found)


def _after(raw: list[dis.Instruction], at: dict[int, int], index: int) -> tuple[int, ...]:
    """What may run after an instruction when it does not raise."""
    item = raw[index]
    if item.opname in RETURNS or item.opname in _RAISES:
        return ()
    following: tuple[int, ...] = () if item.opname in _JUMPS_ALWAYS else (index + 1,)
    if not _is_jump(item):
        return following
    target = at[item.argval]
    # A loop that is over skips what would clean up after it (END_FOR, from 3.13 with a POP_TOP).
    if item.opname == "FOR_ITER" and raw[target].opname == "END_FOR":
        target += 1 if sys.version_info < (3, 13) else 2
    return (*following, target)


def _is_jump(item: dis.Instruction) -> bool:
    return item.opcode in dis.hasjrel or item.opcode in dis.hasjabs


def exception_table(table: bytes) -> Iterator[_Guarded]:
    """The rows of a code object's `co_exceptiontable`, innermost first for any offset.

    Each row is four numbers in base 64, high digits first; a bit says that more digits follow.
    """
    numbers: list[int] = []
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            numbers.append(value)
            value = 0
    for start, length, handler, depth in zip(*[iter(numbers)] * 4, strict=True):
        yield _Guarded(start * 2, (start + length) * 2, handler * 2, bool(depth & 1))
