"""The text of a program goes in, its control-flow graph comes out."""

import ast
import inspect
import sys
import warnings
from collections.abc import Iterator
from types import CodeType

from worldline.errors import ProgramError
from worldline.flow.branches import COMPREHENSIONS, branches, constructs
from worldline.flow.calls import callees
from worldline.flow.graph import FlowGraph, FunctionFlow, FunctionKind
from worldline.flow.steps import code_steps

_RESUMABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def flow_graph(text: str) -> FlowGraph:
    """The control-flow graph of a program's text, for the Python that runs this.

    "def f(x):\\n    if x:\\n        x = 1\\n    return x" -> the module, with successors {1: {}},
    and f, with entry {2}, successors {2: {3, 4}, 3: {4}, 4: {}}, exits {4}
    """
    tree, module = compiled(text)
    codes = list(codes_of(module, 0))
    found = constructs(tree, {(code.co_name, code.co_firstlineno) for code, _ in codes})
    functions = []
    for code, depth in codes:
        steps = code_steps(code)
        functions.append(
            FunctionFlow(
                name=code.co_name,
                qualname=code.co_qualname,
                kind=_kind(code, depth),
                first_line=code.co_firstlineno,
                depth=depth,
                is_generator=bool(code.co_flags & _RESUMABLE),
                call_lines=steps.call_lines,
                entry=steps.entry,
                successors=steps.successors,
                exceptional=steps.exceptional,
                exits=steps.exits,
                reraises=steps.reraises,
                yields=steps.yields,
                branches=branches(steps, found.get((code.co_name, code.co_firstlineno), ())),
            )
        )
    return FlowGraph(tuple(functions), callees(tree, functions), sys.version_info[:2])


def compiled(text: str) -> tuple[ast.Module, CodeType]:
    """The syntax tree and the code of a program."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
            # Not optimized, whatever this Python was started with: its assertions count.
            code = compile(text, "<program>", "exec", dont_inherit=True, optimize=0)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            where = f"line {line} of the program" if line else "the program"
            raise ProgramError(
                f"{where} does not compile ({getattr(error, 'msg', None) or error}), so it has no "
                "control-flow graph; correct it, or use the Python version it is written for"
            ) from None
        except (RecursionError, MemoryError):
            raise ProgramError(
                "the program is nested too deeply to be compiled, so it has no control-flow "
                "graph; split its longest expression"
            ) from None
    return tree, code


def codes_of(code: CodeType, depth: int) -> Iterator[tuple[CodeType, int]]:
    """A code object and all that are inside it, each with how deep it lies."""
    yield code, depth
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_of(constant, depth + 1)


def _kind(code: CodeType, depth: int) -> FunctionKind:
    if depth == 0:
        return "module"
    if code.co_name == "<lambda>":
        return "lambda"
    if code.co_name in COMPREHENSIONS.values():
        return "comprehension"
    return "function" if code.co_flags & inspect.CO_OPTIMIZED else "class"
