"""A real trace and a prediction go in; where, what and why they part comes out, as facts."""

from dataclasses import dataclass, replace
from typing import Literal

from worldline.align import Alignment, Divergence, align, align_result, compare
from worldline.codecs import Decoded
from worldline.diagnose.actions import ActionFacts, action_facts
from worldline.diagnose.operations import OperationFacts, operation_facts
from worldline.diagnose.values import (
    Change,
    ValueFacts,
    ValueKind,
    edit_distance,
    first_leaf,
    is_runaway,
    moved,
    value_kind,
)
from worldline.predict import Prediction
from worldline.tokens import Tokenizer
from worldline.trace import Trace, state_at

Outcome = Literal[
    "correct",
    "diverged",
    "truncated",
    "answer_lost",
    "reference_wrong",
    "malformed",
    "no_output",
    "error",
]


@dataclass(frozen=True, slots=True)
class HorizonFacts:
    """How far the model had come: the step, how often the executed line had run, how many calls
    deep the program was, how much text had been spent, and how many tokens it was allowed, where
    we asked."""

    step: int
    iteration: int
    call_depth: int
    chars_before: int
    tokens_before: int | None
    budget: int | None


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything that is computed about one prediction, before any cause is named.

    `is_result_right`: did the imagined execution return the right value, whatever came before?
    `is_answer_right`: is the answer taken from the text the right one? `is_reference_right`: does
    the benchmark expect what the program really returns? None where it cannot be said.
    `input_kinds`: the kinds of the variables that the executed line read. `is_bound_by_loop`: the
    variable is the one that a loop or comprehension binds next. `was_just_returned`: the step
    before showed this very value being returned.
    """

    id: str
    outcome: Outcome
    alignment: Alignment | None
    value: ValueFacts | None = None
    action: ActionFacts | None = None
    operation: OperationFacts | None = None
    horizon: HorizonFacts | None = None
    input_kinds: frozenset[ValueKind] = frozenset()
    is_bound_by_loop: bool = False
    was_just_returned: bool = False
    result: str | None = None
    true_steps: int | None = None
    predicted_steps: int = 0
    is_cut: bool = False
    is_result_right: bool | None = None
    is_answer_right: bool | None = None
    is_reference_right: bool | None = None
    note: str = ""

    @property
    def divergence(self) -> Divergence | None:
        """Where the two part, if they do."""
        return self.alignment.divergence if self.alignment else None

    @property
    def is_right_for_wrong_reasons(self) -> bool:
        """Whether the execution was imagined wrongly and the right value came out."""
        return self.outcome == "diverged" and self.is_result_right is True


def gather_facts(
    truth: Trace, prediction: Prediction, *, tokenizer: Tokenizer | None = None
) -> Facts:
    """Compare a prediction with what really happens."""
    if prediction.finish == "error":
        return Facts(prediction.id, "error", None, note=prediction.error or "")
    if not truth.steps:
        how = f"{truth.ending.reason}, {truth.ending.detail}"
        note = f"the program could not be executed: {how}"
        return Facts(prediction.id, "error", None, note=note, is_cut=prediction.is_cut)
    if not prediction.text.strip():
        return Facts(
            prediction.id, "no_output", None, result=truth.result, is_cut=prediction.is_cut
        )
    if not prediction.decoded.shows_steps:
        return _result_facts(truth, prediction, tokenizer)
    alignment = align(truth, prediction.decoded)
    truth, decoded = alignment.truth, alignment.predicted
    divergence = alignment.divergence
    is_answer_right = _is_result(truth, prediction.answer)
    is_reference_right = _is_result(truth, prediction.expected)
    base = Facts(
        id=prediction.id,
        outcome=_outcome(truth, prediction, alignment, is_answer_right, is_reference_right),
        alignment=alignment,
        result=truth.result,
        true_steps=len(truth.steps) if truth.is_whole else None,
        predicted_steps=len(decoded.steps),
        is_cut=prediction.is_cut,
        is_result_right=_is_result_right(truth, alignment),
        is_answer_right=is_answer_right,
        is_reference_right=is_reference_right,
        note=_note(truth, decoded, alignment),
    )
    if divergence is None:
        return base
    operation = operation_facts(truth.program.text, divergence.executed)
    has_value = divergence.where in ("argument", "state", "return", "exception")
    return replace(
        base,
        operation=operation,
        action=None if has_value else action_facts(truth, divergence),
        value=value_facts(truth, divergence, operation, tokenizer) if has_value else None,
        input_kinds=input_kinds(truth, divergence, operation),
        is_bound_by_loop=is_bound_by_loop(truth, divergence, operation),
        was_just_returned=was_just_returned(truth, divergence),
        horizon=horizon_facts(truth, prediction, decoded, divergence, tokenizer),
    )


def _result_facts(truth: Trace, prediction: Prediction, tokenizer: Tokenizer | None) -> Facts:
    """Compare the result alone, where no steps were asked for."""
    said = prediction.answer
    is_reference_right = _is_result(truth, prediction.expected)
    base = Facts(
        id=prediction.id,
        outcome="truncated" if prediction.is_cut else "malformed",
        alignment=None,
        result=truth.result,
        true_steps=len(truth.steps) if truth.is_whole else None,
        is_cut=prediction.is_cut,
        is_reference_right=is_reference_right,
    )
    if not truth.is_whole:
        note = f"the program could not be executed to its end: {truth.ending.reason}"
        return replace(base, outcome="error", note=note)
    if said is None:
        return replace(base, note="there is no answer between [ANSWER] and [/ANSWER]")
    alignment = align_result(truth, prediction.decoded, said)
    divergence = alignment.divergence
    outcome: Outcome = "correct" if divergence is None else "diverged"
    if divergence is None and is_reference_right is False:
        outcome = "reference_wrong"
    return replace(
        base,
        outcome=outcome,
        alignment=alignment,
        value=None if divergence is None else value_facts(truth, divergence, None, tokenizer),
        is_result_right=divergence is None,
        is_answer_right=divergence is None,
    )


def _is_result(truth: Trace, said: str | None) -> bool | None:
    """Whether a value is what the program returns; none where either is not known."""
    if said is None or not truth.is_whole:
        return None
    return truth.result is not None and compare(truth.result, said).is_same


def _is_result_right(truth: Trace, alignment: Alignment) -> bool | None:
    if truth.result is None:
        return None
    if alignment.recovery is not None:
        return alignment.recovery.is_result_right
    return True if alignment.is_whole else None


def _outcome(
    truth: Trace,
    prediction: Prediction,
    alignment: Alignment,
    is_answer_right: bool | None,
    is_reference_right: bool | None,
) -> Outcome:
    if alignment.divergence is not None:
        return "diverged"
    if not alignment.is_whole:
        has_more = alignment.matched < len(truth.steps)
        if not truth.is_whole and not has_more:
            # Right as far as the program could be executed: that is no fault of the model's.
            return "error"
        is_cut = prediction.is_cut and prediction.decoded.stop == "cut"
        return "truncated" if is_cut else "malformed"
    if is_reference_right is False:
        return "reference_wrong"
    return "answer_lost" if is_answer_right is False else "correct"


def _note(truth: Trace, decoded: Decoded, alignment: Alignment) -> str:
    """What a reader should know about how the two ended."""
    if alignment.divergence is not None or alignment.is_whole:
        return ""
    if not truth.is_whole and alignment.matched >= len(truth.steps):
        how = truth.ending.detail or "; ".join(truth.notes) or truth.ending.reason
        return f"the program could not be executed to its end: {truth.ending.reason}, {how}"
    steps = "1 step is" if alignment.matched == 1 else f"{alignment.matched} steps are"
    return f"{steps} right, then {decoded.reason}"


def value_facts(
    truth: Trace,
    divergence: Divergence,
    operation: OperationFacts | None,
    tokenizer: Tokenizer | None,
) -> ValueFacts:
    """How the value that differs is different."""
    true, predicted = divergence.true, divergence.predicted
    leaf, leaf_kind = first_leaf(true, predicted)
    ours = tokenizer.encode(true) if tokenizer else None
    theirs = tokenizer.encode(predicted) if tokenizer else None
    return ValueFacts(
        kind=value_kind(true),
        leaf_kind=leaf_kind,
        leaf=leaf,
        change=_change(truth, divergence, operation),
        true_chars=len(true),
        predicted_chars=len(predicted),
        edit_distance=edit_distance(true, predicted),
        is_runaway=is_runaway(true, predicted),
        true_tokens=None if ours is None else len(ours),
        predicted_tokens=None if theirs is None else len(theirs),
        moved_tokens=None if ours is None or theirs is None else moved(ours, theirs),
    )


def _change(
    truth: Trace, divergence: Divergence, operation: OperationFacts | None
) -> Change | None:
    if divergence.variable is None or operation is None:
        return None
    step = truth.steps[divergence.step]
    seen = any(s.scope == step.scope for s in truth.steps[: divergence.step])
    if step.event == "call" and not seen:
        return "entry"
    is_written = divergence.variable in operation.writes or divergence.variable in step.changed
    return "update" if is_written else "drift"


def input_kinds(
    truth: Trace, divergence: Divergence, operation: OperationFacts
) -> frozenset[ValueKind]:
    """The kinds of the values that the executed line read, as they really were before it."""
    before = truth.steps[: divergence.step]
    indexes = [i for i, s in enumerate(before) if s.has_locals and s.line == divergence.executed]
    state = state_at(truth.steps, indexes[-1]) if indexes else {}
    return frozenset(value_kind(state[name]) for name in operation.reads if name in state)


def is_bound_by_loop(truth: Trace, divergence: Divergence, operation: OperationFacts) -> bool:
    """Whether the variable is the one that a loop or comprehension binds next."""
    if divergence.variable is None or divergence.event != "line":
        return False
    scope = truth.scopes[divergence.scope]
    if scope.function.endswith(">") and ".0" in scope.variables:
        return divergence.variable in scope.variables[scope.parameters :]
    return operation.is_loop_header and divergence.variable in operation.writes


def was_just_returned(truth: Trace, divergence: Divergence) -> bool:
    """Whether the step before showed the value that now differs being returned to this scope."""
    if divergence.step == 0:
        return False
    before = truth.steps[divergence.step - 1]
    return before.event == "return" and before.value == divergence.true


def horizon_facts(
    truth: Trace,
    prediction: Prediction,
    decoded: Decoded,
    divergence: Divergence,
    tokenizer: Tokenizer | None,
) -> HorizonFacts:
    """How far the model had come."""
    before = truth.steps[: divergence.step]
    depth = sum((s.event == "call") - (s.event == "return") for s in before)
    if divergence.step < len(decoded.written):
        start = decoded.written[divergence.step].start
    else:
        start = decoded.written[-1].end if decoded.written else 0
    return HorizonFacts(
        step=divergence.step,
        iteration=sum(s.event == "line" and s.line == divergence.executed for s in before),
        call_depth=depth,
        chars_before=start,
        tokens_before=len(tokenizer.encode(prediction.text[:start])) if tokenizer else None,
        budget=prediction.asked.budget if prediction.asked else None,
    )
