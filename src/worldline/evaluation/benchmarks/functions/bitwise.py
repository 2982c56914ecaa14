"""Bitwise functions from a byte to a byte, as integers from 0 to 255."""

from worldline.core.util.seeded_random import SeededRandom


def draw_argument(rng: SeededRandom) -> int:
    """Draw a byte."""
    return rng.between(1, 254)


def is_valid(value: int) -> bool:
    """Whether it is a byte."""
    return 0 <= value <= 255


def invert(x: int) -> int:
    return ~x & 255


def negate(x: int) -> int:
    return -x & 255


def flip_some(x: int) -> int:
    return x ^ 0b01011010


def flip_high(x: int) -> int:
    return x ^ 0xF0


def flip_odd(x: int) -> int:
    return x ^ 0xAA


def flip_top(x: int) -> int:
    return x ^ 0x80


def set_two(x: int) -> int:
    return x | 0b00100100


def clear_two(x: int) -> int:
    return x & ~0b00011000


def clear_top(x: int) -> int:
    return x & 0x7F


def shift_left(x: int) -> int:
    return x << 1 & 255


def shift_right(x: int) -> int:
    return x >> 1


def rotate_left(x: int) -> int:
    return (x << 1 | x >> 7) & 255


def rotate_right(x: int) -> int:
    return (x >> 1 | x << 7) & 255


def rotate_three(x: int) -> int:
    return (x << 3 | x >> 5) & 255


def swap_halves(x: int) -> int:
    return (x << 4 | x >> 4) & 255


def swap_neighbours(x: int) -> int:
    return (x & 0x55) << 1 | (x & 0xAA) >> 1


def swap_pairs(x: int) -> int:
    return (x & 0x33) << 2 | (x & 0xCC) >> 2


def to_gray(x: int) -> int:
    return x ^ x >> 1


def xor_shifted(x: int) -> int:
    return (x ^ x << 1) & 255


def xor_high_into_low(x: int) -> int:
    return x ^ x >> 4


def xor_low_into_high(x: int) -> int:
    return x ^ (x & 15) << 4


def clear_lowest_one(x: int) -> int:
    return x & (x - 1)


def set_lowest_zero(x: int) -> int:
    return (x | (x + 1)) & 255


def xor_count(x: int) -> int:
    return x ^ x.bit_count()


def xor_length(x: int) -> int:
    return x ^ x.bit_length() << 2
