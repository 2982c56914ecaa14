"""Verdicts: incorrect answers, truncated outputs and infrastructure errors."""

from dataclasses import replace

import pytest

from tests.support.predictions import predict, text_of
from worldline.core.trace import Ending, EndReason, Limits, Program, Trace
from worldline.evaluation.runs import execute_and_diagnose, extract_answer, grade_answer
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import (
    Finish,
    GenerationRecord,
    Mode,
    Prediction,
    Question,
    make_prediction,
)

SOURCE = "def f(x):\n    y = x + 1\n    return y\n"
PROGRAM = Program(SOURCE, "f(1)")


def is_expected(question: Question, answer: str) -> bool:
    return question.expected == answer


def verdict(recorder: PythonRecorder, prediction: Prediction, *, expected: str | None = "2") -> str:
    facts = execute_and_diagnose(prediction, recorder).diagnosis.facts
    question = Question(prediction.id, prediction.program, expected)
    return grade_answer(prediction, question, facts, is_expected)


@pytest.fixture(scope="module")
def actual(recorder: PythonRecorder) -> str:
    return text_of(recorder.record(PROGRAM))


def test_the_answer_is_what_the_trace_returns(recorder: PythonRecorder, actual: str) -> None:
    assert extract_answer(predict(PROGRAM, actual)) == "2"
    assert verdict(recorder, predict(PROGRAM, actual)) == "correct"
    wrong = actual.replace('<|arg_sep|>"2"', '<|arg_sep|>"3"')
    assert extract_answer(predict(PROGRAM, wrong)) == "3"
    assert verdict(recorder, predict(PROGRAM, wrong)) == "incorrect"


def test_a_stated_answer_takes_precedence_over_the_trace(
    recorder: PythonRecorder, actual: str
) -> None:
    stated = actual + "So it is 5.\n[ANSWER]\nassert f(1) == 5\n[/ANSWER]"
    assert extract_answer(predict(PROGRAM, stated)) == "5"
    assert verdict(recorder, predict(PROGRAM, stated)) == "incorrect"


def test_the_return_of_an_inner_scope_is_not_an_answer(
    recorder: PythonRecorder, actual: str
) -> None:
    inner = actual[: actual.index("<|return_sep|>")] + (
        '<|return_sep|><|action_sep|>    return y\n<|arg_sep|>"2"<|frame_sep|>'
    )
    assert extract_answer(predict(PROGRAM, inner)) is None
    assert verdict(recorder, predict(PROGRAM, inner)) == "no_answer"


class Interrupted:
    """A recorder whose first executions are ended from outside."""

    def __init__(self, recorder: PythonRecorder, times: int, reason: EndReason) -> None:
        self._recorder, self._left, self._reason = recorder, times, reason

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        trace = self._recorder.record(program, limits=limits)
        self._left -= 1
        return replace(trace, steps=(), ending=Ending(self._reason)) if self._left >= 0 else trace


@pytest.mark.parametrize("reason", ["killed", "time_limit"])
def test_a_program_killed_before_its_first_step_is_executed_again(
    recorder: PythonRecorder, actual: str, reason: EndReason
) -> None:
    once = execute_and_diagnose(predict(PROGRAM, actual), Interrupted(recorder, 1, reason))
    assert once.diagnosis.facts.outcome == "correct"
    twice = execute_and_diagnose(predict(PROGRAM, actual), Interrupted(recorder, 2, reason))
    assert twice.diagnosis.facts.outcome == "infra_error"
    assert reason in twice.diagnosis.facts.note


def test_a_program_that_cannot_be_loaded_is_not_executed_again(
    recorder: PythonRecorder, actual: str
) -> None:
    sample = execute_and_diagnose(predict(PROGRAM, actual), Interrupted(recorder, 1, "not_loaded"))
    assert sample.diagnosis.facts.outcome == "infra_error"


