"""Verdicts: the answer of a prediction, and whether it is correct."""

from collections.abc import Callable
from dataclasses import replace

from worldline.analysis.choices import expected_answers
from worldline.analysis.diagnosis import Facts
from worldline.evaluation.runs.scored_sample import Verdict
from worldline.models.prediction import Prediction, Question

# Modes in which generation stops at a divergence.
_MODES_STOPPED_BY_DIVERGENCE = frozenset({"force-state", "score"})


def is_expected(question: Question, answer: str) -> bool:
    """Whether an answer is the value, or one of the values, that the question expects."""
    if question.expected is None:
        return False
    values = question.program.values
    expected = expected_answers(question.expected) or (question.expected,)
    return any(values.answers_equal(each, answer) for each in expected)


def extract_answer(prediction: Prediction) -> str | None:
    """The answer that the output states, else the value that its trace returns at its end.

    An answer that an external script extracted from a truncated output does not count, because
    such scripts extract something from any text.
    """
    stated = prediction.after.answer if prediction.is_truncated else prediction.answer
    if stated is not None or prediction.finish == "infra_error":
        return stated
    decoded = prediction.decoded
    last = decoded.steps[-1] if decoded.steps else None
    if decoded.stop != "complete" or last is None or last.scope != 0 or last.event != "return":
        return None
    return last.value


def grade_answer(
    prediction: Prediction,
    question: Question,
    facts: Facts,
    is_correct: Callable[[Question, str], bool],
) -> Verdict:
    """Grade the answer of a prediction.

    Args:
        prediction: The prediction to grade.
        question: The question. Without an expected value, the actual result is expected.
        facts: The facts of the prediction's diagnosis.
        is_correct: The benchmark's rule for correct answers.
    """
    if prediction.finish == "infra_error":
        return "infra_error"
    answer = extract_answer(prediction)
    if question.expected is None:
        if facts.outcome == "infra_error":
            return "infra_error"
        if facts.result is None and facts.outcome == "correct":
            # The program raises, and the prediction matches it to its end.
            return "correct"
        question = replace(question, expected=facts.result)
    if answer is None:
        return _verdict_without_answer(prediction, facts)
    if question.expected is None:
        # The program raises, so no answer is correct; or it exceeds a limit, and is not graded.
        return "infra_error" if facts.actual_steps is None else "incorrect"
    return "correct" if is_correct(question, answer) else "incorrect"


def _verdict_without_answer(prediction: Prediction, facts: Facts) -> Verdict:
    mode = prediction.generation.mode if prediction.generation else "free"
    if facts.outcome == "diverged" and mode in _MODES_STOPPED_BY_DIVERGENCE:
        return "incorrect"
    return "truncated" if prediction.is_truncated else "no_answer"
