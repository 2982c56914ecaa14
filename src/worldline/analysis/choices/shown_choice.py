"""Choices whose value a step of the trace shows, and the choice that gives a predicted value."""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from worldline.analysis.choices.choice_domain import parse_domain
from worldline.core.trace import (
    SCHEDULING,
    SHORTENED_MARK,
    Choice,
    Trace,
    parse_source,
    schedule_choices,
    state_at,
)
from worldline.languages.python.recorder import parse_literal
from worldline.models.codecs import UNCHANGED, Decoded

# Choices of the positions of items.
_ITEM_CHOICES = ("choice", "sample", "choices", "shuffle")
_MAX_ITEMS = 100_000
_RANGE = re.compile(r"range\(([-\d, ]+)\)(?:, |$)")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.])")


@dataclass(frozen=True, slots=True)
class ShownChoice:
    """A choice whose value is assigned or returned, and nothing else.

    Attributes:
        step: The number of the step that shows the value.
        variable: The variable; None for a returned value.
    """

    step: int
    variable: str | None


def find_shown(trace: Trace, number: int) -> ShownChoice | None:
    """The step that shows the value of a choice; None if no step does for certain.

    "x = random.randint(1, 6)" -> the next step of the scope, variable x
    """
    choice = trace.choices[number]
    at_step = [
        each for each in trace.choices if each.step == choice.step and each.name not in SCHEDULING
    ]
    if choice.step is None or len(at_step) > 1:
        return None
    statement = _statements(trace.program.text).get(choice.line)
    scope = trace.steps[choice.step].scope
    if statement is None or not _is_call_of(statement, choice):
        return None
    following = enumerate(trace.steps[choice.step + 1 :], choice.step + 1)
    step = next((n for n, each in following if each.scope == scope), None)
    if step is None or any(
        each.step is not None and choice.step <= each.step < step
        for each in schedule_choices(trace.choices)
    ):
        # Another thread may change the variable before it is shown.
        return None
    if isinstance(statement, ast.Return):
        return ShownChoice(step, None) if trace.steps[step].event == "return" else None
    return ShownChoice(step, _variable(statement)) if trace.steps[step].has_locals else None


def predicted_value(shown: ShownChoice, trace: Trace, decoded: Decoded) -> str | None:
    """The predicted text of a shown choice; None if the prediction does not say."""
    if shown.step >= len(decoded.steps):
        return None
    text = decoded.step_texts[shown.step]
    if shown.variable is None:
        return decoded.steps[shown.step].value
    if not text.shows_state:
        return None
    value = text.locals.get(shown.variable)
    if value != UNCHANGED:
        return value
    return state_at(trace.steps, shown.step - 1).get(shown.variable)


def inverse(choice: Choice, text: str) -> list[Any] | None:
    """The values of a choice with which the program sees a predicted value; None if not known.

    random.choice(['a', 'b', 'a']), "'a'" -> [0, 2]; random.randint(1, 6), "7" -> []
    """
    if SHORTENED_MARK in text or SHORTENED_MARK in choice.arguments:
        return None
    function = choice.name.rpartition(".")[2]
    try:
        value = parse_literal(text)
        if function in _ITEM_CHOICES:
            return _positions(function, choice, _items(choice.arguments), value)
        if type(value) is not type(parse_literal(choice.value)):
            return None
    except (ValueError, TypeError, IndexError):
        return None
    return [value] if parse_domain(choice.domain).contains(value) else []


def numbers_in(texts: Sequence[str]) -> list[Any]:
    """The numbers that occur in texts, each once: ["[1, -2.5]"] -> [1, -2.5]"""
    numbers = dict.fromkeys(number for text in texts for number in _NUMBER.findall(text))
    return [parse_literal(number) for number in numbers]


