"""Source of a value: the expressions of the program that computed it."""

import ast
from collections.abc import Iterator, Sequence

from worldline.analysis.alignment import Divergence
from worldline.analysis.diagnosis.source_statements import (
    executed_expressions,
    statements_at,
    syntax_nodes,
)
from worldline.analysis.diagnosis.variable_writes import bound_by_header, is_built_in, written_names
from worldline.core.trace import Scope, Trace, state_at
from worldline.languages.python.expression_frames import COMPREHENSIONS, LAMBDA

_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_FRAMES = {name: kind for kind, name in COMPREHENSIONS.items()} | {LAMBDA: ast.Lambda}


def value_expressions(actual: Trace, divergence: Divergence) -> list[ast.expr] | None:
    """The expressions that computed the value that differs, if they are only a part of the line.

    argument s of `f(text.strip(), n)` -> text.strip()
    a value that `(c in vowels for c in s)` yields -> c in vowels

    Returns:
        None if all of the executed line computed it.
    """
    scope = actual.scopes[divergence.scope]
    frames = _expression_frames(actual, scope)
    is_entry = divergence.event == "call" and not any(
        step.scope == divergence.scope for step in actual.steps[: divergence.step]
    )
    if divergence.where == "argument" and not frames:
        return _argument_expressions(actual, divergence, scope)
    if is_entry and divergence.variable is not None:
        # A variable of an enclosing function, which is only handed over.
        return []
    if frames:
        return [part for frame in frames for part in _frame_parts(frame, divergence.variable)]
    statements = writing_statements(actual, divergence)
    if divergence.variable is None or len(statements) == 1:
        return None
    return [node for statement in statements for node in executed_expressions(statement)]


def writing_statements(actual: Trace, divergence: Divergence) -> list[ast.stmt]:
    """The statements of the executed line; on a line with several, those that write the variable.

    variable c of `for x in xs: c[x] += 1` -> c[x] += 1
    """
    statements = statements_at(syntax_nodes(actual.program.text), divergence.executed_line)
    name = divergence.variable
    writing = [statement for statement in statements if name in set(written_names(statement))]
    return writing or statements


def state_before(actual: Trace, divergence: Divergence) -> dict[str, str]:
    """The actual locals that the executed line read, in the scope that executed it."""
    is_call = divergence.event == "call"
    for index in range(divergence.step - 1, -1, -1):
        step = actual.steps[index]
        is_scope = is_call or step.scope == divergence.scope
        if is_scope and step.has_locals and step.line == divergence.executed_line:
            state = state_at(actual.steps, index)
            break
    else:
        return {}
    # `for x in xs: c[x] += 1` on one line binds x and executes the body in the same step.
    statements = statements_at(syntax_nodes(actual.program.text), divergence.executed_line)
    targets = {name for statement in statements for name in bound_by_header(statement)}
    after = state_at(actual.steps, divergence.step) if targets and len(statements) > 1 else {}
    return state | {name: after[name] for name in targets & after.keys()}


def leaves_loop(actual: Trace, divergence: Divergence) -> bool:
    """Whether the step after a for loop's header is not in its body, so that it bound nothing."""
    loops = [
        statement
        for statement in writing_statements(actual, divergence)
        if divergence.variable in set(bound_by_header(statement))
        and isinstance(statement, ast.For | ast.AsyncFor)
    ]
    return bool(loops) and not any(
        loop.lineno <= divergence.line <= (loop.body[-1].end_lineno or loop.lineno)
        for loop in loops
    )


def is_loop_variable_of_frame(actual: Trace, divergence: Divergence) -> bool:
    """Whether the variable is one that a comprehension binds in its own frame."""
    frames = _expression_frames(actual, actual.scopes[divergence.scope])
    return any(
        divergence.variable in _target_names(generator.target)
        for frame in frames
        if isinstance(frame, _Comprehension)
        for generator in frame.generators
    )


def is_whole_call(expressions: Sequence[ast.expr]) -> bool:
    """Whether a line does nothing with a value but to call a function, or a comprehension, for it.

    `y = g(x)` -> True; `y = max(3, g(x))` -> False
    """
    match expressions:
        case [ast.Call(func=function)]:
            return not is_built_in(function)
        case [ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.Await()]:
            return True
    return False


def _expression_frames(actual: Trace, scope: Scope) -> list[ast.expr]:
    """The lambdas or comprehensions of the program that a scope may belong to."""
    kind = _FRAMES.get(scope.function.rpartition(".")[2])
    if kind is None:
        return []
    return [
        node
        for statement in syntax_nodes(actual.program.text)
        if isinstance(statement, ast.stmt)
        for expression in executed_expressions(statement)
        for node in ast.walk(expression)
        if isinstance(node, kind) and node.lineno == scope.line
    ]


def _frame_parts(frame: ast.expr, variable: str | None) -> Iterator[ast.expr]:
    """The expressions that a lambda, or a comprehension, evaluates for a value or a variable."""
    if isinstance(frame, ast.Lambda):
        yield frame.body
        return
    assert isinstance(frame, _Comprehension)
    iterables = [g.iter for g in frame.generators if variable in _target_names(g.target)]
    if iterables:
        yield from iterables
        return
    if isinstance(frame, ast.DictComp):
        yield from (frame.key, frame.value)
    else:
        yield frame.elt
    for generator in frame.generators:
        yield from generator.ifs


def _target_names(target: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


def _argument_expressions(
    actual: Trace, divergence: Divergence, scope: Scope
) -> list[ast.expr] | None:
    """The expression of an argument, where the called function is named in the executed line.

    Returns:
        Nothing for a default value; None if the call is not in the line (`map(f, xs)`).
    """
    name = scope.function.rpartition(".")[2]
    calls = [
        node
        for statement in statements_at(syntax_nodes(actual.program.text), divergence.executed_line)
        for expression in executed_expressions(statement)
        for node in ast.walk(expression)
        if isinstance(node, ast.Call) and _called_name(node) == name
    ]
    parameters = list(scope.variables[: scope.parameters])
    if not calls or divergence.variable not in parameters:
        return None
    arguments: list[ast.expr] = []
    for call in calls:
        is_method = isinstance(call.func, ast.Attribute) and parameters[0] in ("self", "cls")
        index = parameters.index(divergence.variable) - is_method
        if any(isinstance(node, ast.Starred) for node in call.args) or index < 0:
            return None
        arguments += call.args[index : index + 1]
        arguments += [k.value for k in call.keywords if k.arg in (divergence.variable, None)]
    return arguments


def _called_name(call: ast.Call) -> str | None:
    if isinstance(call.func, ast.Name):
        return call.func.id
    return call.func.attr if isinstance(call.func, ast.Attribute) else None
