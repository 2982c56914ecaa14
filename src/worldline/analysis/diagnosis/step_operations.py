"""Operations that were executed in the correct part of a prediction, and at its divergence.

One observation is one step that shows the result of a line: the state after an assignment, a
returned value, the arguments of a call, or the line that follows a condition. Which operations
belong to a step depends on the actual execution only, so correct and wrong steps are counted alike.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from worldline.analysis.alignment import Alignment, Divergence, align
from worldline.analysis.diagnosis.diagnosis import Sample
from worldline.analysis.diagnosis.operation_names import (
    expression_kind,
    name_arguments,
    name_operation,
    operand_size,
    rendered_kind,
)
from worldline.analysis.diagnosis.shown_expressions import (
    Condition,
    FrameStyle,
    ShownExpressions,
    find_frame,
    is_frame,
    is_same_statement,
    shown_by_call,
    shown_by_exception,
    shown_by_frame,
    shown_by_item,
    shown_by_line,
    shown_by_return,
)
from worldline.core.language import missing_feature
from worldline.core.trace import Scope, Step, Trace, states
from worldline.core.util.text import truncate_text
from worldline.models.codecs import get_codec
from worldline.models.prediction import Mode, Prediction

# The operation of a step whose line has none: a value only had to be copied.
COPY = "copy"


@dataclass(frozen=True, slots=True)
class ExecutedOperation:
    """One operation of an executed line.

    Attributes:
        name: The operation, with the kind of what it is applied to: "str.replace".
        arguments: The kinds of its arguments: "str, str".
        size: The size of the values that it is applied to, arguments included.
    """

    name: str
    arguments: str
    size: int


@dataclass(frozen=True, slots=True)
class OperationStep:
    """A predicted step that shows the result of operations, and whether it is correct.

    Sizes are in characters, or in tokens if a tokenizer was given.

    Attributes:
        step: The number of the step, from 0.
        line: The number of the line that was executed.
        variables: The variables that show the result; none for a returned value or a condition.
        operations: The operations that were certainly executed; `copy` if the line has none.
        is_single: Whether one operation alone decides what the step shows.
        nesting: How deeply the operations nest.
        read_size: The size of the values that the line reads.
        value_size: The size of the values that the step shows; None for a condition.
        is_correct: Whether the prediction of the step is correct.
    """

    step: int
    line: int
    variables: tuple[str, ...]
    operations: tuple[ExecutedOperation, ...]
    is_single: bool
    nesting: int
    read_size: int
    value_size: int | None
    is_correct: bool

    def __repr__(self) -> str:
        names = truncate_text(" ".join(operation.name for operation in self.operations), 60)
        result = "correct" if self.is_correct else "wrong"
        return f"OperationStep({self.step}, line {self.line}: {names}; {result})"


def operation_steps(
    sample: Sample, *, measure: Callable[[str], int] = len
) -> Iterator[OperationStep]:
    """Yield the steps of a prediction that show the results of operations.

    These are the correct steps before the first divergence, and the diverging step if what differs
    in it is computed by its line. Without an alignment (an infrastructure error, an empty output)
    there are none, nor for a language whose operations are not known. A step in which the output
    is truncated is left out, and so are steps that the model was given.

    Args:
        sample: The diagnosed prediction.
        measure: Measures a value; by default its characters.
    """
    prediction, alignment = sample.prediction, sample.diagnosis.facts.alignment
    mode = prediction.generation.mode if prediction.generation else "free"
    if alignment is None or not prediction.decoded.shows_steps or mode == "score":
        return
    if missing_feature(alignment.actual.program.language, "operations"):
        return
    divergence = alignment.divergence
    for result in _results(alignment):
        is_correct: bool | None = True
        if result.index >= alignment.matched_steps:
            is_correct = False if divergence and _is_wrong(alignment, divergence, result) else None
        if is_correct is None or not _is_predicted(prediction, alignment, mode, result):
            continue
        if _is_visible(alignment, result):
            yield _observe(result, measure, is_correct=is_correct)


def executed_operations(trace: Trace) -> Iterator[OperationStep]:
    """Yield the steps of an execution that show the results of operations, all as correct ones.

    Args:
        trace: A complete trace of a Python program with a call.
    """
    codec = get_codec("cwm")
    alignment = align(trace, codec.decode("".join(codec.encode(trace)), trace.program))
    for result in _results(alignment):
        if _is_visible(alignment, result):
            yield _observe(result, len, is_correct=True)


@dataclass(frozen=True, slots=True)
class _Result:
    """A step that shows what a line computed.

    Attributes:
        index: The number of the step.
        step: The actual step.
        line: The number of the line that was executed.
        shown: The expressions whose values it shows.
        state: The actual state of the step's scope.
        read_state: The state that the line read.
    """

    index: int
    step: Step
    line: int
    shown: ShownExpressions
    state: Mapping[str, str]
    read_state: Mapping[str, str]


def _results(alignment: Alignment) -> Iterator[_Result]:
    """The steps up to the divergence, included, that show what a line computed."""
    trace = alignment.actual
    finder = _ResultFinder(alignment)
    end = alignment.matched_steps + (alignment.divergence is not None)
    steps = trace.steps[:end]
    for index, (step, state) in enumerate(zip(steps, states(steps), strict=True)):
        executed = finder.find(step)
        if executed is not None:
            line, shown = executed
            yield _Result(index, step, line, shown, state, finder.read_state(step, state))
        finder.advance(step, state)


class _ResultFinder:
    """Finds the line that led to a step, while the steps of a trace are visited in order."""

    def __init__(self, alignment: Alignment) -> None:
        self._trace = alignment.actual
        self._text = self._trace.program.text
        is_framed = not alignment.excludes_comprehensions
        self._style = FrameStyle(
            comprehensions=is_framed and self._trace.origin.has_comprehension_frames,
            generators=is_framed,
            lambdas=not alignment.predicted.omits_expression_frames,
        )
        self._last: dict[int, Step] = {}
        self._states: dict[int, Mapping[str, str]] = {}
        self._stack: list[int] = []
        self._previous: Step | None = None

    def advance(self, step: Step, state: Mapping[str, str]) -> None:
        """Advance by one step."""
        self._last[step.scope] = self._previous = step
        self._states[step.scope] = state
        if step.event == "call":
            self._stack.append(step.scope)
        elif step.event == "return" and self._stack:
            self._stack.pop()

    def read_state(self, step: Step, state: Mapping[str, str]) -> Mapping[str, str]:
        """The state that the line before a step read."""
        if step.event == "call":
            return self._states.get(self._stack[-1], {}) if self._stack else {}
        before = self._states.get(step.scope, state)
        if is_frame(self._trace.scopes[step.scope].function) and len(self._stack) > 1:
            # The first iterable of a comprehension is evaluated in the enclosing scope.
            return {**self._states[self._stack[-2]], **before, **state}
        return before

    def find(self, step: Step) -> tuple[int, ShownExpressions] | None:
        """The line that was executed before a step, and what the step shows of it."""
        scope, last = self._trace.scopes[step.scope], self._last.get(step.scope)
        shown: ShownExpressions | None = None
        line = step.line
        if step.event == "call":
            caller = self._last.get(self._stack[-1]) if self._stack else None
            if last is None and caller is not None and not is_frame(scope.function):
                line = caller.line
                shown = shown_by_call(self._text, line, scope.function, self._style)
        elif last is None or (step.event == "return" and step.value is None):
            return None
        elif is_frame(scope.function):
            shown = self._find_in_frame(step, last, scope)
        elif last.event != "line":
            # A scope that is entered, or resumed, has computed nothing yet.
            return None
        elif step.event == "return":
            shown = shown_by_return(self._text, line, self._style)
        elif step.event == "exception":
            if self._previous is last and last.line == line:
                shown = shown_by_exception(self._text, line, self._style)
        elif not is_same_statement(self._text, last.line, line):
            line = last.line
            shown = shown_by_line(self._text, line, self._style)
        return None if shown is None else (line, shown)

    def _find_in_frame(self, step: Step, last: Step, scope: Scope) -> ShownExpressions | None:
        frame = find_frame(self._text, scope.function, scope.line)
        if frame is None:
            return None
        if step.event == "return":
            is_end = isinstance(frame, ast.GeneratorExp) and step.value == "None"
            return None if is_end else shown_by_frame(self._text, frame, self._style)
        is_item = step.event == "line" and last.event == "line"
        return shown_by_item(self._text, frame, self._style) if is_item else None


def _is_wrong(alignment: Alignment, divergence: Divergence, result: _Result) -> bool:
    """Whether the value that differs at the divergence is computed by the executed line."""
    if divergence.is_within_truncated_step:
        return False
    gap = alignment.gap
    if gap is not None and not gap.is_iteration and divergence.where != "action":
        # The value belongs to another step: steps were skipped, inserted or repeated.
        return False
    match divergence.where:
        case "return" | "exception" | "argument":
            return True
        case "state":
            return any(each.name in result.shown.names for each in divergence.differences)
        case "action":
            is_exception = "exception" in (divergence.event, divergence.predicted_event)
            return result.shown.condition is not None or is_exception
    return False


def _is_predicted(
    prediction: Prediction, alignment: Alignment, mode: Mode, result: _Result
) -> bool:
    """Whether the model wrote what the step shows; it may have been given it."""
    generation = prediction.generation
    if generation is None or mode == "guided":
        return True
    if result.index < generation.from_step:
        return False
    is_branch = isinstance(result.shown.condition, Condition)
    if mode not in ("free", "on-demand"):
        return is_branch == (mode == "force-state")
    text = alignment.predicted.step_texts[result.index]
    return not any(start <= text.start < end for start, end in generation.forced_spans)


def _is_visible(alignment: Alignment, result: _Result) -> bool:
    """Whether the predicted step shows the result, and not only as an object."""
    step, shown = result.step, result.shown
    if step.event in ("return", "exception"):
        return rendered_kind(step.value or "") != "object" or step.event == "exception"
    if shown.condition is not None:
        return True
    names = set(_shown_variables(result))
    text = alignment.predicted.step_texts[result.index]
    if not text.shows_state:
        return False
    if not text.shows_all:
        names &= text.locals.keys()
    return any(rendered_kind(result.state[name]) != "object" for name in names)


def _observe(result: _Result, measure: Callable[[str], int], *, is_correct: bool) -> OperationStep:
    shown, state = result.shown, result.read_state
    operations = tuple(
        ExecutedOperation(
            name_operation(operation.node, state),
            name_arguments(operation.node, state),
            operand_size(getattr(operation.node, "iter", operation.node), state, measure),
        )
        for operation in shown.operations
        if operation.is_certain
    )
    read_size = sum(operand_size(node, state, measure) for node in shown.read)
    if not shown.operations:
        operations = (ExecutedOperation(_name_without_operation(result), "none", read_size),)
    return OperationStep(
        step=result.index,
        line=result.line,
        variables=_shown_variables(result),
        operations=operations,
        is_single=len(shown.operations) <= 1,
        nesting=shown.nesting,
        read_size=read_size,
        value_size=_value_size(result, measure),
        is_correct=is_correct,
    )


def _name_without_operation(result: _Result) -> str:
    """ "copy" for `x = y`, "if list" for `if xs:`"""
    condition = result.shown.condition
    if not isinstance(condition, Condition):
        return COPY
    kind = expression_kind(condition.test, result.read_state) or "unknown"
    return f"{type(condition).__name__.lower()} {kind}"


def _value_size(result: _Result, measure: Callable[[str], int]) -> int | None:
    step, shown = result.step, result.shown
    if step.value is not None:
        return measure(step.value)
    if isinstance(shown.condition, Condition):
        return None
    values = [result.state[name] for name in _shown_variables(result)]
    return sum(map(measure, values)) if values else None


def _shown_variables(result: _Result) -> tuple[str, ...]:
    """The variables of the step's state that the line writes, or the arguments of a call."""
    if result.step.event == "call":
        return tuple(result.state)
    if result.step.event != "line":
        return ()
    return tuple(sorted(name for name in result.shown.names if name in result.state))