@pytest.mark.parametrize(
    ("finish", "expected_verdict"), [("truncated", "truncated"), ("stop", "no_answer")]
)
def test_an_incomplete_trace_is_truncated_only_by_the_token_limit(
    recorder: PythonRecorder, actual: str, finish: Finish, expected_verdict: str
) -> None:
    begun = predict(PROGRAM, actual[: len(actual) // 2], finish=finish)
    assert verdict(recorder, begun) == expected_verdict
    assert verdict(recorder, predict(PROGRAM, "", finish=finish)) == expected_verdict


def test_an_answer_before_the_truncation_counts(recorder: PythonRecorder, actual: str) -> None:
    rambling = actual + "[ANSWER]\nassert f(1) == 2\n[/ANSWER] and then and then"
    assert verdict(recorder, predict(PROGRAM, rambling, finish="truncated")) == "correct"


def test_an_external_answer_of_a_truncated_output_does_not_count(
    recorder: PythonRecorder, actual: str
) -> None:
    begun = actual[: len(actual) // 2]
    assert (
        verdict(recorder, predict(PROGRAM, begun, finish="truncated", answer="0:")) == "truncated"
    )
    assert verdict(recorder, predict(PROGRAM, begun, finish="stop", answer="0:")) == "incorrect"
    assert verdict(recorder, predict(PROGRAM, actual, finish="truncated", answer="0:")) == "correct"


def test_a_failed_request_is_an_infrastructure_error(recorder: PythonRecorder) -> None:
    failed = make_prediction(
        "made", PROGRAM, "", get_codec("cwm"), finish="infra_error", error="the server is gone"
    )
    assert verdict(recorder, failed) == "infra_error"


def test_without_an_expected_value_the_actual_result_is_correct(
    recorder: PythonRecorder, actual: str
) -> None:
    assert verdict(recorder, predict(PROGRAM, actual), expected=None) == "correct"
    wrong = actual.replace('<|arg_sep|>"2"', '<|arg_sep|>"3"')
    assert verdict(recorder, predict(PROGRAM, wrong), expected=None) == "incorrect"


def test_without_an_expected_value_a_program_that_raises_is_graded_by_its_trace(
    recorder: PythonRecorder,
) -> None:
    program = Program("def f(x):\n    return 1 / x\n", "f(0)")
    text = text_of(recorder.record(program))
    assert verdict(recorder, predict(program, text), expected=None) == "correct"
    other = text.replace("division by zero", "no such thing")
    assert verdict(recorder, predict(program, other), expected=None) == "no_answer"


def test_a_program_that_cannot_be_executed_is_graded_if_a_value_is_expected(
    recorder: PythonRecorder,
) -> None:
    program = Program("import no_such_module\ndef f(x):\n    return x\n", "f(2)")
    answered = make_prediction(
        "made", program, "[ANSWER]\nassert f(2) == 2\n[/ANSWER]", get_codec("chat"), finish="stop"
    )
    assert verdict(recorder, answered, expected="2") == "correct"
    assert verdict(recorder, answered, expected=None) == "infra_error"


@pytest.mark.parametrize(
    ("mode", "expected_verdict"),
    [("score", "incorrect"), ("force-state", "incorrect"), ("free", "truncated")],
)
def test_a_mode_that_stops_at_the_divergence_is_incorrect(
    recorder: PythonRecorder, actual: str, mode: Mode, expected_verdict: str
) -> None:
    parted = actual[: actual.index("    y = x + 1")] + "    return y\n<|frame_sep|>"
    prediction = predict(PROGRAM, parted, finish="truncated")
    asked = replace(prediction, generation=GenerationRecord(mode, "cwm", 100))
    assert verdict(recorder, asked) == expected_verdict


LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def looping(recorder: PythonRecorder, answer: str, finish: Finish) -> Prediction:
    """A trace that diverges early, followed by an answer to f(1000)."""
    short = text_of(recorder.record(Program(LOOP, "f(2)")))
    stated = f"{short}[ANSWER]\nassert f(1000) == {answer}\n[/ANSWER] and so"
    return predict(Program(LOOP, "f(1000)"), stated, finish=finish)


def test_without_an_expected_value_an_answer_before_a_truncation_is_graded(
    recorder: PythonRecorder,
) -> None:
    for answer, expected_verdict in (("499500", "correct"), ("5", "incorrect")):
        cut = looping(recorder, answer, "truncated")
        sample = execute_and_diagnose(cut, recorder, is_measured=True)
        question = Question(cut.id, cut.program)
        assert grade_answer(cut, question, sample.diagnosis.facts, is_expected) == expected_verdict


def test_an_answer_that_cannot_be_checked_is_an_infrastructure_error(
    recorder: PythonRecorder,
) -> None:
    answered = looping(recorder, "499500", "stop")
    facts = execute_and_diagnose(answered, recorder, limits=Limits(steps=500)).diagnosis.facts
    assert facts.outcome == "diverged"
    assert (
        grade_answer(answered, Question("a", answered.program), facts, is_expected) == "infra_error"
    )
    expected = Question("a", answered.program, "499500")
    assert grade_answer(answered, expected, facts, is_expected) == "correct"


def test_an_answer_for_a_program_that_raises_is_incorrect(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return 1 / x\n", "f(0)")
    text = text_of(recorder.record(program))
    stated = predict(program, text + "[ANSWER]\nassert f(0) == 5\n[/ANSWER]")
    assert verdict(recorder, stated, expected=None) == "incorrect"
    chat = make_prediction(
        "made", program, "[ANSWER]\nassert f(0) == 5\n[/ANSWER]", get_codec("chat"), finish="stop"
    )
    assert verdict(recorder, chat, expected=None) == "incorrect"
