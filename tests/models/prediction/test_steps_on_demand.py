"""The mode `on-demand` with codecs of special tokens: which steps are executed and what is kept."""

import math
from collections.abc import Mapping, Sequence

import pytest

from tests.models.prediction.test_on_demand import DOUBLE, executed, record_of
from tests.models.prediction.test_prediction_modes import LOOP, RAISES
from tests.support.predictions import text_of
from tests.support.scripted_models import engine_of, prompt_of
from worldline.analysis.trust import row_trust
from worldline.core.errors import EngineError
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import STEP_CODECS, StepCodec, join_segments
from worldline.models.engines import ScriptedEngine
from worldline.models.prediction import (
    Policy,
    Prediction,
    PredictionSettings,
    Question,
    predict_questions,
)

CWM, NUMBERS, DELTA = (STEP_CODECS[name] for name in ("cwm", "numbers", "delta"))
UNCAUGHT = Program("def f(x):\n    y = x - 1\n    return 1 // y\n", "f(1)")
# Steps of the execution of DOUBLE: main, its line, f, its three lines, and two returns.
AFTER_Y, AFTER_Z, RETURN_F, RETURN_MAIN = 4, 5, 6, 7
all_codecs = pytest.mark.parametrize("codec", STEP_CODECS.values(), ids=STEP_CODECS)


def steps_of(trace: Trace, codec: StepCodec) -> list[str]:
    """The steps of a trace as a perfect model writes them, the end token last."""
    return ["".join(join_segments(parts)) for parts in codec.encode_steps(trace)]


def writer(steps: Sequence[str], codec: StepCodec, program: Program = DOUBLE) -> ScriptedEngine:
    """A model that writes these steps by their number, whatever was put in before."""
    prompt = prompt_of(program, codec)

    def answer(text: str) -> str:
        written = text.removeprefix(prompt)
        decoded = codec.decode(written, program)
        count = len(decoded.steps)
        rest = written[decoded.step_texts[-1].end :] if count else written
        if count < len(steps) and steps[count].startswith(rest):
            return "".join([steps[count][len(rest) :], *steps[count + 1 :]])
        # The last step was put in, and its end is not yet visible.
        return "".join(steps[len(codec.decode(written + codec.end_token, program).steps) :])

    return engine_of(answer)


def ask(
    engine: ScriptedEngine,
    recorder: PythonRecorder,
    policy: Policy,
    codec: StepCodec,
    *,
    threshold: float = 0.5,
    program: Program = DOUBLE,
    max_tokens: int = 100_000,
) -> Prediction:
    settings = PredictionSettings(
        "on-demand", codec.name, max_tokens, policy=policy, threshold=threshold
    )
    (prediction,) = predict_questions(
        [Question("asked", program)],
        lambda: engine,
        recorder,
        settings=settings,
        row_trust=row_trust(policy),
    )
    assert prediction.error is None
    return prediction


def result_of(prediction: Prediction) -> str | None:
    """The value that the entry point returns."""
    assert prediction.decoded.stop == "complete"
    return prediction.decoded.steps[-1].value


def edited(trace: Trace, codec: StepCodec, edits: Mapping[int, tuple[str, str]]) -> list[str]:
    """The steps of a trace with one text replaced in some of them."""
    steps = steps_of(trace, codec)
    for number, (old, new) in edits.items():
        assert old in steps[number]
        steps[number] = steps[number].replace(old, new)
    return steps


@all_codecs
@pytest.mark.parametrize("program", [LOOP, RAISES, UNCAUGHT])
@pytest.mark.parametrize("policy", ["checks", "all"])
def test_a_perfect_model(
    policy: Policy, program: Program, codec: StepCodec, recorder: PythonRecorder
) -> None:
    actual = recorder.record(program)
    steps = steps_of(actual, codec)
    prediction = ask(writer(steps, codec, program), recorder, policy, codec, program=program)
    assert prediction.text == text_of(actual, codec)
    assert prediction.finish == "stop"
    decisions = record_of(prediction).decisions
    assert record_of(prediction).actual_rows == len(decisions) == len(actual.steps)
    assert all(each.is_same for each in decisions)
    assert [each.line for each in decisions] == [step.line for step in actual.steps]
    assert executed(prediction) == (list(range(len(decisions))) if policy == "all" else [])


