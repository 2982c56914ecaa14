"""Functions from an ASCII letter or digit to an ASCII letter or digit."""

from string import ascii_letters, ascii_lowercase, digits

from worldline.core.util.seeded_random import SeededRandom


def draw_argument(rng: SeededRandom) -> str:
    """Draw a letter, usually a lower-case one, or a digit."""
    return rng.pick(ascii_lowercase + ascii_letters + digits)


def is_valid(value: str) -> bool:
    """Whether it is one letter or digit."""
    return len(value) == 1 and value in ascii_letters + digits


def next_one(x: str) -> str:
    return chr(ord(x) + 1)


def previous_one(x: str) -> str:
    return chr(ord(x) - 1)


def upper(x: str) -> str:
    return x.upper()


def lower(x: str) -> str:
    return x.lower()


def swap_case(x: str) -> str:
    return x.swapcase()


def flip_case_bit(x: str) -> str:
    return chr(ord(x) ^ 32)


def flip_last_bit(x: str) -> str:
    return chr(ord(x) ^ 1)


def flip_two_bits(x: str) -> str:
    return chr(ord(x) ^ 6)


def mirror(x: str) -> str:
    return chr(219 - ord(x))


def mirror_capital(x: str) -> str:
    return chr(155 - ord(x))


def shift_three(x: str) -> str:
    return chr((ord(x) - 97 + 3) % 26 + 97)


def shift_half(x: str) -> str:
    return chr((ord(x) - 97 + 13) % 26 + 97)


def shift_capital(x: str) -> str:
    return chr((ord(x) - 65 + 7) % 26 + 65)


def times_five(x: str) -> str:
    return chr(ord(x) * 5 % 26 + 65)


def to_letter(x: str) -> str:
    return chr(ord(x) % 26 + 97)


def on_keyboard(x: str) -> str:
    return "qwertyuiopasdfghjklzxcvbnm"[ord(x) % 26]


def to_consonant(x: str) -> str:
    return "bcdfghjklmnpqrstvwxyz"[ord(x) % 21]


def to_hexadecimal(x: str) -> str:
    return "0123456789abcdef"[ord(x) % 16]


def last_digit(x: str) -> str:
    return str(ord(x))[-1]


def vowel_up(x: str) -> str:
    return x.upper() if x in "aeiou" else chr(ord(x) + 2)


def at_least(x: str) -> str:
    return max(x, "Q").swapcase()


def at_most(x: str) -> str:
    return chr(ord(min(x, "t")) + 3)


def back_by_case(x: str) -> str:
    return chr(ord(x) - 2) if x.islower() else x.lower()


def digit_or_step(x: str) -> str:
    return "zyxwvutsrq"[int(x)] if x.isdigit() else chr(ord(x) - 4)
