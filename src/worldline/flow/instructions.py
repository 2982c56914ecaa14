"""A code object goes in, its instructions and the ways between them come out.

What runs after what is read from the bytecode and its exception table, because that is what
Python's own line steps are made from.
"""

import dis
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

_VERSION = sys.version_info[:2]

RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST"})
_JUMPS_ALWAYS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
_DOES_NOT_GO_ON = RETURNS | _JUMPS_ALWAYS | {"RAISE_VARARGS", "RERAISE"}
# SEND jumps when the awaited thing is done: part of `await`, not a decision of the program.
_NOT_DECIDING = _JUMPS_ALWAYS | {"SEND"}
_NEVER_RAISES = frozenset(
    {
        *("NOP", "COPY", "SWAP", "LOAD_CONST", "PUSH_NULL", "POP_TOP", "STORE_FAST"),
        *("PUSH_EXC_INFO", "POP_EXCEPT", "JUMP_FORWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
    }
)
_RERAISES = frozenset({"RERAISE", "CLEANUP_THROW", "END_ASYNC_FOR"})
# Where an `async for` loop asks for its next item; the end of it is told by an exception.
_ASKS_FOR_ITEM = frozenset({"GET_ANEXT", "SEND"})
# What may call a function of the program without leaving the interpreter's loop.
_CALLS = frozenset({"CALL", "LOAD_ATTR", "BINARY_SUBSCR"})


@dataclass(frozen=True, slots=True)
class Way:
    """From an instruction to one that may run next.

    `seen_from` is what Python takes for the instruction before when it looks for a new line:
    mostly the real one, but not always. None stands for one without a line.
    """

    to: int
    seen_from: tuple[int | None, ...]
    is_exception: bool = False


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, its line, and the ways that lead on from it."""

    op: str
    line: int | None
    ways: tuple[Way, ...]
    is_decision: bool
    is_reraise_out: bool


@dataclass(frozen=True, slots=True)
class Guard:
    """A row of the exception table: an error between two offsets goes to a handler.

    `keeps_place`: the handler remembers where the error was raised, and may claim that place
    when it raises it again.
    """

    start: int
    stop: int
    handler: int
    keeps_place: bool


def instructions(code: CodeType) -> tuple[Instruction, ...]:
    """The instructions of a code object; ways are indexes into this tuple.

    the code of "x = 1" -> RESUME (to 1), LOAD_CONST (to 2), STORE_NAME (to 3), …
    """
    raw = list(dis.get_instructions(code))
    lines = [line for line, *_ in code.co_positions()]
    guards = list(exception_table(code.co_exceptiontable))
    at = {item.offset: index for index, item in enumerate(raw)}
    handlers = [
        next((at[row.handler] for row in guards if row.start <= item.offset < row.stop), None)
        for item in raw
    ]
    kept = tuple(
        at[item.offset]
        for item in raw
        if any(row.keeps_place and row.start <= item.offset < row.stop for row in guards)
    )
    return tuple(
        Instruction(
            op=item.opname,
            line=lines[item.offset // 2],
            ways=(
                *_ways_on(raw, at, index),
                *_ways_by_exception(raw, index, handlers[index], kept),
            ),
            is_decision=item.opname == "END_ASYNC_FOR"
            or (_is_jump(item) and item.opname not in _NOT_DECIDING),
            is_reraise_out=handlers[index] is None and reraises(item),
        )
        for index, item in enumerate(raw)
    )


def _ways_on(raw: list[dis.Instruction], at: dict[int, int], index: int) -> Iterator[Way]:
    """Where an instruction goes when nothing is raised."""
    item = raw[index]
    if item.opname not in _DOES_NOT_GO_ON:
        yield Way(index + 1, _seen_from(item.opname, index))
    if _is_jump(item):
        target = at[item.argval]
        # A loop that is over skips what would clean up after it.
        if item.opname == "FOR_ITER" and raw[target].opname == "END_FOR":
            target += 1 if _VERSION < (3, 13) else 2
        yield Way(target, (index,))


def _seen_from(op: str, index: int) -> tuple[int | None, ...]:
    # 3.12 loses its place, and so its line, where a call of a Python function comes back.
    return (index, None) if _VERSION == (3, 12) and op in _CALLS else (index,)


def _ways_by_exception(
    raw: list[dis.Instruction], index: int, handler: int | None, kept: tuple[int, ...]
) -> Iterator[Way]:
    """Where an instruction goes when it raises."""
    op = raw[index].opname
    if handler is None or op in _NEVER_RAISES:
        return
    if reraises(raw[index]):
        # No exception is reported for the second time, so this counts as the usual way on; and
        # it may claim to come from where the exception was raised first.
        claims_place = op == "RERAISE" and raw[index].arg
        yield Way(handler, kept if claims_place else (index,))
    if op == "RERAISE":
        return
    # From 3.13 on, what is thrown into a generator comes from after its yield.
    is_thrown_in = _VERSION >= (3, 13) and op == "YIELD_VALUE"
    seen_from = (index + 1,) if is_thrown_in else _seen_from(op, index)
    yield Way(handler, seen_from, is_exception=True)
    if op in _ASKS_FOR_ITEM and raw[handler].opname == "END_ASYNC_FOR":
        yield Way(handler, (index,))


def reraises(item: dis.Instruction) -> bool:
    """Whether an instruction may send an exception on that has been reported already.

    the end of a `finally`, an `except` that does not match, a bare `raise` -> True
    """
    return item.opname in _RERAISES or (item.opname == "RAISE_VARARGS" and item.arg == 0)


def _is_jump(item: dis.Instruction) -> bool:
    return item.opcode in dis.hasjrel or item.opcode in dis.hasjabs


def exception_table(table: bytes) -> Iterator[Guard]:
    """The rows of a code object's `co_exceptiontable`; they do not overlap.

    Each row is four numbers, written in base 64 with the high digits first, where a bit of a
    digit says that another one follows.
    """
    numbers: list[int] = []
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            numbers.append(value)
            value = 0
    for start, length, handler, depth in zip(*[iter(numbers)] * 4, strict=True):
        yield Guard(start * 2, (start + length) * 2, handler * 2, bool(depth & 1))
