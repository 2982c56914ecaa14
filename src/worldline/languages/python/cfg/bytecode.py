"""Instructions of a code object and the edges between them.

The order of execution is read from the bytecode and its exception table, because CPython derives
its own line events from these.
"""

import dis
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

_VERSION = sys.version_info[:2]

RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST"})
_UNCONDITIONAL_JUMPS = frozenset({"JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"})
_NO_FALL_THROUGH = RETURNS | _UNCONDITIONAL_JUMPS | {"RAISE_VARARGS", "RERAISE"}
# SEND jumps when the awaited object is done: part of `await`, not a branch of the program.
_NOT_A_BRANCH = _UNCONDITIONAL_JUMPS | {"SEND"}
_NEVER_RAISES = frozenset(
    {
        *("NOP", "COPY", "SWAP", "LOAD_CONST", "PUSH_NULL", "POP_TOP", "STORE_FAST"),
        *("PUSH_EXC_INFO", "POP_EXCEPT", "JUMP_FORWARD", "JUMP_BACKWARD_NO_INTERRUPT"),
    }
)
_RERAISES = frozenset({"RERAISE", "CLEANUP_THROW", "END_ASYNC_FOR"})
# Instructions that fetch the next item of an `async for`; an exception ends the loop.
_ASYNC_NEXT = frozenset({"GET_ANEXT", "SEND"})
# Instructions that may call a Python function without leaving the interpreter's loop.
_INLINED_CALLS = frozenset({"CALL", "LOAD_ATTR", "BINARY_SUBSCR"})


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge from an instruction to one that may run next.

    Attributes:
        target: index of the next instruction.
        traced_from: what CPython's line tracing takes for the previous instruction: usually the
            one that was executed, but not always. None: an instruction without a line.
        is_exception: whether the edge is taken because an exception was raised.
    """

    target: int
    traced_from: tuple[int | None, ...]
    is_exception: bool = False


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction, its line, and its outgoing edges."""

    opname: str
    line: int | None
    edges: tuple[Edge, ...]
    is_branch: bool
    is_uncaught_reraise: bool


@dataclass(frozen=True, slots=True)
class ExceptionTableEntry:
    """An entry of the exception table: the handler of the instructions from `start` to `stop`.

    `has_lasti`: the offset of the raising instruction is pushed on the stack, and a RERAISE in the
    handler may restore it, so that the exception seems to come from that instruction.
    """

    start: int
    stop: int
    handler: int
    has_lasti: bool


def decode_instructions(code: CodeType) -> tuple[Instruction, ...]:
    """Decode the instructions of a code object; edges are indexes into the result.

    the code of "x = 1" -> RESUME (to 1), LOAD_CONST (to 2), STORE_NAME (to 3), …
    """
    raw = list(dis.get_instructions(code))
    lines = [line for line, *_ in code.co_positions()]
    entries = list(parse_exception_table(code.co_exceptiontable))
    index_at = {item.offset: index for index, item in enumerate(raw)}
    handlers = [
        next(
            (
                index_at[entry.handler]
                for entry in entries
                if entry.start <= item.offset < entry.stop
            ),
            None,
        )
        for item in raw
    ]
    with_lasti = tuple(
        index_at[item.offset]
        for item in raw
        if any(entry.has_lasti and entry.start <= item.offset < entry.stop for entry in entries)
    )
    return tuple(
        Instruction(
            opname=item.opname,
            line=lines[item.offset // 2],
            edges=(
                *_normal_edges(raw, index_at, index),
                *_exception_edges(raw, index, handlers[index], with_lasti),
            ),
            is_branch=item.opname == "END_ASYNC_FOR"
            or (_is_jump(item) and item.opname not in _NOT_A_BRANCH),
            is_uncaught_reraise=handlers[index] is None and is_reraise(item),
        )
        for index, item in enumerate(raw)
    )


def _normal_edges(
    raw: list[dis.Instruction], index_at: dict[int, int], index: int
) -> Iterator[Edge]:
    """Edges of an instruction that does not raise."""
    item = raw[index]
    if item.opname not in _NO_FALL_THROUGH:
        yield Edge(index + 1, _traced_from(item.opname, index))
    if _is_jump(item):
        target = index_at[item.argval]
        # A finished loop skips its cleanup instructions.
        if item.opname == "FOR_ITER" and raw[target].opname == "END_FOR":
            target += 1 if _VERSION < (3, 13) else 2
        yield Edge(target, (index,))


def _traced_from(opname: str, index: int) -> tuple[int | None, ...]:
    # Python 3.12 loses the previous line when a call of a Python function returns.
    return (index, None) if _VERSION == (3, 12) and opname in _INLINED_CALLS else (index,)


def _exception_edges(
    raw: list[dis.Instruction], index: int, handler: int | None, with_lasti: tuple[int, ...]
) -> Iterator[Edge]:
    """Edges of an instruction that raises."""
    opname = raw[index].opname
    if handler is None or opname in _NEVER_RAISES:
        return
    if is_reraise(raw[index]):
        # A re-raise has no exception event, so this is a normal edge; with `lasti` it seems to
        # come from the instruction that raised first.
        restores_lasti = opname == "RERAISE" and raw[index].arg
        yield Edge(handler, with_lasti if restores_lasti else (index,))
    if opname == "RERAISE":
        return
    # From 3.13 on, an exception thrown into a generator comes from the instruction after its yield.
    is_thrown_in = _VERSION >= (3, 13) and opname == "YIELD_VALUE"
    traced_from = (index + 1,) if is_thrown_in else _traced_from(opname, index)
    yield Edge(handler, traced_from, is_exception=True)
    if opname in _ASYNC_NEXT and raw[handler].opname == "END_ASYNC_FOR":
        yield Edge(handler, (index,))


def is_reraise(item: dis.Instruction) -> bool:
    """Whether an instruction may raise an exception again that had its exception event already.

    the end of a `finally`, an `except` that does not match, a bare `raise` -> True
    """
    return item.opname in _RERAISES or (item.opname == "RAISE_VARARGS" and item.arg == 0)


def _is_jump(item: dis.Instruction) -> bool:
    return item.opcode in dis.hasjrel or item.opcode in dis.hasjabs


def parse_exception_table(table: bytes) -> Iterator[ExceptionTableEntry]:
    """Parse a code object's `co_exceptiontable`; its entries do not overlap.

    Each entry is four numbers in base 64, most significant digit first. Bit 6 of a byte is set if
    another digit of the same number follows.
    """
    numbers: list[int] = []
    value = 0
    for byte in table:
        value = value << 6 | byte & 63
        if not byte & 64:
            numbers.append(value)
            value = 0
    for start, length, handler, depth in zip(*[iter(numbers)] * 4, strict=True):
        yield ExceptionTableEntry(start * 2, (start + length) * 2, handler * 2, bool(depth & 1))
