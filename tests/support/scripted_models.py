"""Scripted models that write the actual trace, or an edited one."""

from collections.abc import Callable

from tests.support.predictions import CWM, text_of
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import Recorder
from worldline.models.codecs import STEP_CODECS, Codec
from worldline.models.engines import ScriptedEngine
from worldline.models.prediction import Prediction, PredictionSettings, Question, predict_questions

STEPS = STEP_CODECS["cwm"]


def prompt_of(program: Program, codec: Codec = CWM) -> str:
    """Prompt of a program as text."""
    return "".join(codec.prompt(program))


def continue_actual_trace(
    *traces: Trace, edit: Callable[[str], str] = str, codec: Codec = CWM
) -> Callable[[str], str]:
    """Make a model that continues any prefix of the actual trace, as changed by `edit`."""
    known = [(prompt_of(trace.program, codec), edit(text_of(trace, codec))) for trace in traces]

    def answer(text: str) -> str:
        for prompt, completion in known:
            if (prompt + completion).startswith(text):
                return (prompt + completion)[len(text) :]
        return "lost"

    return answer


def engine_of(answer: Callable[[str], str], *, context_length: int | None = None) -> ScriptedEngine:
    """Make a scripted engine with the special tokens of CWM."""
    return ScriptedEngine(
        answer,
        special_tokens=tuple(STEPS.special_tokens),
        end_token=STEPS.end_token,
        context_length=context_length,
    )


def ask(
    engine: ScriptedEngine, recorder: Recorder, program: Program, settings: PredictionSettings
) -> Prediction:
    """Predict one program."""
    (prediction,) = predict_questions(
        [Question("asked", program)], lambda: engine, recorder, settings=settings
    )
    return prediction
