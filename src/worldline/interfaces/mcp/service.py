"""Work of the tools, without the protocol: executions, checks, comparisons and predictions."""

import asyncio
import textwrap
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from worldline.analysis.trust import TrustModel
from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program, Trace, check_call
from worldline.interfaces.api.engine_handle import EngineLike
from worldline.interfaces.mcp.answers import Answer
from worldline.interfaces.mcp.call_table import CallTable, Reply
from worldline.interfaces.mcp.claims import ClaimedStep, check_claim
from worldline.interfaces.mcp.model_predictions import ModelPredictor
from worldline.interfaces.mcp.recorder_pool import DEFAULT_RECORDERS, RecorderPool
from worldline.interfaces.mcp.replies import (
    change_reply,
    check_reply,
    outcome_of_prediction,
    outcome_of_trace,
    prediction_reply,
    trace_reply,
)
from worldline.interfaces.mcp.trace_store import StoredTrace, TraceStore, make_stored_trace
from worldline.interfaces.mcp.trust_replies import (
    advice_reply,
    assess_value,
    check_trust_model,
)
from worldline.interfaces.mcp.version_changes import first_difference
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import PredictionSettings
from worldline.models.tokenizers import Tokenizer

# Smaller than elsewhere: an agent waits, and many calls may run at once.
LIMITS = Limits(steps=20_000, seconds=5, memory_mb=512, value_chars=2_000, trace_mb=8, output_mb=1)
# Seconds after which a call answers with its id, and continues; clients give up after 60.
WAIT_SECONDS = 20.0
MAX_CODE_CHARS = 100_000
MAX_CALL_CHARS = 20_000

AnswerType = TypeVar("AnswerType", bound=Answer)
Work = Callable[[str], Coroutine[None, None, Reply]]


@dataclass(slots=True)
class _Running:
    """What exists while the service is open, in one event loop."""

    pool: RecorderPool
    calls: CallTable
    traces: TraceStore
    model: ModelPredictor | None