@pytest.mark.parametrize(
    ("codec", "right", "wrong"),
    [(CWM, '"y": "8"', '"y": "7"'), (NUMBERS, "y=8", "y=7"), (DELTA, "y=8", "y=7")],
)
def test_a_wrong_state_is_replaced_by_the_actual_step(
    codec: StepCodec, right: str, wrong: str, recorder: PythonRecorder
) -> None:
    actual = recorder.record(DOUBLE)
    steps = edited(actual, codec, {AFTER_Y: (right, wrong)})
    prediction = ask(writer(steps, codec), recorder, "checks", codec)
    assert prediction.text == text_of(actual, codec)
    assert result_of(prediction) == "9"
    assert executed(prediction) == [AFTER_Y]
    record = record_of(prediction)
    # After the executed step, only the end token is not written by the model.
    spans = [prediction.text[start:end] for start, end in record.forced_spans]
    assert spans == [steps_of(actual, codec)[AFTER_Y], codec.end_token]
    assert [each.is_same for each in record.decisions] == [n != AFTER_Y for n in range(8)]
    assert ask(writer(steps, codec), recorder, "illegal", codec).text == "".join(steps)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        # A line that cannot follow, and a wrong value after a correct state.
        ({AFTER_Y: ("    z = y + 1", "    return z")}, {"illegal": [AFTER_Y], "checks": [AFTER_Y]}),
        ({RETURN_F: ('"9"', '"8"')}, {"illegal": [], "checks": [RETURN_F]}),
        # The entry point returns what the function does not.
        ({RETURN_MAIN: ('"9"', '"8"')}, {"illegal": [], "checks": [RETURN_MAIN]}),
        ({2: ('"x": "4"', '"x": "5"')}, {"illegal": [], "checks": [2]}),
    ],
)
def test_what_contradicts(
    edits: dict[int, tuple[str, str]], expected: dict[Policy, list[int]], recorder: PythonRecorder
) -> None:
    steps = edited(recorder.record(DOUBLE), CWM, edits)
    for policy, numbers in expected.items():
        prediction = ask(writer(steps, CWM), recorder, policy, CWM)
        assert executed(prediction) == numbers, policy
        assert not numbers or result_of(prediction) == "9"


def test_the_checks_know_the_actual_variables(recorder: PythonRecorder) -> None:
    """A wrong value that nothing checks stays in the text, but not after an executed step."""
    program = Program(
        "def f(x):\n    y = sorted(x, key=abs)\n    z = x[0]\n    return y\n", "f([2])"
    )
    actual = recorder.record(program)
    steps = edited(
        actual,
        NUMBERS,
        {4: ("y=[2]", "y=[3]"), 5: ("z=2", "z=7"), 6: ("[2]", "[3]"), 7: ("[2]", "[3]")},
    )
    prediction = ask(writer(steps, NUMBERS, program), recorder, "checks", NUMBERS, program=program)
    # Step 5 contradicts its line; from then on, the actual `y` is known, and step 6 does, too.
    assert executed(prediction) == [5, 6, 7]
    assert "y=[3]" in prediction.text
    assert result_of(prediction) == "[2]"


def test_the_trust_of_the_checks(recorder: PythonRecorder) -> None:
    steps = steps_of(recorder.record(DOUBLE), CWM)
    prediction = ask(writer(steps, CWM), recorder, "checks", CWM)
    trust = [each.trust for each in record_of(prediction).decisions]
    # Nothing to check: the call of main, its line, and the state before the first line.
    assert trust == [0.5, 0.5, 1.0, 0.5, 1.0, 1.0, 1.0, 1.0]


