"""Functions from a list to a list, of 1 to 8 integers of up to three digits."""

from worldline.core.util.seeded_random import SeededRandom


def draw_argument(rng: SeededRandom) -> list[int]:
    """Draw three to six integers of up to two digits."""
    return [rng.between(-9, 30) for _ in range(rng.between(3, 6))]


def is_valid(value: list[int]) -> bool:
    """Whether it has 1 to 8 small integers."""
    return 1 <= len(value) <= 8 and all(abs(each) < 200 for each in value)


def reverse(x: list[int]) -> list[int]:
    return x[::-1]


def sort(x: list[int]) -> list[int]:
    return sorted(x)


def sort_down(x: list[int]) -> list[int]:
    return sorted(x, reverse=True)


def sort_by_size(x: list[int]) -> list[int]:
    return sorted(x, key=abs)


def rotate_left(x: list[int]) -> list[int]:
    return x[1:] + x[:1]


def rotate_right(x: list[int]) -> list[int]:
    return x[-2:] + x[:-2]


def swap_halves(x: list[int]) -> list[int]:
    return x[len(x) // 2 :] + x[: len(x) // 2]


def swap_ends(x: list[int]) -> list[int]:
    return [x[-1]] + x[1:-1] + [x[0]]


def evens_then_odds(x: list[int]) -> list[int]:
    return x[::2] + x[1::2]


def odds_reversed(x: list[int]) -> list[int]:
    return x[::2] + x[1::2][::-1]


def drop_first(x: list[int]) -> list[int]:
    return x[1:]


def drop_last(x: list[int]) -> list[int]:
    return x[:-1]


def append_length(x: list[int]) -> list[int]:
    return x + [len(x)]


def append_sum(x: list[int]) -> list[int]:
    return [*x, sum(x) % 10]


def prepend_difference(x: list[int]) -> list[int]:
    return [x[0] - x[-1]] + x


def repeat_largest(x: list[int]) -> list[int]:
    return x + [max(x)]


def smallest_first(x: list[int]) -> list[int]:
    return [min(x), *x[1:]]


def keep_distinct(x: list[int]) -> list[int]:
    return list(dict.fromkeys(x))


def sizes(x: list[int]) -> list[int]:
    return list(map(abs, x))


def invert(x: list[int]) -> list[int]:
    return list(map(int.__neg__, x))


def add_reversed(x: list[int]) -> list[int]:
    return list(map(int.__add__, x, x[::-1]))


def subtract_next(x: list[int]) -> list[int]:
    return list(map(int.__sub__, x, x[1:] + [0]))


def raise_first(x: list[int]) -> list[int]:
    return [x[0] + 10] + x[1:]


def double_last(x: list[int]) -> list[int]:
    return x[:-1] + [x[-1] * 2]


def sum_of_ends(x: list[int]) -> list[int]:
    return x[1:] + [x[0] + x[-1]]
