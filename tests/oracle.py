"""Scripted models: one that knows the true trace, and ones that get it wrong on purpose."""

from collections.abc import Callable

from tests.predictions import CWM, text_of
from worldline.codecs import STEP_CODECS, Codec
from worldline.engines import ScriptedEngine
from worldline.predict import Prediction, Question, Settings, predict
from worldline.recorders import Recorder
from worldline.trace import Program, Trace

STEPS = STEP_CODECS["cwm"]


def prompt_of(program: Program, codec: Codec = CWM) -> str:
    """The prompt as text."""
    return "".join(codec.prompt(program))


def knowing(
    *traces: Trace, edit: Callable[[str], str] = str, codec: Codec = CWM
) -> Callable[[str], str]:
    """A model that goes on with the true trace, changed by `edit`, wherever a text leads to it."""
    known = [(prompt_of(trace.program, codec), edit(text_of(trace, codec))) for trace in traces]

    def answer(text: str) -> str:
        for prompt, whole in known:
            if (prompt + whole).startswith(text):
                return (prompt + whole)[len(text) :]
        return "lost"

    return answer


def engine_of(answer: Callable[[str], str], *, context_length: int | None = None) -> ScriptedEngine:
    """A scripted engine that speaks CWM's format."""
    return ScriptedEngine(
        answer, specials=tuple(STEPS.specials), end=STEPS.end, context_length=context_length
    )


def ask(
    engine: ScriptedEngine, recorder: Recorder, program: Program, settings: Settings
) -> Prediction:
    """One prediction of one program."""
    (found,) = predict([Question("asked", program)], lambda: engine, recorder, settings=settings)
    return found
