"""Modes with codecs that write rows of plain text: a model that knows the actual trace, and wrong
ones."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.predictions import text_of
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.errors import EngineError
from worldline.core.trace import Program, Trace
from worldline.languages.python.expression_frames import without_expression_frames
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import ChatTraceCodec, get_codec, join_segments
from worldline.models.engines import ScriptedEngine
from worldline.models.prediction import (
    Mode,
    Prediction,
    PredictionSettings,
    Question,
    predict_questions,
)
from worldline.models.prediction.row_modes import split_into_steps

CODEC = get_codec("chat-trace")
FORCED: tuple[Mode, ...] = ("force-actions", "force-state", "guided")
LOOP = Program(
    "def f(words):\n    best = ''\n    for w in words:\n        if len(w) > len(best):\n"
    "            best = w\n    return best.upper()\n",
    "f(['to', 'a', 'not'])",
)
CALLS = Program(
    "def g(x):\n    if x == 0:\n        return 1\n    return x * g(x - 1)\n\n\n"
    "def f(n):\n    total = 0\n    while n > 0:\n        total += g(n)\n        n -= 1\n"
    "    return total\n",
    "f(3)",
)
RAISES = Program(
    "def g(x):\n    if x > 1:\n        raise ValueError('big')\n    return x\n\n\n"
    "def f(xs):\n    out = []\n    for x in xs:\n        try:\n            out.append(g(x))\n"
    "        except ValueError:\n            out.append(-1)\n    return out\n",
    "f([0, 2, 1])",
)
EXPRESSIONS = Program(
    "def g(x):\n    return x + 1\n\n\ndef f(xs):\n    ys = [g(x) for x in xs if x > 1]\n"
    "    ys.sort(key=lambda y: -y)\n    total = sum(\n        y * 2\n        for y in ys\n    )\n"
    "    if any(y > 3 for y in ys):\n        total += len({y: y for y in ys})\n"
    "    return total\n",
    "f([1, 2, 3])",
)
UNCAUGHT = Program("def f(d):\n    x = d['a']\n    return d['b']\n", "f({'a': 1})")


def model_of(*traces: Trace, edit: Callable[[str], str] = str, codec: Any = CODEC) -> Any:
    """A chat model that continues any prefix of its text about a program."""
    known = []
    for trace in traces:
        prompt = "\n".join(codec.prompt(trace.program)) + "\n"
        known.append((prompt, edit(text_of(trace, codec))))

    def answer(text: str) -> str:
        for prompt, completion in known:
            if not (prompt + completion).startswith(text):
                continue
            return (prompt + completion)[len(text) :]
        return next((reply for prompt, reply in known if text == prompt.rstrip("\n")), "lost")

    return ScriptedEngine(answer, special_tokens=())


def ask(
    engine: ScriptedEngine, recorder: PythonRecorder, program: Program, **settings: Any
) -> Prediction:
    options = {"codec": "chat-trace", **settings}
    (prediction,) = predict_questions(
        [Question("asked", program)],
        lambda: engine,
        recorder,
        settings=PredictionSettings(**options),
    )
    assert prediction.error is None
    return prediction


@pytest.mark.parametrize("mode", ["free", *FORCED])
@pytest.mark.parametrize("program", [LOOP, CALLS, RAISES, UNCAUGHT, EXPRESSIONS])
def test_a_perfect_model_gives_the_actual_trace(
    mode: Mode, program: Program, recorder: PythonRecorder
) -> None:
    actual = without_expression_frames(recorder.record(program))
    prediction = ask(model_of(actual), recorder, program, mode=mode)
    assert prediction.decoded.steps == actual.steps
    assert diagnose_prediction(actual, prediction).facts.outcome == "correct"
    if mode != "free":
        assert prediction.generation is not None
        assert prediction.generation.forced_spans


@pytest.mark.parametrize("mode", ["force-actions", "force-state"])
@pytest.mark.parametrize("name", ["chat-trace-states", "chat-trace-json"])
def test_forced_modes_with_the_other_notations(
    mode: Mode, name: str, recorder: PythonRecorder
) -> None:
    actual = recorder.record(LOOP)
    engine = model_of(actual, codec=get_codec(name))
    prediction = ask(engine, recorder, LOOP, mode=mode, codec=name)
    assert prediction.decoded.steps == actual.steps


def test_forced_actions_continue_after_a_wrong_effect(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    edit = lambda text: text.replace("best = 'not'", "best = 'nod'")  # noqa: E731
    prediction = ask(model_of(actual, edit=edit), recorder, LOOP, mode="force-actions")
    facts = diagnose_prediction(actual, prediction).facts
    assert facts.divergence is not None
    assert (facts.divergence.where, facts.divergence.predicted) == ("state", "'nod'")
    assert [step.line for step in prediction.decoded.steps] == [step.line for step in actual.steps]


def test_forced_states_stop_at_the_first_wrong_line(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    edit = lambda text: text.replace("L5: best = w =>", "L6: return best.upper() =>", 1)  # noqa: E731
    prediction = ask(model_of(actual, edit=edit), recorder, LOOP, mode="force-state")
    facts = diagnose_prediction(actual, prediction).facts
    assert facts.divergence is not None
    assert (facts.divergence.where, facts.divergence.line) == ("action", 5)
    assert prediction.text.endswith("L6: return best.upper() =>")


def test_guided_follows_the_conditions_of_the_model(recorder: PythonRecorder) -> None:
    """The model says that a condition is false: the next line is the one after the branch."""
    actual = recorder.record(LOOP)

    def answer(text: str) -> str:
        if text.endswith("if len(w) > len(best): =>"):
            return " False\n"
        if text.endswith("for w in words: =>"):
            rows = re.findall(r"^L3: for w in words: =>", text[text.rindex("Call:") :], re.M)
            words = ["'to'", "'a'", "'not'"]
            return f" w = {words[len(rows) - 1]}\n" if len(rows) <= 3 else " done\n"
        if text.endswith("=> enter"):
            return "; words = ['to', 'a', 'not']\n"
        return " best = ''\n" if text.endswith("best = '' =>") else " ''\n"

    prediction = ask(ScriptedEngine(answer, special_tokens=()), recorder, LOOP, mode="guided")
    lines = [step.line for step in prediction.decoded.steps if step.event == "line"]
    assert lines[1:] == [2, 3, 4, 3, 4, 3, 4, 3, 6]
    assert prediction.answer == "''"
    facts = diagnose_prediction(actual, prediction).facts
    assert facts.divergence is not None
    assert (facts.divergence.where, facts.divergence.line) == ("action", 5)


def test_rows_from_a_step_on(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    for mode in ("free", "force-actions", "force-state"):
        prediction = ask(model_of(actual), recorder, LOOP, mode=mode, from_step=6)
        assert prediction.decoded.steps == actual.steps
        assert prediction.generation is not None
        (start, end), *_ = prediction.generation.forced_spans
        assert (start, prediction.text[:end].count("\n") >= 3) == (0, True)


@pytest.mark.parametrize("name", ["chat-trace", "chat-trace-states", "chat-trace-json"])
@pytest.mark.parametrize("program", [LOOP, CALLS, RAISES, UNCAUGHT, EXPRESSIONS])
def test_rows_are_split_into_the_steps_that_are_read_from_them(
    program: Program, name: str, recorder: PythonRecorder
) -> None:
    codec = get_codec(name)
    assert isinstance(codec, ChatTraceCodec)
    actual = without_expression_frames(recorder.record(program))
    steps = split_into_steps(codec, actual)
    assert len(steps) == len(actual.steps)
    assert "".join(join_segments(part for step in steps for part in step)) == text_of(actual, codec)
    # The entry point, which only wraps the call, is not written.
    assert [bool(parts) for parts in steps[:3]] == [False, False, True]
    for step, parts in zip(actual.steps, steps, strict=True):
        written = "".join(part.segments[0] for part in parts if part.role == "state")
        assert all(f"{value}" in written.replace("\\", "") for value in step.changed.values())


def test_rows_are_scored(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    edit = lambda text: text.replace("best = 'not'", "best = 'nod'")  # noqa: E731
    right = ask(model_of(actual), recorder, LOOP, mode="score")
    wrong = ask(model_of(actual, edit=edit), recorder, LOOP, mode="score")
    assert right.generation is not None
    assert wrong.generation is not None
    assert len(right.generation.scores) == len(actual.steps)
    assert all(s.is_action_greedy and s.is_state_greedy for s in right.generation.scores)
    assert right.decoded.steps == actual.steps
    first = next(n for n, s in enumerate(wrong.generation.scores) if not s.is_state_greedy)
    facts = diagnose_prediction(actual, wrong).facts
    assert actual.steps[first].changed == {"best": "'not'"}
    assert facts.divergence is None or facts.divergence.step == first


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"mode": "score", "from_step": 2}, "does not support --mode score with --from-step"),
        ({"mode": "guided", "from_step": 2}, "does not support --mode guided with --from-step"),
        ({"mode": "guided", "codec": "chat-trace-json"}, "use --codec chat-trace"),
    ],
)
def test_an_unsupported_mode_is_refused(
    settings: dict[str, Any], message: str, recorder: PythonRecorder
) -> None:
    with pytest.raises(EngineError, match=message):
        ask(model_of(recorder.record(LOOP)), recorder, LOOP, **settings)


@pytest.mark.data
@pytest.mark.parametrize("mode", ["free", *FORCED])
def test_a_perfect_model_gives_the_actual_trace_of_cruxeval(
    mode: Mode, recorder: PythonRecorder, cruxeval: list[dict[str, Any]]
) -> None:
    programs = [Program(row["code"], f"f({row['input']})") for row in cruxeval[::16]]
    traces = [without_expression_frames(recorder.record(program)) for program in programs]
    engine = model_of(*traces)
    settings = PredictionSettings(mode=mode, codec="chat-trace", max_tokens=100_000)
    questions = [Question(str(index), program) for index, program in enumerate(programs)]
    predictions = predict_questions(questions, lambda: engine, recorder, settings=settings)
    wrong = [p.id for p in predictions if p.decoded.steps != traces[int(p.id)].steps]
    assert wrong == []
