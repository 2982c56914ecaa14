"""Small runs to view: of recorded predictions, with interventions, scored, of results only."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tests.evaluation.runs.samples import fill, questions
from tests.evaluation.runs.test_intervening import run_of, tried
from tests.support.predictions import text_of
from tests.support.scripted_models import continue_actual_trace, engine_of, prompt_of
from worldline.evaluation.runs import (
    Manifest,
    RunWriter,
    evaluate_into_run,
    import_predictions,
    is_expected,
)
from worldline.languages.python.recorder import PythonRecorder, Recorder
from worldline.models.prediction import Prediction, PredictionSettings, Question


def make_recorded_run(folder: Path, predictions: Sequence[Prediction], recorder: Recorder) -> str:
    """Store recorded predictions as a run."""
    manifest = Manifest("recorded", questions=len(predictions), engine="recorded")
    with RunWriter(folder) as run:
        list(import_predictions(run, predictions, recorder, manifest, is_correct=is_expected))
    return str(folder)


def make_intervened_run(folder: Path, recorder: PythonRecorder) -> str:
    """Make a run of two failures, `slip` and `jump`, with three interventions on both.

    Each failure is turned correct by at least one of them.
    """
    run_of(folder, recorder)
    for name in ("resample", "patch", "guided"):
        tried(folder, recorder, name, is_all=True)
    return str(folder)


def make_scored_run(folder: Path, recorder: PythonRecorder) -> str:
    """Make a scored run: all steps of `s0` are the model's choice; in `s1` it prefers y = 9."""
    correct, incorrect = questions(2)
    actual = text_of(recorder.record(incorrect.program))
    prompt = prompt_of(incorrect.program)
    wrong_choice = len(prompt) + actual.index('"y": "2"') + len('"y": "')
    own = continue_actual_trace(
        *(recorder.record(question.program) for question in (correct, incorrect))
    )

    def answer(text: str) -> str:
        is_wrong_choice = text.startswith(prompt) and len(text) == wrong_choice
        return "9" if is_wrong_choice else own(text)

    settings = PredictionSettings(mode="score", max_tokens=400)
    fill(folder, [correct, incorrect], lambda: engine_of(answer), recorder, settings=settings)
    return str(folder)


def make_result_run(
    folder: Path,
    questions: Sequence[Question],
    answer: Callable[[str], str],
    recorder: PythonRecorder,
    *,
    repeats: int = 1,
) -> str:
    """Make a run of predicted results; `answer` has the prompt."""
    settings = PredictionSettings(codec="chat", temperature=1.0, max_tokens=200)
    manifest = Manifest("chance", questions=len(questions), settings=settings, repeats=repeats)
    with RunWriter(folder) as run:
        list(
            evaluate_into_run(
                run,
                list(questions),
                lambda: engine_of(lambda text: f"[ANSWER]{answer(text)}[/ANSWER]"),
                recorder,
                manifest,
                is_correct=is_expected,
            )
        )
    return str(folder)
