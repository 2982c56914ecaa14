"""Functions from a float to a float.

All values are multiples of 0.25: they are exact, and have the same text on every machine.
"""

from worldline.core.util.seeded_random import SeededRandom


def draw_argument(rng: SeededRandom) -> float:
    """Draw a multiple of 0.25."""
    return rng.between(-80, 160) / 4


def is_valid(value: float) -> bool:
    """Whether it is a multiple of 0.25 below 1000, and not negative zero."""
    return abs(value) < 1000 and value * 4 == int(value * 4) and repr(value) != "-0.0"


def add(x: float) -> float:
    return x + 2.75


def subtract(x: float) -> float:
    return x - 4.5


def double(x: float) -> float:
    return x * 2.0


def halve(x: float) -> float:
    return x / 2


def one_and_a_half(x: float) -> float:
    return x * 1.5


def triple_less_two(x: float) -> float:
    return 3 * x - 2.0


def negate(x: float) -> float:
    return -x


def from_twenty(x: float) -> float:
    return 20.0 - x


def distance(x: float) -> float:
    return abs(x - 10.25)


def down_and_half(x: float) -> float:
    return x // 1 + 0.5


def whole_part(x: float) -> float:
    return float(int(x))


def nearest_whole(x: float) -> float:
    return float(round(x))


def remainder(x: float) -> float:
    return x % 8.0


def remainder_of_three(x: float) -> float:
    return divmod(x, 3.0)[1]


def times_in(x: float) -> float:
    return x // 1.5


def fraction_up(x: float) -> float:
    return x + x % 1


def add_whole_part(x: float) -> float:
    return x + int(x)


def average(x: float) -> float:
    return (x + 7.5) / 2


def at_least(x: float) -> float:
    return max(x, 2.5) - 1.25


def at_most(x: float) -> float:
    return min(x, 30.25) + 0.75


def towards_zero(x: float) -> float:
    return x + 4.75 if x < 0 else x - 3.25


def grow_fractions(x: float) -> float:
    return x + 0.25 if x.is_integer() else x * 4


def square_of_whole(x: float) -> float:
    return float(int(x) * int(x) % 50)


def quarters(x: float) -> float:
    return x * 4 % 10 / 4


def numerator(x: float) -> float:
    return float(x.as_integer_ratio()[0])
