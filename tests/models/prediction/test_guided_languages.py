"""The mode `guided` on programs in JavaScript and Java, with scripted models."""

import os
from collections.abc import Iterator

import pytest

from tests.support.predictions import text_of
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.analysis.trust.step_signals import count_legal_steps
from worldline.core.errors import RecorderError
from worldline.core.trace import Program, Trace
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.codecs import STEP_CODECS, get_codec
from worldline.models.engines import ScriptedEngine
from worldline.models.prediction import (
    Prediction,
    PredictionSettings,
    Question,
    make_prediction,
    predict_questions,
)

SOURCES = {
    "javascript": (
        "function g(x) {\n  if (x > 1) {\n    throw new RangeError('big');\n  }\n  return x;\n}\n"
        "function f(xs) {\n  const out = [];\n  for (const x of xs) {\n    try {\n"
        "      out.push(g(x));\n    } catch (e) {\n      out.push(-1);\n    }\n  }\n"
        "  return out.map((x) => x * 2);\n}\n",
        "f([0, 2, 1])",
    ),
    "java": (
        "import java.util.*;\nclass A {\n  static int g(int x) {\n    if (x > 1) {\n"
        '      throw new IllegalStateException("big");\n    }\n    return x;\n  }\n'
        "  static List<Integer> f(List<Integer> xs) {\n    List<Integer> out = new ArrayList<>();\n"
        "    for (int x : xs) {\n      try {\n        out.add(g(x));\n"
        "      } catch (IllegalStateException e) {\n        out.add(-1);\n      }\n    }\n"
        "    return out;\n  }\n}\n",
        "f(List.of(0, 2, 1))",
    ),
}


@pytest.fixture(scope="module")
def recorder() -> Iterator[ProgramRecorder]:
    with ProgramRecorder() as each:
        yield each


@pytest.fixture(scope="module")
def traces(recorder: ProgramRecorder) -> dict[str, Trace]:
    try:
        return {
            language: recorder.record(Program(*source, language=language))
            for language, source in SOURCES.items()
        }
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))


def ask(
    engine: ScriptedEngine, recorder: ProgramRecorder, program: Program, codec: str
) -> Prediction:
    settings = PredictionSettings(mode="guided", codec=codec, max_tokens=100_000)
    questions = [Question("asked", program)]
    (prediction,) = predict_questions(questions, lambda: engine, recorder, settings=settings)
    assert prediction.error is None, prediction.error
    return prediction


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize("codec", ["cwm", "numbers"])
def test_a_perfect_model_gives_the_actual_trace(
    traces: dict[str, Trace], recorder: ProgramRecorder, language: str, codec: str
) -> None:
    actual = traces[language]
    engine = engine_of(continue_actual_trace(actual, codec=STEP_CODECS[codec]))
    prediction = ask(engine, recorder, actual.program, codec)
    assert prediction.text == text_of(actual, STEP_CODECS[codec])
    assert diagnose_prediction(actual, prediction).facts.outcome == "correct"


@pytest.mark.parametrize("language", SOURCES)
def test_a_perfect_chat_model_gives_the_actual_rows(
    traces: dict[str, Trace], recorder: ProgramRecorder, language: str
) -> None:
    actual, codec = traces[language], get_codec("chat-trace")
    prompt = "\n".join(codec.prompt(actual.program)) + "\n"
    whole = prompt + text_of(actual, codec)

    def answer(text: str) -> str:
        return whole[len(text) :] if whole.startswith(text) else "lost"

    engine = ScriptedEngine(answer, special_tokens=())
    prediction = ask(engine, recorder, actual.program, "chat-trace")
    assert diagnose_prediction(actual, prediction).facts.outcome == "correct"


@pytest.mark.parametrize("language", SOURCES)
@pytest.mark.parametrize(
    ("target", "kind", "is_legal"),
    [("return out", "loop_left_early", True), ("return x", "line_hallucinated", False)],
)
def test_a_wrong_line_is_classified(
    traces: dict[str, Trace], language: str, target: str, kind: str, is_legal: bool
) -> None:
    actual, codec = traces[language], STEP_CODECS["numbers"]
    right = text_of(actual, codec)
    read = make_prediction("a", actual.program, right, codec)
    assert count_legal_steps(actual.program, read.decoded) == len(actual.steps)
    lines = list(enumerate(actual.program.lines, 1))
    loop = next(number for number, line in lines if "for (" in line)
    step = next(n for n, s in enumerate(actual.steps) if (s.event, s.line) == ("line", loop)) + 1
    wrong = next(number for number, line in lines if target in line)
    prediction = make_prediction("a", actual.program, _with_line(right, actual, step, wrong), codec)
    facts = diagnose_prediction(actual, prediction).facts
    assert facts.divergence is not None
    assert facts.divergence.step == step
    assert facts.action is not None
    assert (facts.action.kind, facts.action.is_legal) == (kind, is_legal)
    legal = count_legal_steps(actual.program, prediction.decoded)
    assert legal is not None
    assert (legal > step) == is_legal


def _with_line(text: str, actual: Trace, step: int, line: int) -> str:
    """A trace's text with another line at a step."""
    codec = STEP_CODECS["numbers"]
    before = codec.decode(text, actual.program)
    start = before.step_texts[step].start
    old = f"{actual.steps[step].line}"
    at = text.index(old, start)
    return f"{text[:at]}{line}{text[at + len(old) :]}"
