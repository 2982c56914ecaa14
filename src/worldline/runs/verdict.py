"""A prediction goes in; its answer, and whether it is the right one, comes out."""

from collections.abc import Callable
from dataclasses import replace

from worldline.align import is_same_value
from worldline.diagnose import Facts
from worldline.predict import Prediction, Question
from worldline.runs.judged import Verdict

# In these modes the model is not asked further where it leaves the truth.
_ENDS_AT_DIVERGENCE = frozenset({"force-state", "score"})


def expects(question: Question, answer: str) -> bool:
    """Whether an answer is the value that the question expects."""
    return question.expected is not None and is_same_value(question.expected, answer)


def answer_of(prediction: Prediction) -> str | None:
    """The answer that a text gives: the one it states, else what its trace returns at its end.

    What somebody else's script took out of a cut text does not count: there it found anything.
    """
    stated = prediction.after.answer if prediction.is_cut else prediction.answer
    if stated is not None or prediction.finish == "error":
        return stated
    decoded = prediction.decoded
    last = decoded.steps[-1] if decoded.steps else None
    if decoded.stop != "ended" or last is None or last.scope != 0 or last.event != "return":
        return None
    return last.value


def judge(
    prediction: Prediction,
    question: Question,
    facts: Facts,
    is_right: Callable[[Question, str], bool],
) -> Verdict:
    """Whether a prediction's answer is right, as its benchmark has it.

    Where the benchmark expects nothing in particular, right is what the program really returns.
    """
    if prediction.finish == "error":
        return "failed"
    answer = answer_of(prediction)
    if question.expected is None:
        if facts.outcome == "error":
            return "failed"
        if facts.result is None and facts.outcome == "correct":
            # It raises: only a trace that is right to its end says so.
            return "right"
        question = replace(question, expected=facts.result)
    if answer is None:
        return _without_answer(prediction, facts)
    if question.expected is None:
        # It raises, and returns nothing; or it goes on beyond our limits, and nobody knows.
        return "failed" if facts.true_steps is None else "wrong"
    return "right" if is_right(question, answer) else "wrong"


def _without_answer(prediction: Prediction, facts: Facts) -> Verdict:
    mode = prediction.asked.mode if prediction.asked else "free"
    if facts.outcome == "diverged" and mode in _ENDS_AT_DIVERGENCE:
        return "wrong"
    return "cut" if prediction.is_cut else "no_answer"
