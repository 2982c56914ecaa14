"""Functions from a set to a set, of integers from 0 to 7.

Each of these integers has its own slot in Python's smallest hash table, so that the text of a set
does not depend on how it was built.
"""

from worldline.core.util.seeded_random import SeededRandom


def draw_argument(rng: SeededRandom) -> set[int]:
    """Draw two to five of the integers."""
    return set(rng.shuffled(range(8))[: rng.between(2, 5)])


def is_valid(value: set[int]) -> bool:
    """Whether it is not empty and contains only integers from 0 to 7."""
    return bool(value) and value <= set(range(8))


def complement(x: set[int]) -> set[int]:
    return set(range(8)) - x


def add_two(x: set[int]) -> set[int]:
    return x | {1, 6}


def add_length(x: set[int]) -> set[int]:
    return x | {len(x)}


def add_half(x: set[int]) -> set[int]:
    return x | {max(x) // 2}


def add_next(x: set[int]) -> set[int]:
    return x.union([max(x) + 1])


def remove_two(x: set[int]) -> set[int]:
    return x - {2, 5}


def remove_smallest(x: set[int]) -> set[int]:
    return x - {min(x)}


def remove_largest(x: set[int]) -> set[int]:
    return x.difference([max(x)])


def flip_odd(x: set[int]) -> set[int]:
    return x ^ {1, 3, 5, 7}


def flip_low(x: set[int]) -> set[int]:
    return x ^ set(range(3))


def flip_ends(x: set[int]) -> set[int]:
    return x.symmetric_difference((0, 7))


def flip_sum(x: set[int]) -> set[int]:
    return x ^ {sum(x) % 8}


def flip_length(x: set[int]) -> set[int]:
    return x ^ {len(x), len(x) - 1}


def flip_middle(x: set[int]) -> set[int]:
    return x ^ {3, 4}


def keep_most(x: set[int]) -> set[int]:
    return x & {0, 1, 2, 4, 5, 7}


def every_other(x: set[int]) -> set[int]:
    return set(sorted(x)[::2])


def all_but_middle(x: set[int]) -> set[int]:
    return set(sorted(x)[:2] + sorted(x)[-2:])


def gaps(x: set[int]) -> set[int]:
    return set(range(min(x), max(x) + 1)) - x


def fill(x: set[int]) -> set[int]:
    return set(range(min(x), max(x)))


def swap_ends(x: set[int]) -> set[int]:
    return x - {max(x)} | {7 - min(x)}


def mirror(x: set[int]) -> set[int]:
    return set(map(int.__sub__, [7] * 8, x))


def move_down(x: set[int]) -> set[int]:
    return set(map(abs, map(int.__sub__, x, [1] * 8)))


def halves(x: set[int]) -> set[int]:
    return set(map(int.__floordiv__, x, [2] * 8)) | {7}


def rotate(x: set[int]) -> set[int]:
    return set(map(int.__mod__, map(int.__add__, x, [3] * 8), [8] * 8))