def test_text_that_is_not_a_step(recorder: PythonRecorder) -> None:
    actual = recorder.record(DOUBLE)
    steps = steps_of(actual, CWM)
    for broken in ("I think y is 8.", str(CWM.end_token), "<|line_sep|>{}<|frame_sep|>"):
        model = writer([*steps[:AFTER_Y], broken], CWM)
        prediction = ask(model, recorder, "none", CWM)
        assert len(record_of(prediction).decisions) == AFTER_Y + 1
        assert len(prediction.decoded.steps) == AFTER_Y
        prediction = ask(model, recorder, "checks", CWM)
        # The model has nothing else to write; each step is executed.
        assert executed(prediction) == [4, 5, 6, 7]
        assert prediction.text == text_of(actual, CWM)


def test_branches_are_the_steps_after_conditions(recorder: PythonRecorder) -> None:
    actual = recorder.record(LOOP)
    for codec in (CWM, NUMBERS):
        steps = steps_of(actual, codec)
        model = writer(steps, codec, LOOP)
        prediction = ask(model, recorder, "branch", codec, program=LOOP)
        lines = [step.line for step in actual.steps]
        after_loop = [n for n in range(1, len(lines)) if lines[n - 1] == 3]
        assert len(after_loop) == 4
        assert executed(prediction) == after_loop


@pytest.mark.parametrize("codec", [CWM, NUMBERS])
def test_a_model_that_continues_after_the_end(codec: StepCodec, recorder: PythonRecorder) -> None:
    """It repeats the loop once more; then it is given the end of the execution."""
    program = Program("def f(x):\n    while x:\n        x -= 1\n    return x\n", "f(1)")
    actual = recorder.record(program)
    steps = steps_of(actual, codec)
    turn = steps[4:6]
    model = writer([*steps[:6], *turn * 3], codec, program)
    untouched = ask(model, recorder, "none", codec, program=program)
    assert len(record_of(untouched).decisions) > len(steps)
    prediction = ask(model, recorder, "random", codec, program=program, threshold=0.9)
    assert result_of(prediction) == "0"
    decisions = record_of(prediction).decisions
    assert len(decisions) <= len(actual.steps)
    assert decisions[-1].is_executed


def test_the_token_limit(recorder: PythonRecorder) -> None:
    actual = recorder.record(DOUBLE)
    steps = steps_of(actual, CWM)
    for policy in ("none", "all"):
        prediction = ask(writer(steps, CWM), recorder, policy, CWM, max_tokens=150)
        assert prediction.is_truncated
        assert text_of(actual).startswith(prediction.text)
        assert 0 < len(record_of(prediction).decisions) < len(actual.steps)


@pytest.mark.parametrize("codec", [CWM, NUMBERS])
def test_likelihood_is_that_of_the_step_alone(codec: StepCodec, recorder: PythonRecorder) -> None:
    """The token that begins the next step, with which some formats end a step, does not count."""

    class Improbable(ScriptedEngine):
        async def generate(self, request):  # type: ignore[no-untyped-def]
            reply = await ScriptedEngine.generate(self, request)
            return type(reply)(
                **{
                    **{name: getattr(reply, name) for name in reply.__slots__},
                    "logprobs": tuple(-0.25 for _ in reply.ids),
                }
            )

    model = writer(steps_of(recorder.record(DOUBLE), codec), codec)
    engine = Improbable(
        model._answer,
        special_tokens=tuple(codec.special_tokens),
        end_token=codec.end_token,
    )
    prediction = ask(engine, recorder, "likelihood", codec, threshold=0.0)
    record = record_of(prediction)
    # One id for each character and each special token; the end token is not part of a step.
    tokens = sum(-math.log(each.trust) / 0.25 for each in record.decisions)
    assert tokens == pytest.approx(len(record.completion_ids) - 1)


def test_what_the_mode_refuses(recorder: PythonRecorder) -> None:
    for settings, message in (
        (PredictionSettings("on-demand", "cwm", from_step=1), "--from-step"),
        (PredictionSettings("on-demand", "folded"), "folded"),
        (PredictionSettings("on-demand", "chat"), "--codec chat-trace"),
    ):
        with pytest.raises(EngineError, match=message):
            list(
                predict_questions(
                    [Question("q", DOUBLE)],
                    lambda: engine_of(str),
                    recorder,
                    settings=settings,
                    row_trust=row_trust("checks"),
                )
            )
