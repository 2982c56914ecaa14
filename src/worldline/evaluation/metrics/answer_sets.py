"""Answer sets: repeated answers to questions that several results answer, without probabilities.

A question expects the set of a program's possible results, as in the benchmark `threads`.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from worldline.analysis.choices import results_from_text
from worldline.analysis.stats import Share, share
from worldline.evaluation.metrics.answer_distributions import MIN_ANSWERS, outcome_text


@dataclass(frozen=True, slots=True)
class AnswerSets:
    """How well the repeated answers of a run agree with the sets of possible results.

    Attributes:
        questions: Questions with a set and at least two answers.
        not_in_set: The share of their answers that are not in the set. Another schedule than those
            that were executed may give them.
        recall: The share of the possible results that some answer to their question names.
        precision: The share of the different answers to each question that are possible.
        complete: The share of questions whose different answers are exactly the possible results.
    """

    questions: int
    not_in_set: Share
    recall: Share
    precision: Share
    complete: Share


def measure_answer_sets(
    samples: Iterable[tuple[str, str | None, str | None]],
) -> AnswerSets | None:
    """Compare the different answers to each question with the results that are possible.

    Args:
        samples: The question, the answer and the expected value of each sample.

    Returns:
        None if no question expects a set and has two answers.
    """
    answers: dict[str, list[str]] = defaultdict(list)
    possible: dict[str, tuple[str, ...]] = {}
    for question, answer, expected in samples:
        results = results_from_text(expected)
        if results and answer is not None:
            answers[question].append(answer)
            possible[question] = results
    asked = [question for question, each in answers.items() if len(each) >= MIN_ANSWERS]
    if not asked:
        return None
    named = {question: _named(answers[question], possible[question]) for question in asked}
    right = {question: set(named[question]) & set(possible[question]) for question in asked}
    n_right = sum(map(len, right.values()))
    texts = [(text, question) for question in asked for text in named[question]]
    return AnswerSets(
        questions=len(asked),
        not_in_set=share(sum(text not in right[q] for text, q in texts), len(texts)),
        recall=share(n_right, sum(len(possible[question]) for question in asked)),
        precision=share(n_right, sum(len(set(named[question])) for question in asked)),
        complete=share(sum(set(named[q]) == set(possible[q]) for q in asked), len(asked)),
    )


def _named(answers: list[str], possible: tuple[str, ...]) -> list[str]:
    """Each answer, as the text of the result or of the first answer that it equals."""
    known = list(possible)
    named: list[str] = []
    for answer in answers:
        text = outcome_text(known, answer)
        named.append(text)
        if text not in known:
            known.append(text)
    return named
