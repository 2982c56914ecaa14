"""Facts about a divergence: its values, its position, and the loop or call around it."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from worldline.analysis.alignment import Divergence
from worldline.analysis.diagnosis.line_operations import OperationFacts
from worldline.analysis.diagnosis.value_differences import (
    CONTAINERS,
    ValueChange,
    ValueFacts,
    count_changed_tokens,
    edit_distance,
    is_character_slip,
    is_runaway,
)
from worldline.analysis.diagnosis.value_source import (
    is_loop_variable_of_frame,
    is_whole_call,
    leaves_loop,
    state_before,
    writing_statements,
)
from worldline.core.trace import Trace
from worldline.languages.python.value_kinds import value_kind
from worldline.models.codecs import Decoded
from worldline.models.prediction import Prediction
from worldline.models.tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class PositionFacts:
    """Position of a divergence in the execution and in the output.

    Attributes:
        step: The number of the step, from 0.
        iteration: How often the executed line had been executed, this time included.
        call_depth: The number of open scopes.
        chars_before: Characters of the output before the step.
        tokens_before: Tokens of the output before the step; None without a tokenizer.
        max_tokens: The token limit; None for imported predictions.
    """

    step: int
    iteration: int
    call_depth: int
    chars_before: int
    tokens_before: int | None
    max_tokens: int | None


def value_facts(
    actual: Trace,
    divergence: Divergence,
    operation: OperationFacts | None,
    tokenizer: Tokenizer | None,
) -> ValueFacts:
    """Compare the actual and the predicted value at the divergence."""
    value, predicted = divergence.actual, divergence.predicted
    syntax = actual.program.values
    leaf = syntax.first_leaf(value, predicted)
    inputs = input_values(actual, divergence, operation) if operation else ()
    actual_ids = tokenizer.encode(value) if tokenizer else None
    predicted_ids = tokenizer.encode(predicted) if tokenizer else None
    return ValueFacts(
        kind=syntax.value_kind(value),
        leaf_kind=leaf.kind,
        leaf=leaf.path,
        change=_change(actual, divergence, operation),
        actual_chars=len(value),
        predicted_chars=len(predicted),
        edit_distance=edit_distance(value, predicted),
        is_runaway=is_runaway(value, predicted),
        is_slip=is_character_slip(leaf.actual, leaf.predicted, _strings(inputs), syntax),
        is_moved_item=any(
            {leaf.actual, leaf.predicted} <= syntax.string_items(text) for text in inputs
        ),
        actual_tokens=None if actual_ids is None else len(actual_ids),
        predicted_tokens=None if predicted_ids is None else len(predicted_ids),
        changed_tokens=None
        if actual_ids is None or predicted_ids is None
        else count_changed_tokens(actual_ids, predicted_ids),
    )


def _change(
    actual: Trace, divergence: Divergence, operation: OperationFacts | None
) -> ValueChange | None:
    if divergence.variable is None or (operation is None and actual.program.is_python):
        return None
    step = actual.steps[divergence.step]
    is_known_scope = any(s.scope == step.scope for s in actual.steps[: divergence.step])
    if step.event == "call" and not is_known_scope:
        return "initial"
    is_written = divergence.variable in step.changed or (
        operation is not None
        and divergence.variable in operation.writes
        and not leaves_loop(actual, divergence)
    )
    return "written" if is_written else "carried_over"


def input_values(
    actual: Trace, divergence: Divergence, operation: OperationFacts
) -> tuple[str, ...]:
    """The actual values that the executed line read."""
    state = state_before(actual, divergence)
    return tuple(state[name] for name in sorted(operation.reads) if name in state)


def _strings(values: Iterable[str]) -> list[str]:
    """The values that are strings, without their quotes."""
    return [ast.literal_eval(value) for value in values if _is_string_literal(value)]


def _is_string_literal(value: str) -> bool:
    # A shortened string has no closing quote.
    return value_kind(value) == "str" and value[-1:] == value[:1] and len(value) > 1


def is_bound_by_loop(actual: Trace, divergence: Divergence, operation: OperationFacts) -> bool:
    """Whether the variable that differs is bound by the executed loop header or a comprehension."""
    if divergence.variable is None or divergence.event != "line":
        return False
    if is_loop_variable_of_frame(actual, divergence):
        return True
    is_target = divergence.variable in operation.loop_targets
    return is_target and not leaves_loop(actual, divergence)


def is_mutated_while_iterating(
    actual: Trace, divergence: Divergence, operation: OperationFacts
) -> bool:
    """Whether a loop around the executed line had changed the number of items it iterates over."""
    if not operation.mutated_iterables:
        return False
    steps = actual.steps[: divergence.step]
    scope = divergence.scope
    seen: dict[str, str] = {}
    is_in_loop = False
    for step in steps:
        if step.scope != scope or not step.has_locals:
            continue
        for name in operation.mutated_iterables & step.changed.keys():
            value = step.changed[name]
            if is_in_loop and name in seen and value_kind(value) in CONTAINERS:
                return True
            seen[name] = value
        is_in_loop = is_in_loop or step.line == divergence.executed_line
    return False


def was_just_returned(
    actual: Trace, divergence: Divergence, expressions: list[ast.expr] | None
) -> bool:
    """Whether the previous step returned the value that differs, and the line only passes it on."""
    if divergence.step == 0:
        return False
    previous = actual.steps[divergence.step - 1]
    if previous.event != "return" or previous.value != divergence.actual:
        return False
    if expressions is None:
        statements = writing_statements(actual, divergence)
        expressions = [
            node
            for statement in statements
            if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return)
            and statement.value is not None
            for node in [statement.value]
        ]
    return is_whole_call(expressions)


def position_facts(
    actual: Trace,
    prediction: Prediction,
    decoded: Decoded,
    divergence: Divergence,
    tokenizer: Tokenizer | None,
) -> PositionFacts:
    """Locate the divergence in the execution and in the output."""
    before = actual.steps[: divergence.step]
    depth = sum((s.event == "call") - (s.event == "return") for s in before)
    if divergence.step < len(decoded.step_texts):
        start = decoded.step_texts[divergence.step].start
    else:
        start = decoded.step_texts[-1].end if decoded.step_texts else 0
    return PositionFacts(
        step=divergence.step,
        iteration=sum(s.event == "line" and s.line == divergence.executed_line for s in before),
        call_depth=depth,
        chars_before=start,
        tokens_before=len(tokenizer.encode(prediction.text[:start])) if tokenizer else None,
        max_tokens=prediction.generation.max_tokens if prediction.generation else None,
    )
