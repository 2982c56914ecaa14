"""A code object goes in, for each of its instructions whether it may raise comes out.

Rather too often than too seldom. What may strike anywhere is left out: signals, and memory that
is used up.
"""

import builtins
import dis
import sys
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType

from worldline.flow.instructions import Instruction
from worldline.flow.names import words
from worldline.flow.sites import BUILTINS, Sites, Span

_IS_CHECKED = sys.version_info >= (3, 12)
_TESTS_BOOLEANS = sys.version_info >= (3, 13)
_NEVER = words(
    "NOP COPY SWAP LOAD_CONST PUSH_NULL POP_TOP STORE_FAST PUSH_EXC_INFO POP_EXCEPT JUMP_FORWARD "
    "JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT RESUME EXTENDED_ARG MAKE_FUNCTION MAKE_CELL "
    "COPY_FREE_VARS LOAD_CLOSURE STORE_DEREF STORE_GLOBAL RETURN_VALUE RETURN_CONST YIELD_VALUE "
    "RETURN_GENERATOR ASYNC_GEN_WRAP BUILD_LIST BUILD_TUPLE BUILD_SLICE BUILD_STRING "
    "BUILD_CONST_KEY_MAP LIST_APPEND LIST_TO_TUPLE IS_OP MATCH_MAPPING MATCH_SEQUENCE KW_NAMES "
    "LOAD_ASSERTION_ERROR LOAD_BUILD_CLASS RERAISE END_FOR END_SEND LOAD_FAST_AND_CLEAR "
    "STORE_FAST_STORE_FAST STORE_FAST_LOAD_FAST LOAD_FAST_LOAD_FAST SET_FUNCTION_ATTRIBUTE "
    "STORE_FAST_MAYBE_NULL POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE "
    "POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE "
    # What it prepares, or even does, is put down to the CALL behind it.
    "PRECALL"
)
_GIVES_BOOLEAN = words("IS_OP CONTAINS_OP UNARY_NOT MATCH_MAPPING MATCH_SEQUENCE CHECK_EXC_MATCH")
_LOADS_NAME = words("LOAD_GLOBAL LOAD_NAME")
_LOOPS = words("GET_ITER FOR_ITER")


def may_raise(
    code: CodeType, raw: list[dis.Instruction], items: tuple[Instruction, ...], known: Sites
) -> list[bool]:
    """For each instruction whether an exception may come from it.

    the code of "x = 1\\ny = z" -> …, LOAD_CONST False, STORE_NAME False, LOAD_NAME True, …
    """
    bound = _bound_before(code, items, raw)
    found = []
    for index, item in enumerate(raw):
        # Where code is jumped to, the instruction above is not the one before.
        before = raw[index - 1] if index and not item.is_jump_target else None
        is_safe = (
            item.opname in _NEVER
            or (item.opname == "LOAD_FAST" and (_IS_CHECKED or item.argval in bound[index]))
            or (item.opname == "STORE_NAME" and code.co_name == "<module>")
            or (item.opname in _LOADS_NAME and item.argval in BUILTINS)
            or (item.opname in _LOOPS and span_at(item) in known.plain_loops)
            or _is_safe_truth(item, before, known)
            or (before is not None and _is_safe_after(item, before, known))
            or (item.opname in ("BUILD_MAP", "BUILD_SET") and item.arg == 0)
        )
        found.append(not is_safe)
    return found


def span_at(item: dis.Instruction) -> Span:
    """The place in the source that an instruction was made from."""
    place = item.positions
    if place is None:
        return None, None, None, None
    return place.lineno, place.end_lineno, place.col_offset, place.end_col_offset


def _is_safe_truth(item: dis.Instruction, before: dis.Instruction | None, known: Sites) -> bool:
    """Whether an instruction asks for a truth that can be had."""
    if _TESTS_BOOLEANS and item.opname != "TO_BOOL":
        return item.opname.startswith("POP_JUMP_IF") or item.opname == "UNARY_NOT"
    asks = item.opname in ("TO_BOOL", "UNARY_NOT") or "JUMP_IF" in _without_direction(item.opname)
    is_boolean = before is not None and before.opname in _GIVES_BOOLEAN
    return asks and (is_boolean or known.is_truth_plain)


def _without_direction(op: str) -> str:
    """ "POP_JUMP_FORWARD_IF_TRUE" -> "POP_JUMP_IF_TRUE" """
    return op.replace("_FORWARD", "").replace("_BACKWARD", "")


def _is_safe_after(item: dis.Instruction, before: dis.Instruction, known: Sites) -> bool:
    """Whether the instruction before makes one safe."""
    match item.opname:
        case "LIST_EXTEND" | "SET_UPDATE":
            return before.opname == "LOAD_CONST"
        case "DELETE_FAST":
            return before.opname == "STORE_FAST" and before.argval == item.argval
        case "CHECK_EXC_MATCH":
            return before.opname in _LOADS_NAME and _is_error(before.argval, known)
    return False


def _is_error(name: str, known: Sites) -> bool:
    found = getattr(builtins, name, None)
    return name in known.builtins and isinstance(found, type) and issubclass(found, BaseException)


def _bound_before(
    code: CodeType, items: tuple[Instruction, ...], raw: list[dis.Instruction]
) -> list[frozenset[str]]:
    """For each instruction the variables that are sure to have a value when it runs."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    known: dict[int, frozenset[str]] = {0: frozenset(code.co_varnames[:count])}
    waiting = [0]
    while waiting:
        here = waiting.pop()
        before = after = known[here]
        if raw[here].opname == "STORE_FAST":
            after = before | {raw[here].argval}
        elif raw[here].opname == "DELETE_FAST":
            after = before - {raw[here].argval}
        for way in items[here].ways:
            # An exception may come before the instruction has done what it does, or after.
            coming = (after & before) if way.is_exception else after
            merged = coming & known.get(way.to, coming)
            if known.get(way.to) != merged:
                known[way.to] = merged
                waiting.append(way.to)
    return [known.get(index, frozenset()) for index in range(len(raw))]
