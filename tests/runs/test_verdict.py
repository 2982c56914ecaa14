"""A model's failure, a cut output and an infrastructure error are three different things."""

from dataclasses import replace

import pytest

from tests.predictions import predict, text_of
from worldline.codecs import codec_named
from worldline.predict import Asked, Finish, Mode, Prediction, Question, make_prediction
from worldline.recorders import PythonRecorder
from worldline.runs import answer_of, examine, judge
from worldline.trace import Ending, EndReason, Limits, Program, Trace

SOURCE = "def f(x):\n    y = x + 1\n    return y\n"
PROGRAM = Program(SOURCE, "f(1)")


def is_expected(question: Question, answer: str) -> bool:
    return question.expected == answer


def verdict(recorder: PythonRecorder, prediction: Prediction, *, expected: str | None = "2") -> str:
    facts = examine(prediction, recorder).diagnosis.facts
    question = Question(prediction.id, prediction.program, expected)
    return judge(prediction, question, facts, is_expected)


@pytest.fixture(scope="module")
def truth(recorder: PythonRecorder) -> str:
    return text_of(recorder.record(PROGRAM))


def test_the_answer_is_what_the_trace_returns(recorder: PythonRecorder, truth: str) -> None:
    assert answer_of(predict(PROGRAM, truth)) == "2"
    assert verdict(recorder, predict(PROGRAM, truth)) == "right"
    wrong = truth.replace('<|arg_sep|>"2"', '<|arg_sep|>"3"')
    assert answer_of(predict(PROGRAM, wrong)) == "3"
    assert verdict(recorder, predict(PROGRAM, wrong)) == "wrong"


def test_a_stated_answer_goes_before_the_trace(recorder: PythonRecorder, truth: str) -> None:
    stated = truth + "So it is 5.\n[ANSWER]\nassert f(1) == 5\n[/ANSWER]"
    assert answer_of(predict(PROGRAM, stated)) == "5"
    assert verdict(recorder, predict(PROGRAM, stated)) == "wrong"


def test_the_return_of_an_inner_scope_is_no_answer(recorder: PythonRecorder, truth: str) -> None:
    inner = truth[: truth.index("<|return_sep|>")] + (
        '<|return_sep|><|action_sep|>    return y\n<|arg_sep|>"2"<|frame_sep|>'
    )
    assert answer_of(predict(PROGRAM, inner)) is None
    assert verdict(recorder, predict(PROGRAM, inner)) == "no_answer"


class Interrupted:
    """A recorder whose programs are ended by somebody else, so many of them, then none."""

    def __init__(self, recorder: PythonRecorder, times: int, reason: EndReason) -> None:
        self._recorder, self._left, self._reason = recorder, times, reason

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        trace = self._recorder.record(program, limits=limits)
        self._left -= 1
        return replace(trace, steps=(), ending=Ending(self._reason)) if self._left >= 0 else trace


@pytest.mark.parametrize("reason", ["killed", "time_limit"])
def test_what_ends_before_its_first_step_is_executed_once_more(
    recorder: PythonRecorder, truth: str, reason: EndReason
) -> None:
    once = examine(predict(PROGRAM, truth), Interrupted(recorder, 1, reason))
    assert once.diagnosis.facts.outcome == "correct"
    twice = examine(predict(PROGRAM, truth), Interrupted(recorder, 2, reason))
    assert twice.diagnosis.facts.outcome == "error"
    assert reason in twice.diagnosis.facts.note


def test_what_cannot_be_loaded_is_not_executed_again(recorder: PythonRecorder, truth: str) -> None:
    sample = examine(predict(PROGRAM, truth), Interrupted(recorder, 1, "not_loaded"))
    assert sample.diagnosis.facts.outcome == "error"


