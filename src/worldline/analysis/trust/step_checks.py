"""Contradictions inside a prediction: steps that do not follow from the steps before them.

A step is checked against the predicted state before its line, never against the actual execution.
A line that uses more than simple built-in operations cannot be checked.
"""

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from worldline.analysis.alignment import compare_values
from worldline.analysis.diagnosis.source_statements import (
    executed_expressions,
    statements_at,
    syntax_nodes,
)
from worldline.analysis.diagnosis.variable_writes import (
    MUTATORS,
    bound_by_header,
    is_built_in,
    resized_names,
    written_names,
)
from worldline.analysis.trust.expression_evaluation import (
    UnknownValueError,
    binary_value,
    evaluate_expression,
    evaluate_iterable,
)
from worldline.core.trace import Program, Step, source_lines, states, words
from worldline.languages.python.value_kinds import value_kind
from worldline.models.codecs import Decoded, branch_note

CheckKind = Literal[
    "value",  # the value that a line computes
    "branch",  # the line after a condition or a loop's header
    "note",  # the line after a condition, by the result that the prediction itself writes
    "unwritten",  # a number or string changes that the line does not write
    "argument",  # an argument of the entry point's call
    "answer",  # the answer after the value that the execution returns
]
_MAX_STEPS = 5_000
# Methods that are applied to a copy of the predicted value. `remove` and others may fail.
_CHANGES = words("append extend insert remove pop clear sort reverse add discard update")
_IMMUTABLE = frozenset({"int", "str", "float", "bool", "None"})


@dataclass(frozen=True, slots=True)
class StepCheck:
    """One check of a predicted step.

    Attributes:
        step: The number of the predicted step, from 0.
        line: The line whose effect is checked.
        kind: What is checked.
        is_consistent: Whether the step follows from the steps before it.
    """

    step: int
    line: int
    kind: CheckKind
    is_consistent: bool


def check_steps(program: Program, decoded: Decoded, answer: str | None) -> list[StepCheck]:
    """Check every predicted step that simple operations determine.

    Args:
        program: The program.
        decoded: The predicted steps.
        answer: The predicted result.
    """
    steps = decoded.steps[:_MAX_STEPS]
    is_readable = program.is_python and bool(syntax_nodes(program.text))
    if not decoded.shows_steps or not steps or not is_readable:
        return []
    checker = _Checker(program.text, decoded, list(states(steps)))
    checks = [*_argument_checks(program, steps)]
    for number in range(len(steps)):
        checks += checker.checks_at(number)
    last = steps[-1]
    if answer is not None and last.event == "return" and last.value is not None:
        is_same = compare_values(last.value, answer).is_same
        checks.append(StepCheck(len(steps) - 1, last.line, "answer", is_same))
    return checks


def _argument_checks(program: Program, steps: Sequence[Step]) -> Iterator[StepCheck]:
    """Check the arguments of the entry point's call, as far as they are literals."""
    parts = program.split_entry()
    if parts is None:
        return
    call = ast.parse(parts[1], mode="eval").body
    calls = [(n, step) for n, step in enumerate(steps) if step.event == "call"]
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or len(calls) < 2:
        return
    number, step = calls[1]
    for function in syntax_nodes(program.text):
        if not isinstance(function, ast.FunctionDef) or function.name != call.func.id:
            continue
        names = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        for name, argument in zip(names, call.args, strict=False):
            try:
                value = evaluate_expression(argument, {})
            except UnknownValueError:
                continue
            if step.line == function.lineno and name in step.changed:
                is_same = _is_same(value, step.changed[name])
                yield StepCheck(number, step.line, "argument", is_same)


def _is_same(value: Any, text: str) -> bool:
    return compare_values(repr(value), text).is_same


