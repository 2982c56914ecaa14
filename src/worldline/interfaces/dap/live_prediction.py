"""Prediction that a model writes while the user steps: the next step is asked for when needed."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from worldline.analysis.alignment import align
from worldline.analysis.replay import index_trace
from worldline.core.errors import EngineError
from worldline.core.trace import Program, Trace
from worldline.interfaces.api.engine_handle import EngineHandle, EngineLike, load_engine
from worldline.interfaces.dap.debuggee import (
    Debuggee,
    debuggee_of_alignment,
    debuggee_of_prediction,
)
from worldline.interfaces.report import step_pairs
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.engines import Engine
from worldline.models.prediction import PredictionSettings, StepwisePrediction

Result = TypeVar("Result")
# Seconds between two looks at whether the user wants to stop.
_POLL_SECONDS = 0.05


class LivePrediction:
    """A prediction in progress. Its event loop runs in a thread until `close`."""

    def __init__(
        self, program: Program, *, actual: Trace | None = None, path: Path | None = None
    ) -> None:
        self._program = program
        self._actual = actual
        self._path = path
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._handle: EngineHandle | None = None
        self._engine: Engine | None = None
        self._prediction: StepwisePrediction | None = None
        self._indexed = None if actual is None else index_trace(actual)

    @property
    def prediction(self) -> StepwisePrediction:
        """The prediction so far."""
        if self._prediction is None:
            raise EngineError("the engine is not open")
        return self._prediction

    @property
    def is_finished(self) -> bool:
        """Whether the model has nothing more to write."""
        return self.prediction.is_finished

    def open(self, engine: EngineLike, settings: PredictionSettings, model: str | None) -> None:
        """Open the engine and ask for the first step."""
        if isinstance(engine, str):
            engine = self._handle = load_engine(engine, model=model)
        opened = engine.open() if isinstance(engine, EngineHandle) else engine()

        async def start() -> StepwisePrediction:
            self._engine = opened
            recorder = ProgramRecorder()
            prediction = await StepwisePrediction.open(opened, self._program, settings, recorder)
            await prediction.advance()
            return prediction

        self._prediction = self._wait(start(), lambda: False)
        if not self.prediction.decoded.steps:
            raise EngineError(
                "the model has not written a step: "
                f"{self.prediction.decoded.reason}; it wrote {self.prediction.text[:80]!r}"
            )

    def advance(self, is_cancelled: Callable[[], bool] = lambda: False) -> bool:
        """Ask for the next step; false if there is none, or if the user has stopped it."""
        return bool(self._wait(self.prediction.advance(), is_cancelled))

    def set_variable(self, step: int, name: str, value: str) -> None:
        """Change the predicted state of a step; the model continues from there."""
        self._wait(self.prediction.set_variable(step, name, value), lambda: False)

    def debuggee(self) -> Debuggee:
        """The executions up to the last predicted step; to the end, if the model has finished."""
        decoded = self.prediction.decoded
        if self._actual is None or not self._actual.steps:
            return debuggee_of_prediction(
                decoded, self._program, path=self._path, is_growing=not self.is_finished
            )
        alignment = align(self._actual, decoded)
        rows = None
        if not self.is_finished:
            last = len(alignment.predicted.steps) - 1
            pairs = [pair[1] for pair in step_pairs(alignment)]
            rows = pairs.index(last) + 1 if last in pairs else None
        # Comprehensions may have been removed from the actual trace.
        indexed = self._indexed if alignment.actual is self._actual else None
        return debuggee_of_alignment(
            alignment,
            path=self._path,
            rows=rows,
            is_growing=not self.is_finished,
            indexed=indexed,
        )

    def close(self) -> None:
        """Close the engine and end its thread."""
        if self._loop.is_closed():
            return
        if self._engine is not None:
            self._wait(self._engine.close(), lambda: False)
        if self._handle is not None:
            self._handle.stop_server()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    def _wait(
        self, work: Coroutine[Any, Any, Result], is_cancelled: Callable[[], bool]
    ) -> Result | None:
        """Wait for work in the event loop; None if the user has stopped it."""
        future: Future[Result] = asyncio.run_coroutine_threadsafe(work, self._loop)
        while True:
            try:
                return future.result(_POLL_SECONDS)
            except TimeoutError:
                if future.done():
                    raise
                if is_cancelled():
                    future.cancel()
                    return None


def start_live_prediction(
    program: Program,
    engine: EngineLike,
    settings: PredictionSettings,
    *,
    model: str | None = None,
    actual: Trace | None = None,
    path: Path | None = None,
) -> LivePrediction:
    """Start a prediction, and ask for its first step.

    Args:
        program: The program.
        engine: The engine, or its name.
        settings: How the model is asked.
        model: The model's name, if the engine is given by its name and has several.
        actual: The recorded execution, to compare with.
        path: The program's file.

    Raises:
        EngineError: The engine cannot be used, or the model writes no step.
    """
    live = LivePrediction(program, actual=actual, path=path)
    try:
        live.open(engine, settings, model)
    except BaseException:
        live.close()
        raise
    return live
