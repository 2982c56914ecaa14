"""Construction of the control-flow graph of a program."""

import ast
import inspect
import sys
import warnings
from collections.abc import Iterator
from types import CodeType

from worldline.core.errors import ProgramError
from worldline.languages.control_flow.control_flow_graph import (
    ControlFlowGraph,
    FunctionGraph,
    FunctionKind,
)
from worldline.languages.control_flow.line_branches import find_branches
from worldline.languages.python.cfg.branch_constructs import find_constructs
from worldline.languages.python.cfg.callees import find_callees
from worldline.languages.python.cfg.line_graph import build_line_graph
from worldline.languages.python.expression_frames import (
    COMPREHENSIONS,
    LAMBDA,
    comprehension_statements,
)

_RESUMABLE = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def build_cfg(text: str) -> ControlFlowGraph:
    """Build the control-flow graph of a program for the Python version that runs this.

    "def f(x):\\n    if x:\\n        x = 1\\n    return x" -> the module, with successors {1: {}},
    and f, with entry {2}, successors {2: {3, 4}, 3: {4}, 4: {}}, exits {4}

    Args:
        text: the source of the program.

    Raises:
        ProgramError: the program does not compile.
    """
    tree, module = compile_program(text)
    codes = list(iterate_code_objects(module, 0))
    frames = {(code.co_name, code.co_firstlineno) for code, _ in codes}
    constructs_by_scope = find_constructs(tree, frames)
    functions = []
    for code, depth in codes:
        line_graph = build_line_graph(code)
        constructs = constructs_by_scope.get((code.co_name, code.co_firstlineno), ())
        functions.append(
            FunctionGraph(
                name=code.co_name,
                qualname=code.co_qualname,
                kind=_function_kind(code, depth),
                first_line=code.co_firstlineno,
                depth=depth,
                is_generator=bool(code.co_flags & _RESUMABLE),
                call_lines=line_graph.call_lines,
                entry=line_graph.entry,
                successors=line_graph.successors,
                exception_successors=line_graph.exception_successors,
                exits=line_graph.exits,
                reraises=line_graph.reraises,
                yields=line_graph.yields,
                branches=find_branches(line_graph.successors, line_graph.branch_lines, constructs),
            )
        )
    return ControlFlowGraph(
        tuple(functions),
        find_callees(tree, functions),
        sys.version_info[:2],
        _expression_statements(text),
    )


def _expression_statements(text: str) -> tuple[range, ...]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(statement.lines for statement in comprehension_statements(text))


def compile_program(text: str) -> tuple[ast.Module, CodeType]:
    """Compile a program; return its syntax tree and its code object."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
            # Without optimization, even under `python -O`: assertions are steps of the program.
            code = compile(text, "<program>", "exec", dont_inherit=True, optimize=0)
        except (SyntaxError, ValueError) as error:
            line = getattr(error, "lineno", None)
            location = f"line {line} of the program" if line else "the program"
            raise ProgramError(
                f"{location} does not compile: {getattr(error, 'msg', None) or error}; "
                "correct it, or use the Python version it is written for"
            ) from None
        except (RecursionError, MemoryError):
            raise ProgramError(
                "the program is nested too deeply to be compiled; split its longest expression"
            ) from None
    return tree, code


def iterate_code_objects(code: CodeType, depth: int) -> Iterator[tuple[CodeType, int]]:
    """Yield a code object and all nested ones, each with its nesting depth."""
    yield code, depth
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from iterate_code_objects(constant, depth + 1)


def _function_kind(code: CodeType, depth: int) -> FunctionKind:
    if depth == 0:
        return "module"
    if code.co_name == LAMBDA:
        return "lambda"
    if code.co_name in COMPREHENSIONS.values():
        return "comprehension"
    return "function" if code.co_flags & inspect.CO_OPTIMIZED else "class"
