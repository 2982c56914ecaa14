"""The mode `on-demand`: what is executed, what is kept, and what is recorded about it."""

from collections.abc import Sequence

import pytest

from tests.models.prediction.test_row_modes import CALLS, LOOP, RAISES
from tests.support.predictions import text_of
from tests.support.simulated_tracer import ErrorRates, SimulatedTracer
from worldline.analysis.trust import row_trust
from worldline.core.errors import EngineError
from worldline.core.trace import Program, Trace
from worldline.languages.python.expression_frames import without_expression_frames
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import ChatTraceCodec, get_codec
from worldline.models.engines import Capabilities, Engine, ScriptedEngine
from worldline.models.prediction import (
    GenerationRecord,
    Policy,
    Prediction,
    PredictionSettings,
    Question,
    predict_questions,
)

CODEC = get_codec("chat-trace")
DOUBLE = Program("def f(x):\n    y = x * 2\n    z = y + 1\n    return z\n", "f(4)")
ROWS = (
    "L1: def f(x): => enter; x = 4\n",
    "L2: y = x * 2 => y = 8\n",
    "L3: z = y + 1 => z = 9\n",
    "L4: return z => 9\n",
    "ANSWER: 9\n",
)


def writer(rows: Sequence[str], program: Program = DOUBLE) -> ScriptedEngine:
    """A model that writes these rows, whatever was put in before."""
    prompt = "\n".join(CODEC.prompt(program)) + "\n"

    def answer(text: str) -> str:
        written = text.removeprefix(prompt.rstrip("\n")).lstrip("\n").count("\n")
        return "".join(rows[written:])

    return ScriptedEngine(answer)