def is_only_compared(text: str, line: int) -> bool:
    """Whether every number from [0, 1) that is drawn in a line is only compared.

    "if random.random() < 0.5:" -> True; "x = random.random()" -> False
    """
    calls, compared = _calls_of_random(text)
    in_line = [call for call in calls if call.lineno <= line <= (call.end_lineno or call.lineno)]
    return bool(in_line) and compared.issuperset(in_line)


@lru_cache(maxsize=64)
def _calls_of_random(text: str) -> tuple[tuple[ast.Call, ...], frozenset[ast.expr]]:
    """All calls of `random`, and all operands of comparisons."""
    tree = parse_source(text)
    nodes = list(ast.walk(tree)) if tree is not None else []
    calls = [node for node in nodes if isinstance(node, ast.Call) and _name(node) == "random"]
    comparisons = [node for node in nodes if isinstance(node, ast.Compare)]
    operands = [each for node in comparisons for each in (node.left, *node.comparators)]
    return tuple(calls), frozenset(operands)


def _items(arguments: str) -> list[Any]:
    """The items of the first argument: "range(0, 3), 2" -> [0, 1, 2]"""
    numbers = _RANGE.match(arguments)
    if numbers is None:
        return list(parse_literal(f"({arguments},)")[0])
    items = range(*parse_literal(f"({numbers[1]},)"))
    if len(items) > _MAX_ITEMS:
        raise ValueError(f"more than {_MAX_ITEMS:,} items")
    return list(items)


def _positions(function: str, choice: Choice, items: list[Any], value: Any) -> list[Any]:
    if function == "choice":
        return [n for n, item in enumerate(items) if _is_same(item, value)]
    if not isinstance(value, list):
        return []
    domain = parse_domain(choice.domain)
    positions: list[int] = []
    for member in value:
        fitting = [
            n
            for n, item in enumerate(items)
            if _is_same(item, member) and (function == "choices" or n not in positions)
        ]
        if function == "choices":
            fitting = [n for n in fitting if domain.parameters[0][n] > 0]
        if not fitting:
            return []
        positions.append(fitting[0])
    length = len(items) if function == "shuffle" else domain.parameters[1]
    return [positions] if len(positions) == length else []


def _is_same(item: Any, value: Any) -> bool:
    return bool(item == value)


def _is_call_of(statement: ast.stmt, choice: Choice) -> bool:
    """Whether a statement only assigns or returns the value of this call, or is the call."""
    function = choice.name.rpartition(".")[2]
    value = getattr(statement, "value", None)
    if not isinstance(value, ast.Call) or _name(value) != function:
        return False
    if isinstance(statement, ast.Expr):
        return function == "shuffle" and _variable(statement) is not None
    is_assignment = isinstance(statement, ast.Assign) and _variable(statement) is not None
    return is_assignment or isinstance(statement, ast.Return)


def _variable(statement: ast.stmt) -> str | None:
    """The variable that a statement assigns or shuffles."""
    if isinstance(statement, ast.Assign):
        target: ast.expr = statement.targets[0]
        is_single = len(statement.targets) == 1
    else:
        arguments = statement.value.args if isinstance(statement, ast.Expr) else []  # type: ignore[attr-defined]
        if not arguments:
            return None
        target, is_single = arguments[0], True
    return target.id if is_single and isinstance(target, ast.Name) else None


def _name(call: ast.Call) -> str:
    function = call.func
    return getattr(function, "attr", None) or getattr(function, "id", None) or ""


@lru_cache(maxsize=64)
def _statements(text: str) -> dict[int, ast.stmt]:
    """For each line, the only statement on it; a compound one only with its header."""
    statements: dict[int, list[ast.stmt]] = {}
    tree = parse_source(text)
    if tree is None:
        return {}
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            last = node.end_lineno or node.lineno
            if hasattr(node, "body"):
                last = node.body[0].lineno - 1
            for line in range(node.lineno, max(last, node.lineno) + 1):
                statements.setdefault(line, []).append(node)
    return {line: nodes[0] for line, nodes in statements.items() if len(nodes) == 1}