class ToolService:
    """Does the work of the tools. It is open while at least one connection uses it."""

    def __init__(
        self,
        *,
        engine: EngineLike | None = None,
        settings: PredictionSettings | None = None,
        concurrency: int | None = None,
        tokenizer: Tokenizer | None = None,
        trust_model: TrustModel | None = None,
        python: str | None = None,
        recorders: int = DEFAULT_RECORDERS,
        first_recorder: PythonRecorder | None = None,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        """Configure the service.

        Args:
            engine: The model that predicts; without one, programs are only executed.
            settings: How the model is asked.
            concurrency: The number of predictions at the same time.
            tokenizer: The model's own tokenizer, which saves requests to the server.
            trust_model: Gives the probability that a predicted value is right.
            python: The interpreter that executes programs; by default the current one.
            recorders: The number of programs that are executed at the same time.
            first_recorder: A recorder that is starting already.
            wait_seconds: Seconds after which a call answers that it is still running.

        Raises:
            InputError: The mode of the settings needs the actual execution, or the trust model
                needs repeats.
        """
        if trust_model is not None:
            check_trust_model(trust_model)
        self._trust_model = trust_model
        self._settings = settings or PredictionSettings(codec="auto")
        if self._settings.mode not in ("free", "guided") or self._settings.from_step:
            raise InputError("predictions without an execution have the mode free or guided")
        self._engine = engine
        self._concurrency = concurrency
        self._tokenizer = tokenizer
        self._python = python
        self._recorders = recorders
        self._wait_seconds = wait_seconds
        self._first = first_recorder
        self._connections = 0
        self._state: _Running | None = None

    @property
    def has_engine(self) -> bool:
        """Whether it has a model."""
        return self._engine is not None

    async def open(self) -> None:
        """Open the service for one more connection."""
        self._connections += 1
        if self._state is None:
            model = None
            if self._engine is not None:
                model = ModelPredictor(
                    self._engine,
                    self._settings,
                    concurrency=self._concurrency,
                    tokenizer=self._tokenizer,
                )
            pool = RecorderPool(self._recorders, python=self._python, first=self._first)
            self._state = _Running(pool, CallTable(), TraceStore(), model)

    async def close(self) -> None:
        """Close it for one connection; after the last one, all of its work ends."""
        self._connections -= 1
        state = self._state
        if self._connections or state is None:
            return
        self._state = self._first = None
        await state.calls.close()
        await state.pool.close()
        if state.model is not None:
            await state.model.close()

    @property
    def _running(self) -> _Running:
        if self._state is None:
            raise InputError("the service is not open")
        return self._state

    @property
    def traces(self) -> TraceStore:
        """The traces of the last calls."""
        return self._running.traces

    async def run(self, work: Work, running: type[AnswerType]) -> Reply:
        """Do the work of a call, and answer with its id if it takes long.

        If the caller is cancelled, the work ends.

        Args:
            work: Does the work, given the id of the call.
            running: The class of the answer.

        Raises:
            WorldlineError: The call failed.
        """
        calls = self._running.calls
        id = calls.new_id()
        calls.start(id, work(id))
        try:
            reply = await calls.wait(id, self._wait_seconds)
        except asyncio.CancelledError:
            calls.cancel(id)
            raise
        return reply or _running_reply(id, running)

    async def result(self, id: str) -> Reply:
        """The answer of an earlier call; waits for it, but not longer than a call does.

        Raises:
            InputError: There is no such call.
            WorldlineError: The call failed.
        """
        return await self._running.calls.wait(id, self._wait_seconds) or _running_reply(id, Answer)

    def cancel(self, id: str) -> Reply:
        """End the work of an earlier call.

        Raises:
            InputError: There is no such call.
        """
        was_running = self._running.calls.cancel(id)
        words = "The call was ended." if was_running else "The call had finished before."
        return Reply(Answer(id=id, summary=words), words)

    async def trace_execution(
        self, id: str, program: Program, *, variable: str, line: int, seconds: float
    ) -> Reply:
        """Execute a program and show the steps that matter."""
        stored = await self._record(id, program, seconds)
        return await asyncio.to_thread(trace_reply, id, stored, variable=variable, line=line)

    async def check_prediction(
        self,
        id: str,
        program: Program,
        *,
        value: str,
        raised: str,
        steps: list[ClaimedStep],
        seconds: float,
    ) -> Reply:
        """Execute a program and compare a claim with its execution."""
        stored = await self._record(id, program, seconds)
        check = await asyncio.to_thread(
            partial(check_claim, stored.trace, value=value, raised=raised, steps=steps)
        )
        return await asyncio.to_thread(check_reply, id, stored, check)

    async def what_changes(
        self, id: str, before: Program, after: Program, *, predicted: bool, seconds: float
    ) -> Reply:
        """Execute two versions, or predict both, and compare their executions."""
        if predicted:
            model = self._model()
            both = await asyncio.gather(model.predict(before), model.predict(after))
            outcomes = [outcome_of_prediction(prediction) for prediction in both]
        else:
            stored = await asyncio.gather(
                self._record(f"{id}.before", before, seconds),
                self._record(f"{id}.after", after, seconds),
            )
            outcomes = [
                outcome_of_trace(f"{id}.{name}", each)
                for name, each in zip(("before", "after"), stored, strict=True)
            ]
        lines = [outcome.lines for outcome in outcomes]
        difference = await asyncio.to_thread(first_difference, before, after, *lines)
        return change_reply(id, before, after, outcomes, difference, predicted=predicted)

    async def predict_execution(self, id: str, program: Program) -> Reply:
        """Ask the model for the execution of a program."""
        model = self._model()
        prediction = await model.predict(program)
        weakest = await model.weakest_step(prediction)
        trust = await asyncio.to_thread(assess_value, prediction, self._trust_model)
        return prediction_reply(id, prediction, weakest, trust_model=self._trust_model, trust=trust)

    async def should_i_run(self, id: str, program: Program) -> Reply:
        """Advise whether to run a call, or to trust the model's prediction of it."""
        model = self._model()
        prediction = await model.predict(program)
        weakest = await model.weakest_step(prediction)
        trust = await asyncio.to_thread(assess_value, prediction, self._trust_model)
        return advice_reply(id, prediction, self._trust_model, trust, weakest)

    def _model(self) -> ModelPredictor:
        model = self._running.model
        if model is None:
            raise InputError("this server has no model: start it with worldline mcp --engine URL")
        return model

    async def _record(self, id: str, program: Program, seconds: float) -> StoredTrace:
        limits = replace(LIMITS, seconds=seconds)
        trace: Trace = await self._running.pool.record(program, limits)
        stored = await asyncio.to_thread(make_stored_trace, trace)
        self._running.traces.add(id, stored)
        return stored


def make_program(code: str, call: str, stdin: str = "") -> Program:
    """A program from the arguments of a tool.

    Raises:
        ProgramError: The call is not one expression.
    """
    if call.strip():
        check_call(call)
    return Program(textwrap.dedent(code), call if call.strip() else None, stdin)


def _running_reply(id: str, answer: type[AnswerType]) -> Reply:
    words = f"Still running. Call get_result with the id {id}, or cancel_call to end it."
    return Reply(answer(status="running", id=id, summary=words), words)
