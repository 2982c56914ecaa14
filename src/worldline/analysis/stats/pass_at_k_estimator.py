"""The unbiased estimator of pass@k. Kept apart because it needs neither scipy nor numpy."""

from math import comb

from worldline.core.errors import InputError


def pass_at_k(k: int, correct: int, asked: int) -> float:
    """Estimate the probability that at least one of k answers is correct.

    1, 3, 10 -> 0.3; 5, 3, 10 -> 0.9166666666666666

    It is the share of all choices of k answers that contain a correct one, computed in integers,
    so that it is exact for any number of answers.

    Args:
        k: The number of answers chosen.
        correct: The number of correct answers to the question.
        asked: The number of answers to the question.

    Raises:
        InputError: There are more correct answers than answers, or fewer than k answers.
    """
    if not 0 <= correct <= asked:
        raise InputError(
            f"pass@{k}: the number of correct answers must be from 0 to {asked}, not {correct}"
        )
    if not 1 <= k <= asked:
        raise InputError(f"pass@{k} needs k from 1 to the number of answers, which is {asked}")
    choices = comb(asked, k)
    return (choices - comb(asked - correct, k)) / choices
