"""Functions from a string to a string, of 1 to 20 letters, digits and `- . _`."""

from string import ascii_letters, ascii_lowercase, digits

from worldline.core.util.seeded_random import SeededRandom

_ALLOWED = frozenset(ascii_letters + digits + "-._")


def draw_argument(rng: SeededRandom) -> str:
    """Draw four to nine lower-case letters, vowels more often than others."""
    letters = ascii_lowercase + "aeiou"
    return "".join(rng.pick(letters) for _ in range(rng.between(4, 9)))


def is_valid(value: str) -> bool:
    """Whether it has 1 to 20 of the allowed characters."""
    return 1 <= len(value) <= 20 and _ALLOWED.issuperset(value)


def reverse(x: str) -> str:
    return x[::-1]


def upper(x: str) -> str:
    return x.upper()


def lower(x: str) -> str:
    return x.lower()


def swap_case(x: str) -> str:
    return x.swapcase()


def title(x: str) -> str:
    return x.title()


def capitalize(x: str) -> str:
    return x.capitalize()


def rotate_left(x: str) -> str:
    return x[1:] + x[:1]


def rotate_right(x: str) -> str:
    return x[-2:] + x[:-2]


def swap_halves(x: str) -> str:
    return x[len(x) // 2 :] + x[: len(x) // 2]


def swap_ends(x: str) -> str:
    return x[-1] + x[1:-1] + x[0]


def drop_first(x: str) -> str:
    return x[1:]


def drop_last(x: str) -> str:
    return x[:-1]


def evens_then_odds(x: str) -> str:
    return x[::2] + x[1::2]


def double_first(x: str) -> str:
    return x[0] + x


def append_length(x: str) -> str:
    return x + str(len(x))


def append_count(x: str) -> str:
    return x + "n" * x.count("a") + "e"


def surround(x: str) -> str:
    return "b" + x + "d"


def sort(x: str) -> str:
    return "".join(sorted(x))


def keep_distinct(x: str) -> str:
    return "".join(dict.fromkeys(x))


def replace_vowel(x: str) -> str:
    return x.replace("a", "o").replace("e", "i")


def stretch(x: str) -> str:
    return x.replace("o", "oo")


def shift_letters(x: str) -> str:
    return x.translate(str.maketrans("abcdexyz", "bcdeayzx"))


def strip_vowels(x: str) -> str:
    return x.strip("aeiou")


def after_vowel(x: str) -> str:
    return x.partition("i")[2] + "ka"


def pad_right(x: str) -> str:
    return x.ljust(8, "s")


def pad_left(x: str) -> str:
    return x.rjust(7, "_")


def largest_first(x: str) -> str:
    return max(x) + x[1:]


def begin_again(x: str) -> str:
    return x[:6] + x[:2]


def dashes(x: str) -> str:
    return "-".join((x[:2], x[2:]))