def ask(
    engine: Engine,
    recorder: PythonRecorder,
    policy: Policy,
    threshold: float = 0.5,
    *,
    program: Program = DOUBLE,
    max_tokens: int = 4096,
) -> Prediction:
    settings = PredictionSettings(
        "on-demand", "chat-trace", max_tokens, policy=policy, threshold=threshold
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


def record_of(prediction: Prediction) -> GenerationRecord:
    assert prediction.generation is not None
    return prediction.generation


def executed(prediction: Prediction) -> list[int]:
    """The numbers of the decisions to execute."""
    decisions = record_of(prediction).decisions
    return [number for number, decision in enumerate(decisions) if decision.is_executed]


def test_the_rows_are_the_actual_ones(recorder: PythonRecorder) -> None:
    assert text_of(recorder.record(DOUBLE), CODEC) == "".join(ROWS)


def test_nothing_is_executed_if_every_row_is_trusted(recorder: PythonRecorder) -> None:
    prediction = ask(writer(ROWS), recorder, "checks")
    assert (prediction.answer, prediction.text) == ("9", "".join(ROWS))
    assert executed(prediction) == []
    assert record_of(prediction).forced_spans == ()
    assert [each.line for each in record_of(prediction).decisions] == [1, 2, 3, 4, None]
    assert all(each.is_same for each in record_of(prediction).decisions)


def test_a_wrong_row_is_replaced_by_the_actual_one(recorder: PythonRecorder) -> None:
    wrong = (*ROWS[:1], "L2: y = x * 2 => y = 7\n", *ROWS[2:])
    prediction = ask(writer(wrong), recorder, "checks")
    assert (prediction.answer, prediction.text) == ("9", "".join(ROWS))
    assert executed(prediction) == [1]
    record = record_of(prediction)
    # The executed row, and nothing else, is marked as not written by the model.
    assert [prediction.text[start:end] for start, end in record.forced_spans] == [ROWS[1]]
    assert [each.is_same for each in record.decisions] == [True, False, True, True, True]
    assert (record.policy, record.threshold, record.actual_rows) == ("checks", 0.5, 5)


def test_a_wrong_row_stays_without_execution(recorder: PythonRecorder) -> None:
    wrong = (*ROWS[:1], "L2: y = x * 2 => y = 7\n", "L3: z = y + 1 => z = 8\n",
             "L4: return z => 8\n", "ANSWER: 8\n")  # fmt: skip
    prediction = ask(writer(wrong), recorder, "none")
    assert (prediction.answer, prediction.text) == ("8", "".join(wrong))
    assert executed(prediction) == []


def test_everything_is_executed(recorder: PythonRecorder) -> None:
    wrong = (*ROWS[:1], "L2: y = x * 2 => y = 7\n", *ROWS[2:])
    prediction = ask(writer(wrong), recorder, "all")
    assert prediction.text == "".join(ROWS)
    assert record_of(prediction).forced_spans == ((0, len(prediction.text)),)
    assert executed(prediction) == [0, 1, 2, 3, 4]
    # The model had all of them right but one; none of them counts as predicted.
    assert sum(each.is_same for each in record_of(prediction).decisions) == 4


@pytest.mark.parametrize(
    ("rows", "executed_rows"),
    [
        # A line that cannot follow.
        ((*ROWS[:1], "L4: return z => 9\n", *ROWS[2:]), [1]),
        # An answer before the function has returned.
        ((*ROWS[:2], "ANSWER: 1\n", *ROWS[3:]), [2]),
        # Text that is not a row.
        ((*ROWS[:1], "Let me think.\n", *ROWS[2:]), [1]),
        # The end of the output without an answer.
        (ROWS[:4], [4]),
    ],
)
def test_illegal_rows(
    recorder: PythonRecorder, rows: Sequence[str], executed_rows: list[int]
) -> None:
    prediction = ask(writer(rows), recorder, "illegal")
    assert prediction.text == "".join(ROWS)
    assert executed(prediction) == executed_rows
    assert prediction.answer == "9"


def test_a_wrong_value_is_not_illegal(recorder: PythonRecorder) -> None:
    wrong = (*ROWS[:1], "L2: y = x * 2 => y = 7\n", *ROWS[2:])
    assert executed(ask(writer(wrong), recorder, "illegal")) == []


def test_text_between_rows_is_kept_and_does_not_count(recorder: PythonRecorder) -> None:
    rows = ("```\n", ROWS[0], "\n", *ROWS[1:])
    prediction = ask(writer(rows), recorder, "checks")
    assert prediction.text == "".join(rows)
    assert len(record_of(prediction).decisions) == 5
    prose = ("Sure:\n", *ROWS)
    prediction = ask(writer(prose), recorder, "none")
    assert prediction.text == "".join(prose)
    assert prediction.answer == "9"


def test_a_model_that_goes_on_gets_the_answer(recorder: PythonRecorder) -> None:
    # One row more than the execution has; the execution is over, and only its answer is left.
    rows = (*ROWS[:3], *ROWS[2:4], "L4: return z => 9\n", "L4: return z => 9\n")
    prediction = ask(writer(rows), recorder, "random", 0.0)
    assert executed(prediction) == []
    prediction = ask(writer((*rows[:5], *rows[:1] * 3)), recorder, "checks")
    assert prediction.answer == "9"


def test_the_token_limit(recorder: PythonRecorder) -> None:
    prediction = ask(writer(ROWS), recorder, "checks", max_tokens=60)
    assert prediction.is_truncated
    assert len(record_of(prediction).decisions) == 2
    prediction = ask(writer(ROWS), recorder, "all", max_tokens=60)
    assert prediction.is_truncated
    # The limit is reached while the model writes the third row.
    assert record_of(prediction).forced_spans == ((0, len("".join(ROWS[:2]))),)


def simulated(
    recorder: PythonRecorder, programs: Sequence[Program], rates: ErrorRates
) -> SimulatedTracer:
    assert isinstance(CODEC, ChatTraceCodec)
    traces: list[Trace] = [without_expression_frames(recorder.record(each)) for each in programs]
    return SimulatedTracer(traces, CODEC, rates)


def test_likelihood_executes_the_improbable_rows(recorder: PythonRecorder) -> None:
    rates = ErrorRates(value=0.2, branch=0.2, skip=0.0, nll_right=0.0, nll_wrong=3.0)
    right = ErrorRates(value=0.0, branch=0.0, skip=0.0, nll_right=0.0)
    for program in (LOOP, CALLS):
        engine = simulated(recorder, [program], rates)
        free = ask(engine, recorder, "none", program=program)
        guarded = ask(engine, recorder, "likelihood", 1.0, program=program)
        actual = text_of(recorder.record(program), CODEC)
        assert free.text != actual
        # All errors are improbable, and nothing else is.
        assert guarded.text == actual
        assert executed(guarded)
        assert not any(record_of(guarded).decisions[n].is_same for n in executed(guarded))
        engine = simulated(recorder, [program], right)
        assert executed(ask(engine, recorder, "likelihood", 1.0, program=program)) == []


def test_thresholds_execute_more_and_more(recorder: PythonRecorder) -> None:
    engine = simulated(recorder, [CALLS], ErrorRates(value=0.0, branch=0.0, skip=0.0))
    sets = [
        set(executed(ask(engine, recorder, "random", threshold, program=CALLS)))
        for threshold in (0.0, 0.2, 0.5, 1.0)
    ]
    assert sets[0] < sets[1] < sets[2] < sets[3]
    again = ask(engine, recorder, "random", 0.2, program=CALLS)
    assert set(executed(again)) == sets[1]


def test_branches_are_executed(recorder: PythonRecorder) -> None:
    engine = simulated(recorder, [RAISES], ErrorRates(value=0.0, branch=0.0, skip=0.0))
    prediction = ask(engine, recorder, "branch", program=RAISES)
    decisions = record_of(prediction).decisions
    assert {each.line for each in decisions if each.is_executed} == {2, 9}
    assert {2, 9}.isdisjoint({each.line for each in decisions if not each.is_executed})


class WithoutLogprobs(ScriptedEngine):
    async def capabilities(self) -> Capabilities:
        found = await super().capabilities()
        return Capabilities(found.supported - {"logprobs"}, {"logprobs": "not scripted"})


def test_what_the_mode_needs(recorder: PythonRecorder) -> None:
    def predict(settings: PredictionSettings, engine: Engine, *, has_policy: bool = True) -> None:
        trust = row_trust(settings.policy) if has_policy else None
        list(
            predict_questions(
                [Question("q", DOUBLE)], lambda: engine, recorder, settings=settings,
                row_trust=trust,
            )
        )  # fmt: skip

    settings = PredictionSettings("on-demand", "chat-trace", policy="likelihood")
    with pytest.raises(EngineError, match="logprobs"):
        predict(settings, WithoutLogprobs(lambda text: ""))
    with pytest.raises(EngineError, match="row_trust"):
        predict(settings, writer(ROWS), has_policy=False)
    with pytest.raises(EngineError, match="--codec chat-trace"):
        predict(PredictionSettings("on-demand", "chat"), writer(ROWS))
    with pytest.raises(EngineError, match="--from-step"):
        predict(PredictionSettings("on-demand", "chat-trace", from_step=1), writer(ROWS))
    predict(PredictionSettings("on-demand", "chat-trace"), WithoutLogprobs(lambda text: ""))