class _Checker:
    """Checks of one prediction; remembers the values that its loops iterate over."""

    def __init__(self, text: str, decoded: Decoded, states: list[dict[str, str]]) -> None:
        self._text = text
        self._nodes = syntax_nodes(text)
        self._steps, self._texts = decoded.steps, decoded.step_texts
        self._states = states
        # A format without line numbers does not tell lines with the same text apart.
        numbered = all(each.number is not None for each in self._texts)
        self._ambiguous = frozenset() if numbered else repeated_lines(text)
        # Of every loop that is being executed: its items, if they are known, and the next one.
        self._loops: dict[tuple[int, int], tuple[list[Any] | None, int]] = {}
        self._previous_line: dict[int, int] = {}

    def checks_at(self, number: int) -> Iterator[StepCheck]:
        """The checks of the step after a line step, or of a return step."""
        step = self._steps[number]
        following = self._steps[number + 1] if number + 1 < len(self._steps) else None
        if step.event != "line":
            return
        statements = statements_at(self._nodes, step.line)
        came_from = self._previous_line.get(step.scope)
        self._previous_line[step.scope] = step.line
        if len(statements) != 1 or step.line in self._ambiguous:
            return
        (statement,) = statements
        # Some formats omit the state of most steps.
        is_known = self._texts[number].shows_state
        state = self._states[number] if is_known else {}
        items = None
        if isinstance(statement, ast.For):
            items = self._next_items(statement, step, state, came_from)
        if not is_known or following is None or following.scope != step.scope:
            # The effect of a call is shown by its own steps.
            return
        if following.event == "return":
            yield from self._return_checks(number, statement, state, following)
            return
        if following.event != "line":
            return
        shows_state = self._texts[number + 1].shows_state
        if isinstance(statement, ast.If | ast.While | ast.For):
            if following.line in self._ambiguous:
                return
            yield from self._branch_checks(number, statement, state, following, items)
        elif shows_state:
            yield from self._state_checks(number, statement, state)
        if shows_state:
            yield from self._unwritten_checks(number, statement, state)

    def _next_items(
        self, loop: ast.For, step: Step, state: Mapping[str, str], came_from: int | None
    ) -> list[Any] | None:
        """The item that a loop takes next, in a list; [] if it is over; None if unknown."""
        key = step.scope, step.line
        first, last = loop.body[0].lineno, loop.body[-1].end_lineno or loop.lineno
        if key not in self._loops or came_from is None or not first <= came_from <= last:
            items: list[Any] | None
            try:
                items = evaluate_iterable(loop.iter, state)
            except UnknownValueError:
                items = None
            is_changed = _changed_names(loop.body) & _shared_names(loop.iter)
            if is_changed or came_from in self._ambiguous:
                items = None
            self._loops[key] = items, 0
        items, position = self._loops[key]
        self._loops[key] = items, position + 1
        return None if items is None else items[position : position + 1]

    def _branch_checks(
        self,
        number: int,
        statement: ast.If | ast.While | ast.For,
        state: Mapping[str, str],
        following: Step,
        items: list[Any] | None,
    ) -> Iterator[StepCheck]:
        line = statement.lineno
        last = statement.body[-1].end_lineno or line
        enters = statement.body[0].lineno <= following.line <= last
        note = self._texts[number].note
        taken = branch_note(self._text, line, following.line)
        if note is not None and taken is not None:
            yield StepCheck(number + 1, line, "note", note == taken)
        if isinstance(statement, ast.For):
            if items is None:
                return
            yield StepCheck(number + 1, line, "branch", enters == bool(items))
            if enters and items and self._texts[number + 1].shows_state:
                yield from self._binding_checks(number, statement.target, items[0])
            return
        try:
            value = evaluate_expression(statement.test, state)
        except UnknownValueError:
            return
        yield StepCheck(number + 1, line, "branch", enters == bool(value))

    def _return_checks(
        self, number: int, statement: ast.stmt, state: Mapping[str, str], following: Step
    ) -> Iterator[StepCheck]:
        if following.value is None or not isinstance(statement, ast.Return):
            return
        try:
            node = statement.value
            value = None if node is None else evaluate_expression(node, state)
        except UnknownValueError:
            return
        yield StepCheck(number + 1, statement.lineno, "value", _is_same(value, following.value))

    def _state_checks(
        self, number: int, statement: ast.stmt, state: Mapping[str, str]
    ) -> Iterator[StepCheck]:
        try:
            match statement:
                case ast.Assign(targets=[target], value=node):
                    value = evaluate_expression(node, state)
                    yield from self._binding_checks(number, target, value, state)
                case ast.AugAssign(target=ast.Name(id=name) as target, op=operation, value=node):
                    left = evaluate_expression(ast.Name(name, ast.Load()), state)
                    value = binary_value(operation, left, evaluate_expression(node, state))
                    yield from self._binding_checks(number, target, value)
                case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=name), slice=index)]):
                    changed = evaluate_expression(ast.Name(name, ast.Load()), state)
                    del changed[evaluate_expression(index, state)]
                    yield from self._value_check(number, statement.lineno, name, changed)
                case ast.Expr(
                    value=ast.Call(
                        func=ast.Attribute(value=ast.Name(id=name), attr=method),
                        args=args,
                        keywords=[],
                    )
                ) if method in _CHANGES:
                    changed = evaluate_expression(ast.Name(name, ast.Load()), state)
                    arguments = [evaluate_expression(each, state) for each in args]
                    getattr(changed, method)(*arguments)
                    yield from self._value_check(number, statement.lineno, name, changed)
        except (
            UnknownValueError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError
        ):  # fmt: skip
            # The line fails on the predicted state, or its effect is not known.
            return

    def _binding_checks(
        self, number: int, target: ast.expr, value: Any, state: Mapping[str, str] | None = None
    ) -> Iterator[StepCheck]:
        """Check what is bound to a name, to several, or to an item of a container."""
        match target:
            case ast.Name(id=name):
                yield from self._value_check(number, target.lineno, name, value)
            case ast.Tuple(elts=names) if all(isinstance(each, ast.Name) for each in names):
                if isinstance(value, tuple | list | str) and len(value) == len(names):
                    # In `_, x, _ = …` the last value is bound.
                    bound = {ast.unparse(n): part for n, part in zip(names, value, strict=True)}
                    for name, part in bound.items():
                        yield from self._value_check(number, target.lineno, name, part)
            case ast.Subscript(value=ast.Name(id=name), slice=index) if (
                state is not None and not isinstance(index, ast.Slice)
            ):
                changed = evaluate_expression(ast.Name(name, ast.Load()), state)
                changed[evaluate_expression(index, state)] = value
                yield from self._value_check(number, target.lineno, name, changed)

    def _value_check(self, number: int, line: int, name: str, value: Any) -> Iterator[StepCheck]:
        after = self._states[number + 1]
        if name in after:
            yield StepCheck(number + 1, line, "value", _is_same(value, after[name]))

    def _unwritten_checks(
        self, number: int, statement: ast.stmt, state: Mapping[str, str]
    ) -> Iterator[StepCheck]:
        """Find numbers and strings that change although the line does not write them."""
        calls = [
            node
            for expression in executed_expressions(statement)
            for node in ast.walk(expression)
            if isinstance(node, ast.Call) and not is_built_in(node.func)
        ]
        if calls:
            return
        written = {*written_names(statement), *bound_by_header(statement)}
        for name, value in self._steps[number + 1].changed.items():
            before = state.get(name)
            if (
                before is not None
                and name not in written
                and value_kind(before) in _IMMUTABLE
                and not compare_values(before, value).is_same
            ):
                yield StepCheck(number + 1, statement.lineno, "unwritten", False)


def repeated_lines(text: str) -> frozenset[int]:
    """Numbers of the lines whose text another line has, too.

    "a()\\nb()\\na()" -> {1, 3}
    """
    lines = source_lines(text)
    counts = Counter(lines)
    return frozenset(number for number, line in enumerate(lines, 1) if counts[line] > 1)


def _shared_names(node: ast.expr) -> set[str]:
    """Names whose object a loop iterates over itself, not over a copy: xs, d.items()."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Call(func=ast.Attribute(value=base, attr="items" | "keys" | "values")):
            return _shared_names(base)
        case ast.Call(func=ast.Name(id="enumerate" | "reversed" | "zip"), args=args):
            return {name for each in args for name in _shared_names(each)}
    return set()


def _changed_names(body: list[ast.stmt]) -> set[str]:
    """Names of objects that statements may change in place."""
    names = set(resized_names(body))
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
                names.add(ast.unparse(node.value))
            match node:
                case ast.Call(func=ast.Attribute(value=base, attr=method)) if method in MUTATORS:
                    names.add(ast.unparse(base))
    return names
