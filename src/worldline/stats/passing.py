"""How many answers to a question were right goes in; the chance that one of k is comes out."""

from math import comb

from worldline.errors import InputError


def pass_at(k: int, right: int, asked: int) -> float:
    """pass@k, without bias: the share of all choices of k answers that have a right one in them.

    1, 3, 10 -> 0.3; 5, 3, 10 -> 0.9166666666666666

    It is counted in whole numbers, so nothing is lost on the way, however many there are.
    """
    if not 0 <= right <= asked:
        raise InputError(f"pass@{k}: {right} answers of {asked} cannot be right")
    if not 1 <= k <= asked:
        raise InputError(f"pass@{k} needs k from 1 to the number of answers, which is {asked}")
    choices = comb(asked, k)
    return (choices - comb(asked - right, k)) / choices
