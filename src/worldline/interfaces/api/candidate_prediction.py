"""Predictions of what candidates do: one question for each different source and input."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from worldline.core.errors import EngineError, InputError
from worldline.core.trace import Program, parse_source
from worldline.evaluation.rank import CandidateOutcome, RankPlan, predicted_outcome
from worldline.evaluation.runs import extract_answer
from worldline.interfaces.api.engine_handle import EngineLike
from worldline.interfaces.api.predicting import predict_into_file
from worldline.models.prediction import (
    PredictionSettings,
    Question,
    read_prediction_file,
)

# Modes in which the model sees nothing of the actual execution.
_MODES = ("free", "guided")


@dataclass(frozen=True, slots=True)
class PredictionAccess:
    """How a model is asked about candidates.

    Attributes:
        engine: The engine, or its name.
        output: The file of the predictions.
        settings: The settings of the predictions.
        tokenizer: The model's tokenizer, to tokenize here instead of on the server.
        concurrency: Maximum number of concurrent requests.
        restart: Delete the file and begin again.
        on_start: Called once, with the number of predictions still to make and the total.
        on_prediction: Called for every new prediction.
    """

    engine: EngineLike
    output: Path
    settings: PredictionSettings
    tokenizer: str | None = None
    concurrency: int | None = None
    restart: bool = False
    on_start: Callable[[int, int], None] | None = None
    on_prediction: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class PredictedOutcomes:
    """Predicted outcomes by problem and source, and how many predictions they took."""

    outcomes: list[dict[str, CandidateOutcome]]
    predictions: int
    without_answer: int


def check_mode(settings: PredictionSettings) -> None:
    """Refuse settings that show the model the actual execution.

    Raises:
        InputError: The mode needs the actual trace.
    """
    if settings.mode not in _MODES or settings.from_step:
        raise InputError(
            f"in the mode {settings.mode} with these settings the model is shown the actual "
            "execution; use --mode free or --mode guided, without --from-step"
        )


def predict_candidates(plans: Sequence[RankPlan], access: PredictionAccess) -> PredictedOutcomes:
    """Ask a model for the output of every candidate on every input.

    A source that does not parse is not asked about: it has no outputs.

    Args:
        plans: The plans.
        access: How the model is asked.

    Raises:
        EngineError: The engine cannot be used, or has failed for some predictions.
    """
    questions = {
        (plan.problem.id, source, call): _question(plan, source, call)
        for plan in plans
        for source in plan.problem.sources
        if parse_source(source) is not None
        for call in plan.inputs
    }
    answers = _ask(list(questions.values()), access)
    outcomes = []
    for plan in plans:
        by_source = {}
        for source in plan.problem.sources:
            keys = {call: (plan.problem.id, source, call) for call in plan.inputs}
            stated = {
                call: answers[questions[key].id] for call, key in keys.items() if key in questions
            }
            by_source[source] = predicted_outcome(plan, stated)
        outcomes.append(by_source)
    without_answer = sum(answer is None for answer in answers.values())
    return PredictedOutcomes(outcomes, len(answers), without_answer)


def _question(plan: RankPlan, source: str, call: str) -> Question:
    program = Program(source, call)
    return Question(f"{plan.problem.id}/{program.hash}", program)


def _ask(questions: Sequence[Question], access: PredictionAccess) -> dict[str, str | None]:
    """The predicted value of each question, by its id; None if the output states none."""
    if not questions:
        return {}
    totals = predict_into_file(
        questions,
        access.engine,
        access.output,
        settings=access.settings,
        tokenizer=access.tokenizer,
        concurrency=access.concurrency,
        restart=access.restart,
        on_start=access.on_start,
        on_prediction=lambda _: access.on_prediction() if access.on_prediction else None,
    )
    if totals.first_error is not None:
        raise EngineError(
            f"{totals.finishes['infra_error']} predictions failed: {totals.first_error}; run the "
            "same command again to ask for them again"
        )
    wanted = {question.id for question in questions}
    return {
        prediction.id: extract_answer(prediction)
        for prediction in read_prediction_file(access.output)
        if prediction.id in wanted
    }
