"""Small runs to look at: of recorded predictions, one that was asked again, one that was scored."""

from collections.abc import Sequence
from pathlib import Path

from tests.oracle import engine_of, knowing, prompt_of
from tests.predictions import text_of
from tests.runs.samples import fill, questions
from tests.runs.test_intervening import run_of, tried
from worldline.predict import Prediction, Settings
from worldline.recorders import PythonRecorder
from worldline.runs import Manifest, Run, expects, keep_recorded


def kept(folder: Path, predictions: Sequence[Prediction], recorder: PythonRecorder) -> str:
    """A run of predictions that were made elsewhere."""
    manifest = Manifest("recorded", questions=len(predictions), engine="recorded")
    with Run(folder) as run:
        list(keep_recorded(run, predictions, recorder, manifest, is_right=expects))
    return str(folder)


def intervened(folder: Path, recorder: PythonRecorder) -> str:
    """Two failures, `slip` and `jump`, asked again in three ways; each is turned right by one."""
    run_of(folder, recorder)
    for name in ("resample", "patch", "guided"):
        tried(folder, recorder, name, is_all=True)
    return str(folder)


def scored(folder: Path, recorder: PythonRecorder) -> str:
    """`s0` is what the model would have written itself; in `s1` it would have written y = 9."""
    right, wrong = questions(2)
    truth = text_of(recorder.record(wrong.program))
    place = len(prompt_of(wrong.program)) + truth.index('"y": "2"') + len('"y": "')
    own = knowing(*(recorder.record(question.program) for question in (right, wrong)))

    def answer(text: str) -> str:
        is_there = text.startswith(prompt_of(wrong.program)) and len(text) == place
        return "9" if is_there else own(text)

    settings = Settings(mode="score", budget=400)
    fill(folder, [right, wrong], lambda: engine_of(answer), recorder, settings=settings)
    return str(folder)
