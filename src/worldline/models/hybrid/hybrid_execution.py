"""Hybrid execution of one program, and its replay without the model."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from worldline.core.trace import (
    AssumedCall,
    Assumptions,
    Ending,
    Limits,
    Program,
    Trace,
)
from worldline.core.util.text import pluralize, truncate_text
from worldline.languages.python.recorder import Cancellation, OpenCall, PythonRecorder
from worldline.models.engines import NO_USAGE, Engine, Usage
from worldline.models.hybrid.value_request import PromptForm, ask_value, find_prompt_form


@dataclass(frozen=True, slots=True)
class HybridSettings:
    """Settings of a hybrid execution.

    Attributes:
        max_calls: Number of assumed calls of one execution.
        max_tokens: Completion tokens of one answer.
        max_total_tokens: Prompt and completion tokens of one execution.
        shown_steps: Number of steps before the call that the model is shown.
        temperature: Sampling temperature; 0 is greedy decoding.
        seed: Sampling seed.
    """

    max_calls: int = 50
    max_tokens: int = 256
    max_total_tokens: int = 200_000
    shown_steps: int = 20
    temperature: float = 0.0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class HybridExecution:
    """Result of a hybrid execution.

    Attributes:
        trace: The trace; `trace.assumptions` has the assumed calls.
        usage: Tokens and requests of the model.
    """

    trace: Trace
    usage: Usage = NO_USAGE

    def __repr__(self) -> str:
        calls = len(self.trace.assumptions.calls) if self.trace.assumptions else 0
        return f"HybridExecution({self.trace!r}, {pluralize(calls, 'assumed call')})"

    @property
    def result(self) -> str | None:
        """The value that the entry point returned, as text; None if it did not return."""
        return self.trace.result


async def execute_hybrid(
    program: Program,
    names: tuple[str, ...],
    engine: Engine,
    recorder: PythonRecorder,
    *,
    settings: HybridSettings | None = None,
    limits: Limits | None = None,
    cancellation: Cancellation | None = None,
    on_call: Callable[[AssumedCall], None] | None = None,
) -> HybridExecution:
    """Execute a program; a model provides the values of calls that are not executed.

    At each such call the execution ends; after the model's answer the program is executed again
    from its beginning, with one more value. An answer that cannot be read ends the trace with the
    reason `assumption_failed`.

    Args:
        program: The program.
        names: What is not executed (see `parse_assumed_names`).
        engine: The model.
        recorder: Executes the program.
        settings: Limits on the assumed calls, and sampling.
        limits: Limits of each execution.
        cancellation: Ends the execution when it is cancelled.
        on_call: Called for every assumed call.

    Raises:
        EngineError: The engine failed.
    """
    settings = settings or HybridSettings()
    assumptions, usage = Assumptions(names, ""), NO_USAGE
    form: PromptForm | None = None
    while True:
        trace, call = recorder.record_assuming(
            program, assumptions, limits=limits, cancellation=cancellation
        )
        if call is None:
            return HybridExecution(_noted(trace), usage)
        limit = _exceeded_limit(assumptions, usage, settings)
        if limit:
            return HybridExecution(_failed(trace, call, limit), usage)
        form = form or await find_prompt_form(engine)
        answer, used = await ask_value(
            trace,
            call,
            engine,
            form=form,
            max_tokens=settings.max_tokens,
            shown_steps=settings.shown_steps,
            temperature=settings.temperature,
            seed=settings.seed,
        )
        usage += used
        if answer.kind is None:
            return HybridExecution(_failed(trace, call, answer.problem), usage)
        assumed = AssumedCall(
            call.expression, answer.kind, answer.value, call.step, call.statements
        )
        # An engine may not know the model's name before its first reply.
        assumptions = Assumptions(names, engine.name, (*assumptions.calls, assumed))
        if on_call is not None:
            on_call(assumed)


def replay_execution(
    trace: Trace,
    recorder: PythonRecorder,
    *,
    limits: Limits | None = None,
) -> Trace:
    """Execute the program of a trace again, with its assumed values and without a model.

    Args:
        trace: A trace with assumptions.
        recorder: Executes the program.
        limits: Limits of the execution; by default those of the trace.
    """
    assumptions = trace.assumptions or Assumptions((), "")
    again, call = recorder.record_assuming(
        trace.program, assumptions, limits=limits or trace.limits
    )
    if call is not None:
        return _failed(again, call, "the stored trace has no value for it")
    return _noted(again)


def _exceeded_limit(assumptions: Assumptions, usage: Usage, settings: HybridSettings) -> str:
    """The limit that forbids another question; empty if there is none."""
    if len(assumptions.calls) >= settings.max_calls:
        return f"it would be more than {settings.max_calls:,} assumed calls"
    if usage.prompt + usage.completion >= settings.max_total_tokens:
        return f"more than {settings.max_total_tokens:,} tokens were used"
    return ""


def _failed(trace: Trace, call: OpenCall, problem: str) -> Trace:
    detail = f"no value for {truncate_text(call.expression, 200)}: {problem}"
    return _noted(replace(trace, ending=Ending("assumption_failed", detail)))


def _noted(trace: Trace) -> Trace:
    """The trace with a note on its assumed calls, so that no training data is made of it."""
    count = len(trace.assumptions.calls) if trace.assumptions else 0
    if not count:
        return trace
    verb = "was" if count == 1 else "were"
    return replace(
        trace, notes=(*trace.notes, f"{pluralize(count, 'call')} {verb} assumed, not executed")
    )
