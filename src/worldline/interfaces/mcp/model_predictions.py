"""Predictions of a model, and their least certain step."""

import asyncio
from typing import Literal

from worldline.analysis.trust import check_steps
from worldline.core.errors import WorldlineError
from worldline.core.trace import Program
from worldline.core.util.text import truncate_text
from worldline.interfaces.api.engine_handle import EngineLike, engine_concurrency, engine_opener
from worldline.interfaces.mcp.answers import WeakStep
from worldline.interfaces.mcp.text_limits import SOURCE_CHARS
from worldline.languages.control_flow import CfgSimulator, build_cfg
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import Decoded
from worldline.models.engines import Engine
from worldline.models.prediction import Prediction, PredictionSettings, Predictor, Question
from worldline.models.tokenizers import Tokenizer


class ModelPredictor:
    """A model that is opened at its first use, in one event loop."""

    def __init__(
        self,
        engine: EngineLike,
        settings: PredictionSettings,
        *,
        concurrency: int | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        """Configure access to a model.

        Args:
            engine: The engine, or its name.
            settings: How the model is asked; the mode must not need the actual execution.
            concurrency: The number of predictions at the same time.
            tokenizer: The model's own tokenizer, which saves requests to the server.
        """
        self._open_engine = engine_opener(engine)
        self._settings = settings
        self._tokenizer = tokenizer
        self._slots = asyncio.Semaphore(concurrency or engine_concurrency(engine))
        self._lock = asyncio.Lock()
        self._engine: Engine | None = None
        self._predictor: Predictor | None = None

    async def predict(self, program: Program) -> Prediction:
        """Ask the model for the execution of a program; nothing is executed.

        Raises:
            EngineError: The engine cannot be used. A failure while it answers is a prediction
                whose `finish` is "infra_error".
        """
        predictor = await self._opened()
        async with self._slots:
            return await predictor.predict(Question("prediction", program, None))

    async def _opened(self) -> Predictor:
        async with self._lock:
            if self._predictor is None:
                if self._engine is None:
                    self._engine = await asyncio.to_thread(self._open_engine)
                # The recorder is never started: no mode that is allowed here executes anything.
                self._predictor = await Predictor.open(
                    self._engine, self._settings, PythonRecorder(), tokenizer=self._tokenizer
                )
            return self._predictor

    async def weakest_step(self, prediction: Prediction) -> WeakStep | None:
        """The least certain step: one that cannot follow from those before, or the least likely.

        None if no step contradicts the others and the engine gives no log-probabilities.
        """
        program, decoded = prediction.program, prediction.decoded
        impossible = await asyncio.to_thread(first_impossible_step, program, decoded)
        if impossible is not None:
            return _weak_step(prediction, impossible, "impossible")
        checks = await asyncio.to_thread(check_steps, program, decoded, prediction.answer)
        contradicted = [check.step for check in checks if not check.is_consistent]
        if contradicted:
            return _weak_step(prediction, min(contradicted), "contradicted")
        record, engine = prediction.generation, self._engine
        if engine is None or record is None or not (record.prompt_ids and record.completion_ids):
            return None
        capabilities = await engine.capabilities()
        if not capabilities.supported.issuperset({"prompt_scores", "tokenize"}):
            return None
        scores = await engine.score([*record.prompt_ids, *record.completion_ids])
        completion = scores.tokens[-len(record.completion_ids) :]
        index = min(range(len(completion)), key=lambda n: completion[n].logprob)
        position = len(await engine.detokenize(record.completion_ids[:index]))
        for step, text in enumerate(prediction.decoded.step_texts):
            if text.start <= position < text.end:
                logprob = completion[index].logprob
                return _weak_step(prediction, step, "least_likely_token", logprob)
        return None

    async def close(self) -> None:
        """Close the engine; it is opened again if needed."""
        engine, self._engine, self._predictor = self._engine, None, None
        if engine is not None:
            await engine.close()


def _weak_step(
    prediction: Prediction,
    step: int,
    reason: Literal["impossible", "contradicted", "least_likely_token"],
    log_probability: float | None = None,
) -> WeakStep:
    decoded = prediction.decoded
    source = truncate_text(decoded.step_texts[step].line.strip(), SOURCE_CHARS)
    return WeakStep(
        step=step,
        line=decoded.steps[step].line,
        source=source,
        reason=reason,
        log_probability=log_probability,
    )


def first_impossible_step(program: Program, decoded: Decoded) -> int | None:
    """The first predicted step that no path of the control-flow graph has.

    Args:
        program: The program.
        decoded: The predicted steps.

    Returns:
        Its number, from 0; None if all steps are possible, or the program has no graph.
    """
    try:
        simulator = CfgSimulator(
            build_cfg(program.text, language=program.language),
            program,
            omits_expression_frames=decoded.omits_expression_frames,
        )
    except (WorldlineError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    steps = zip(decoded.steps, decoded.step_texts, strict=True)
    for number, (step, text) in enumerate(steps):
        events = {step.event}
        if not decoded.knows_events and step.has_locals:
            events = {"call", "line"}
        options = [
            option
            for option in simulator.options
            if option.event in events
            and (
                # A format without line numbers does not tell lines with the same text apart.
                program.line(option.line) == text.line
                if text.number is None
                else option.line == text.number
            )
        ]
        if not options:
            return number
        simulator.take(*options)
    return None