@pytest.mark.parametrize(("finish", "said"), [("length", "cut"), ("stop", "no_answer")])
def test_a_trace_that_breaks_off_is_cut_only_by_the_budget(
    recorder: PythonRecorder, truth: str, finish: Finish, said: str
) -> None:
    begun = predict(PROGRAM, truth[: len(truth) // 2], finish=finish)
    assert verdict(recorder, begun) == said
    assert verdict(recorder, predict(PROGRAM, "", finish=finish)) == said


def test_an_answer_before_the_cut_counts(recorder: PythonRecorder, truth: str) -> None:
    rambling = truth + "[ANSWER]\nassert f(1) == 2\n[/ANSWER] and then and then"
    assert verdict(recorder, predict(PROGRAM, rambling, finish="length")) == "right"


def test_what_a_script_took_out_of_a_cut_text_is_no_answer(
    recorder: PythonRecorder, truth: str
) -> None:
    begun = truth[: len(truth) // 2]
    assert verdict(recorder, predict(PROGRAM, begun, finish="length", answer="0:")) == "cut"
    assert verdict(recorder, predict(PROGRAM, begun, finish="stop", answer="0:")) == "wrong"
    assert verdict(recorder, predict(PROGRAM, truth, finish="length", answer="0:")) == "right"


def test_a_failed_request_says_nothing(recorder: PythonRecorder) -> None:
    failed = make_prediction(
        "made", PROGRAM, "", codec_named("cwm"), finish="error", error="the server is gone"
    )
    assert verdict(recorder, failed) == "failed"


def test_without_an_expected_value_the_real_one_is_right(
    recorder: PythonRecorder, truth: str
) -> None:
    assert verdict(recorder, predict(PROGRAM, truth), expected=None) == "right"
    wrong = truth.replace('<|arg_sep|>"2"', '<|arg_sep|>"3"')
    assert verdict(recorder, predict(PROGRAM, wrong), expected=None) == "wrong"


def test_without_an_expected_value_a_program_that_raises_is_judged_by_its_trace(
    recorder: PythonRecorder,
) -> None:
    program = Program("def f(x):\n    return 1 / x\n", "f(0)")
    text = text_of(recorder.record(program))
    assert verdict(recorder, predict(program, text), expected=None) == "right"
    other = text.replace("division by zero", "no such thing")
    assert verdict(recorder, predict(program, other), expected=None) == "no_answer"


def test_a_program_that_cannot_run_here_fails_only_where_nothing_is_expected(
    recorder: PythonRecorder,
) -> None:
    program = Program("import no_such_module\ndef f(x):\n    return x\n", "f(2)")
    answered = make_prediction(
        "made", program, "[ANSWER]\nassert f(2) == 2\n[/ANSWER]", codec_named("chat"), finish="stop"
    )
    assert verdict(recorder, answered, expected="2") == "right"
    assert verdict(recorder, answered, expected=None) == "failed"


@pytest.mark.parametrize(
    ("mode", "said"), [("score", "wrong"), ("force-state", "wrong"), ("free", "cut")]
)
def test_where_a_mode_ends_at_the_divergence_it_is_wrong_there(
    recorder: PythonRecorder, truth: str, mode: Mode, said: str
) -> None:
    parted = truth[: truth.index("    y = x + 1")] + "    return y\n<|frame_sep|>"
    prediction = predict(PROGRAM, parted, finish="length")
    asked = replace(prediction, asked=Asked(mode, "cwm", 100))
    assert verdict(recorder, asked) == said


LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def looping(recorder: PythonRecorder, answer: str, finish: Finish) -> Prediction:
    """A trace that leaves the truth early, and then an answer to f(1000)."""
    short = text_of(recorder.record(Program(LOOP, "f(2)")))
    stated = f"{short}[ANSWER]\nassert f(1000) == {answer}\n[/ANSWER] and so"
    return predict(Program(LOOP, "f(1000)"), stated, finish=finish)


def test_without_an_expected_value_an_answer_before_a_cut_is_judged_all_the_same(
    recorder: PythonRecorder,
) -> None:
    for answer, said in (("499500", "right"), ("5", "wrong")):
        cut = looping(recorder, answer, "length")
        sample = examine(cut, recorder, is_measured=True)
        question = Question(cut.id, cut.program)
        assert judge(cut, question, sample.diagnosis.facts, is_expected) == said


def test_an_answer_that_our_limits_do_not_let_us_check_has_failed(
    recorder: PythonRecorder,
) -> None:
    answered = looping(recorder, "499500", "stop")
    facts = examine(answered, recorder, limits=Limits(steps=500)).diagnosis.facts
    assert facts.outcome == "diverged"
    assert judge(answered, Question("a", answered.program), facts, is_expected) == "failed"
    expected = Question("a", answered.program, "499500")
    assert judge(answered, expected, facts, is_expected) == "right"


def test_an_answer_for_a_program_that_raises_is_wrong(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return 1 / x\n", "f(0)")
    text = text_of(recorder.record(program))
    stated = predict(program, text + "[ANSWER]\nassert f(0) == 5\n[/ANSWER]")
    assert verdict(recorder, stated, expected=None) == "wrong"
    chat = make_prediction(
        "made", program, "[ANSWER]\nassert f(0) == 5\n[/ANSWER]", codec_named("chat"), finish="stop"
    )
    assert verdict(recorder, chat, expected=None) == "wrong"
