"""Mechanisms of wrong values, each with its evidence in the program and the execution."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from worldline.analysis.alignment import Divergence, compare_values
from worldline.analysis.diagnosis.literal_evaluation import evaluate_literal
from worldline.analysis.diagnosis.source_statements import (
    executed_expressions,
    statements_at,
    syntax_nodes,
)
from worldline.analysis.diagnosis.value_differences import CONTAINERS
from worldline.analysis.diagnosis.value_source import state_before, writing_statements
from worldline.analysis.diagnosis.variable_writes import MUTATORS, is_built_in, resized_names
from worldline.core.trace import Trace, state_at
from worldline.languages.python.value_kinds import value_kind

MechanismName = Literal["not_computable", "hidden_state", "aliasing", "negative_index"]

# Results that nobody can compute by reading a program.
_HASH_METHODS = frozenset({"hexdigest", "digest"})
_UNPREDICTABLE_MODULES = frozenset({"random", "secrets", "uuid", "hashlib", "zlib", "time"})
_UNPREDICTABLE_METHODS = frozenset({"now", "today", "utcnow", "urandom"})
_UNPREDICTABLE_FUNCTIONS = frozenset({"hash", "id"})
_COPIES = frozenset({"list", "tuple", "set", "dict", "sorted", "copy", "deepcopy"})
# Methods whose first argument is an index.
_INDEXED_METHODS = frozenset({"insert", "pop", "__getitem__"})


def find_mechanisms(
    actual: Trace, divergence: Divergence, expressions: Sequence[ast.expr] | None
) -> dict[MechanismName, str]:
    """The mechanisms that a value depends on, with the evidence for each in words.

    counts of `counts[x - 1] += 1` at x = 0 -> {"negative_index": "counts[x - 1] has index -1"}

    Args:
        actual: The actual execution.
        divergence: The divergence in a value.
        expressions: The parts of the executed line that computed the value; None for all of it.
    """
    statements = writing_statements(actual, divergence)
    if expressions is None:
        expressions = [node for s in statements for node in executed_expressions(s)]
    state = state_before(actual, divergence)
    mechanisms = {
        "not_computable": _not_computable(expressions, state),
        "hidden_state": _hidden_state(actual, divergence, expressions, state),
        "aliasing": _aliasing(actual, divergence, statements, state),
        "negative_index": _negative_index(statements, expressions, state),
    }
    return {name: text for name, text in mechanisms.items() if text}  # type: ignore[misc]


def _not_computable(expressions: Sequence[ast.expr], state: Mapping[str, str]) -> str:
    for node in _nodes(expressions):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if (
                module in _UNPREDICTABLE_MODULES and module not in state
            ) or name in _UNPREDICTABLE_METHODS:
                return f"{module}.{name}()"
            case ast.Call(func=ast.Attribute(attr=name)) if name in _HASH_METHODS:
                return f".{name}()"
            case ast.Call(func=ast.Name(id=name), args=[argument]) if (
                name in _UNPREDICTABLE_FUNCTIONS and not _is_int(argument, state)
            ):
                return f"{name}()"
    return ""


def _is_int(node: ast.expr, state: Mapping[str, str]) -> bool:
    try:
        return isinstance(evaluate_literal(node, state), int)
    except ValueError:
        return False


def _hidden_state(
    actual: Trace,
    divergence: Divergence,
    expressions: Sequence[ast.expr],
    state: Mapping[str, str],
) -> str:
    changed_globals = _changed_globals(actual.program.text)
    for node in _nodes(expressions):
        if isinstance(node, ast.Name) and node.id in changed_globals and node.id not in state:
            return f"global {node.id}"
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and isinstance(node.ctx, ast.Load)
            and state.get(node.value.id, "").startswith("<")
            and node.attr in _assigned_attributes(actual.program.text)
        ):
            return f"attribute {node.value.id}.{node.attr}"
    name = divergence.variable
    if name is not None and name in _declared(actual.program.text, ast.Nonlocal):
        is_kept = compare_values(state.get(name, ""), divergence.predicted).is_same
        step = actual.steps[divergence.step]
        if is_kept and name in step.changed and _calls_program(expressions):
            return f"nonlocal {name}"
    return ""


def _calls_program(expressions: Sequence[ast.expr]) -> bool:
    return any(
        isinstance(node, ast.Call) and not is_built_in(node.func) for node in _nodes(expressions)
    )


def _declared(text: str, kind: type[ast.Global] | type[ast.Nonlocal]) -> set[str]:
    """Names that a function declares as global or nonlocal."""
    return {name for node in syntax_nodes(text) if isinstance(node, kind) for name in node.names}


def _changed_globals(text: str) -> set[str]:
    """Global variables that a function rebinds, or whose items it changes."""
    functions = [
        node
        for node in syntax_nodes(text)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    inner = {id(node) for function in functions for node in ast.walk(function)}
    module_names = {
        node.id
        for statement in syntax_nodes(text)
        if isinstance(statement, ast.Assign) and id(statement) not in inner
        for target in statement.targets
        for node in ast.walk(target)
        if isinstance(node, ast.Name)
    }
    resized = {name for function in functions for name in resized_names(function.body)}
    written = {
        ast.unparse(node.value)
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
    }
    return _declared(text, ast.Global) | (module_names & (resized | written))


def _assigned_attributes(text: str) -> set[str]:
    return {
        node.attr
        for statement in syntax_nodes(text)
        for node in ast.walk(statement)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }


def _aliasing(
    actual: Trace,
    divergence: Divergence,
    statements: Sequence[ast.stmt],
    state: Mapping[str, str],
) -> str:
    name = divergence.variable
    if name is None:
        return ""
    before, step = state.get(name), actual.steps[divergence.step]
    is_container = value_kind(divergence.actual) in CONTAINERS
    if before is not None and is_container and name in step.changed:
        is_kept = compare_values(before, divergence.predicted).is_same
        if is_kept and not _is_changed_by_name(name, statements):
            return f"{name} is changed through another name"
    if before is not None and is_container and name not in step.changed:
        for receiver in _mutated_receivers(statements):
            if receiver == name:
                continue
            if name in _names_in(receiver):
                return f"{receiver} is a copy"
            after = state_at(actual.steps, divergence.step).get(receiver)
            if after is not None and compare_values(after, divergence.predicted).is_same:
                return f"{receiver} is a copy of {name}"
    return _iterated_copy(actual, divergence)


def _is_changed_by_name(name: str, statements: Sequence[ast.stmt]) -> bool:
    """Whether a statement binds a variable, or changes it through its own name."""
    for statement in statements:
        for node in ast.walk(statement):
            is_stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
            if is_stored and name in _base_names(node):
                return True
            receiver = _mutated_receiver(node)
            if receiver is not None and name in _base_names(receiver):
                return True
    return False


def _base_names(node: ast.AST) -> set[str]:
    """The variable that is changed: `x` of x[0], x.y and x."""
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _mutated_receivers(statements: Sequence[ast.stmt]) -> Iterator[str]:
    """The receivers of methods that change their object: "nums[s]" of `nums[s].reverse()`."""
    for statement in statements:
        for node in ast.walk(statement):
            receiver = _mutated_receiver(node)
            if receiver is not None:
                yield ast.unparse(receiver)


def _mutated_receiver(node: ast.AST) -> ast.expr | None:
    match node:
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if name in MUTATORS:
            return receiver
    return None


def _names_in(source: str) -> set[str]:
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def _iterated_copy(actual: Trace, divergence: Divergence) -> str:
    """Evidence that a loop variable comes from a copy of a container that the body changes."""
    for loop in statements_at(syntax_nodes(actual.program.text), divergence.executed_line):
        if not isinstance(loop, ast.For) or divergence.variable not in _names_in(
            ast.unparse(loop.target)
        ):
            continue
        match loop.iter:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice()):
                pass
            case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=name)]) if (
                function in _COPIES
            ):
                pass
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="copy")):
                pass
            case _:
                continue
        if name in resized_names(loop.body):
            return f"{ast.unparse(loop.iter)} is a copy"
    return ""


def _negative_index(
    statements: Sequence[ast.stmt], expressions: Sequence[ast.expr], state: Mapping[str, str]
) -> str:
    """Evidence of an index that is computed, and negative."""
    targets = [
        target
        for statement in statements
        if isinstance(statement, ast.Assign | ast.AugAssign | ast.Delete)
        for target in (
            [statement.target] if isinstance(statement, ast.AugAssign) else statement.targets
        )
    ]
    for node in _nodes([*expressions, *targets]):
        for receiver, index in _indexes(node):
            if isinstance(index, ast.Constant | ast.UnaryOp):
                continue
            if value_kind(state.get(ast.unparse(receiver), "")) in ("dict", "object"):
                continue
            try:
                value = evaluate_literal(index, state)
            except ValueError:
                continue
            if isinstance(value, int) and not isinstance(value, bool) and value < 0:
                return f"{ast.unparse(node)} has index {value}"
    return ""


def _indexes(node: ast.AST) -> list[tuple[ast.expr, ast.expr]]:
    """The indexes that an operation uses, each with the container that it indexes."""
    match node:
        case ast.Subscript(value=receiver, slice=ast.Slice(lower=lower, upper=upper)):
            return [(receiver, bound) for bound in (lower, upper) if bound is not None]
        case ast.Subscript(value=receiver, slice=index):
            return [(receiver, index)]
        case ast.Call(func=ast.Attribute(value=receiver, attr=name), args=[index, *_]) if (
            name in _INDEXED_METHODS
        ):
            return [(receiver, index)]
    return []


def _nodes(expressions: Sequence[ast.expr]) -> Iterator[ast.AST]:
    for expression in expressions:
        yield from ast.walk(expression)
