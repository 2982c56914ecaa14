"""Functions from a tuple to a tuple, of 1 to 8 integers of up to three digits."""

from worldline.core.util.seeded_random import SeededRandom

Numbers = tuple[int, ...]


def draw_argument(rng: SeededRandom) -> Numbers:
    """Draw three to six integers of up to two digits."""
    return tuple(rng.between(-9, 30) for _ in range(rng.between(3, 6)))


def is_valid(value: Numbers) -> bool:
    """Whether it has 1 to 8 small integers."""
    return 1 <= len(value) <= 8 and all(abs(each) < 200 for each in value)


def reverse(x: Numbers) -> Numbers:
    return x[::-1]


def sort(x: Numbers) -> Numbers:
    return tuple(sorted(x))


def sort_inner(x: Numbers) -> Numbers:
    return (x[0], *sorted(x[1:]))


def sort_as_text(x: Numbers) -> Numbers:
    return tuple(sorted(x, key=str))


def rotate_left(x: Numbers) -> Numbers:
    return x[1:] + x[:1]


def rotate_right(x: Numbers) -> Numbers:
    return x[-1:] + x[:-1]


def swap_first_two(x: Numbers) -> Numbers:
    return x[1:2] + x[:1] + x[2:]


def swap_ends(x: Numbers) -> Numbers:
    return (x[-1], *x[1:-1], x[0])


def odds_then_evens(x: Numbers) -> Numbers:
    return x[1::2] + x[::2]


def drop_first(x: Numbers) -> Numbers:
    return x[1:]


def drop_second(x: Numbers) -> Numbers:
    return x[:1] + x[2:]


def append_length(x: Numbers) -> Numbers:
    return x + (len(x),)


def prepend_sum(x: Numbers) -> Numbers:
    return (sum(x) % 20, *x)


def append_count(x: Numbers) -> Numbers:
    return (*x, x.count(x[0]))


def append_place(x: Numbers) -> Numbers:
    return x + (x.index(max(x)),)


def repeat_first(x: Numbers) -> Numbers:
    return x[:1] + x


def begin_again(x: Numbers) -> Numbers:
    return x[:3] + x[:2]


def divide_first(x: Numbers) -> Numbers:
    return divmod(x[0], 4) + x[1:]


def range_first(x: Numbers) -> Numbers:
    return (max(x) - min(x),) + x[1:]


def raise_last(x: Numbers) -> Numbers:
    return x[:-1] + (x[-1] + 7,)


def negate_first(x: Numbers) -> Numbers:
    return (-x[0],) + x[1:]


def add_reversed(x: Numbers) -> Numbers:
    return tuple(map(int.__add__, x, x[::-1]))


def larger_of_neighbours(x: Numbers) -> Numbers:
    return tuple(map(max, x, x[1:] + x[:1]))


def remainders(x: Numbers) -> Numbers:
    return tuple(map(int.__mod__, x, range(5, 13)))


def difference_first(x: Numbers) -> Numbers:
    return (x[0] - x[-1],) + x[1:]
