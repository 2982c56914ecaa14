"""Instructions that may raise an exception (an over-approximation).

Signals and memory errors, which may happen anywhere, are left out.
"""

import builtins
import dis
import sys
from inspect import CO_VARARGS, CO_VARKEYWORDS
from types import CodeType

from worldline.core.trace import words
from worldline.languages.python.cfg.bytecode import Instruction
from worldline.languages.python.cfg.known_call_sites import BUILTINS, KnownCallSites, Span

_HAS_LOAD_FAST_CHECK = sys.version_info >= (3, 12)
_HAS_TO_BOOL = sys.version_info >= (3, 13)
_NEVER_RAISES = words(
    "NOP COPY SWAP LOAD_CONST PUSH_NULL POP_TOP STORE_FAST PUSH_EXC_INFO POP_EXCEPT JUMP_FORWARD "
    "JUMP_BACKWARD JUMP_BACKWARD_NO_INTERRUPT RESUME EXTENDED_ARG MAKE_FUNCTION MAKE_CELL "
    "COPY_FREE_VARS LOAD_CLOSURE STORE_DEREF STORE_GLOBAL RETURN_VALUE RETURN_CONST YIELD_VALUE "
    "RETURN_GENERATOR ASYNC_GEN_WRAP BUILD_LIST BUILD_TUPLE BUILD_SLICE BUILD_STRING "
    "BUILD_CONST_KEY_MAP LIST_APPEND LIST_TO_TUPLE IS_OP MATCH_MAPPING MATCH_SEQUENCE KW_NAMES "
    "LOAD_ASSERTION_ERROR LOAD_BUILD_CLASS RERAISE END_FOR END_SEND LOAD_FAST_AND_CLEAR "
    "STORE_FAST_STORE_FAST STORE_FAST_LOAD_FAST LOAD_FAST_LOAD_FAST SET_FUNCTION_ATTRIBUTE "
    "STORE_FAST_MAYBE_NULL POP_JUMP_FORWARD_IF_NONE POP_JUMP_FORWARD_IF_NOT_NONE "
    "POP_JUMP_BACKWARD_IF_NONE POP_JUMP_BACKWARD_IF_NOT_NONE POP_JUMP_IF_NONE POP_JUMP_IF_NOT_NONE "
    # Whatever it does is attributed to the CALL that follows.
    "PRECALL"
)
_PRODUCES_BOOL = words("IS_OP CONTAINS_OP UNARY_NOT MATCH_MAPPING MATCH_SEQUENCE CHECK_EXC_MATCH")
_LOADS_NAME = words("LOAD_GLOBAL LOAD_NAME")
_ITERATES = words("GET_ITER FOR_ITER")


def may_raise(
    code: CodeType,
    raw: list[dis.Instruction],
    instructions: tuple[Instruction, ...],
    sites: KnownCallSites,
) -> list[bool]:
    """For each instruction, whether it may raise an exception.

    the code of "x = 1\\ny = z" -> …, LOAD_CONST False, STORE_NAME False, LOAD_NAME True, …
    """
    assigned = _definitely_assigned(code, instructions, raw)
    results = []
    for index, item in enumerate(raw):
        # At a jump target, the instruction above is not the previous one.
        previous = raw[index - 1] if index and not item.is_jump_target else None
        is_safe = (
            item.opname in _NEVER_RAISES
            or (
                item.opname == "LOAD_FAST"
                and (_HAS_LOAD_FAST_CHECK or item.argval in assigned[index])
            )
            or (item.opname == "STORE_NAME" and code.co_name == "<module>")
            or (item.opname in _LOADS_NAME and item.argval in BUILTINS)
            or (item.opname in _ITERATES and instruction_span(item) in sites.safe_loops)
            or _is_safe_truth_test(item, previous, sites)
            or (previous is not None and _is_safe_after(item, previous, sites))
            or (item.opname in ("BUILD_MAP", "BUILD_SET") and item.arg == 0)
        )
        results.append(not is_safe)
    return results


def instruction_span(item: dis.Instruction) -> Span:
    """The source span of an instruction."""
    positions = item.positions
    if positions is None:
        return None, None, None, None
    return positions.lineno, positions.end_lineno, positions.col_offset, positions.end_col_offset


def _is_safe_truth_test(
    item: dis.Instruction, previous: dis.Instruction | None, sites: KnownCallSites
) -> bool:
    """Whether an instruction tests a truth value that cannot raise."""
    if _HAS_TO_BOOL and item.opname != "TO_BOOL":
        return item.opname.startswith("POP_JUMP_IF") or item.opname == "UNARY_NOT"
    is_truth_test = item.opname in ("TO_BOOL", "UNARY_NOT") or "JUMP_IF" in _without_direction(
        item.opname
    )
    is_boolean = previous is not None and previous.opname in _PRODUCES_BOOL
    return is_truth_test and (is_boolean or sites.has_builtin_truthiness)


def _without_direction(op: str) -> str:
    """ "POP_JUMP_FORWARD_IF_TRUE" -> "POP_JUMP_IF_TRUE" """
    return op.replace("_FORWARD", "").replace("_BACKWARD", "")


def _is_safe_after(item: dis.Instruction, previous: dis.Instruction, sites: KnownCallSites) -> bool:
    """Whether the previous instruction makes one safe."""
    match item.opname:
        case "LIST_EXTEND" | "SET_UPDATE":
            return previous.opname == "LOAD_CONST"
        case "DELETE_FAST":
            return previous.opname == "STORE_FAST" and previous.argval == item.argval
        case "CHECK_EXC_MATCH":
            return previous.opname in _LOADS_NAME and _is_exception_class(previous.argval, sites)
    return False


def _is_exception_class(name: str, sites: KnownCallSites) -> bool:
    value = getattr(builtins, name, None)
    return (
        name in sites.unshadowed_builtins
        and isinstance(value, type)
        and issubclass(value, BaseException)
    )


def _definitely_assigned(
    code: CodeType, instructions: tuple[Instruction, ...], raw: list[dis.Instruction]
) -> list[frozenset[str]]:
    """For each instruction, the local variables that are certainly assigned when it runs."""
    count = code.co_argcount + code.co_kwonlyargcount
    count += bool(code.co_flags & CO_VARARGS) + bool(code.co_flags & CO_VARKEYWORDS)
    assigned_at: dict[int, frozenset[str]] = {0: frozenset(code.co_varnames[:count])}
    pending = [0]
    while pending:
        index = pending.pop()
        before = after = assigned_at[index]
        if raw[index].opname == "STORE_FAST":
            after = before | {raw[index].argval}
        elif raw[index].opname == "DELETE_FAST":
            after = before - {raw[index].argval}
        for edge in instructions[index].edges:
            # An exception may be raised before or after the instruction takes effect.
            incoming = (after & before) if edge.is_exception else after
            merged = incoming & assigned_at.get(edge.target, incoming)
            if assigned_at.get(edge.target) != merged:
                assigned_at[edge.target] = merged
                pending.append(edge.target)
    return [assigned_at.get(index, frozenset()) for index in range(len(raw))]
