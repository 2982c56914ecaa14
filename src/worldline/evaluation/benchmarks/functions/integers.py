"""Functions from an integer of up to three digits to an integer."""

from worldline.core.util.seeded_random import SeededRandom


def draw_argument(rng: SeededRandom) -> int:
    """Draw an integer of up to two digits, so that most results have up to three."""
    return rng.between(-20, 99)


def is_valid(value: int) -> bool:
    """Whether it has up to three digits."""
    return -999 <= value <= 999


def add(x: int) -> int:
    return x + 17


def subtract(x: int) -> int:
    return x - 23


def double(x: int) -> int:
    return x * 2


def triple_less_four(x: int) -> int:
    return 3 * x - 4


def halve(x: int) -> int:
    return x // 2


def third(x: int) -> int:
    return x // 3 + 5


def negate(x: int) -> int:
    return -x


def from_hundred(x: int) -> int:
    return 100 - x


def distance(x: int) -> int:
    return abs(x - 50)


def last_two_digits(x: int) -> int:
    return x % 100


def times_seven(x: int) -> int:
    return x * 7 % 101


def square(x: int) -> int:
    return x * x % 97


def cube(x: int) -> int:
    return pow(x, 3, 89)


def triangle(x: int) -> int:
    return x * (x + 1) // 2 % 100


def add_last_digit(x: int) -> int:
    return x + x % 10


def subtract_tenth(x: int) -> int:
    return x - x // 10


def quotient_and_remainder(x: int) -> int:
    return sum(divmod(x, 7))


def reverse_digits(x: int) -> int:
    return int(str(abs(x))[::-1])


def swap_last_digits(x: int) -> int:
    return x % 10 * 10 + x // 10 % 10


def sum_of_digits(x: int) -> int:
    return x + sum(map(int, str(abs(x))))


def to_neighbour(x: int) -> int:
    return x + 1 if x % 2 else x - 1


def collatz(x: int) -> int:
    return 3 * x + 1 if x % 2 else x // 2


def to_tens(x: int) -> int:
    return round(x, -1)


def at_least(x: int) -> int:
    return max(x, 12) - 6


def at_most(x: int) -> int:
    return min(x, 64) + 9
