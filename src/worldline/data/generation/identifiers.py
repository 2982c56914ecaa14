"""Random names, words and small constants, like those that people write."""

from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TypeVar

from worldline.core.util.seeded_random import SeededRandom

Item = TypeVar("Item")

# Without `f`, the usual name of the function.
LETTERS = ascii_lowercase.replace("f", "")
_COMMON = """
apple banana cat dog echo fox green hello idea jump kite lemon mango north orange paper queen
river stone tiger under violet water yellow zebra bird cloud dream early flame glass house ice
juice king light moon night ocean piano quick rain sand tree use voice wind box year zero abba
level noon radar stats anna civic good book tool sleep letter summer coffee happy little pepper
Alpha Beta Code Data Python World Test Name User Line
"""
WORDS = tuple(_COMMON.split())
# Usual names for variables of each type.
NAMES = {
    "int": "x y z a b c n m k i j p q total count value result num step size low high left right "
    "best last first acc score limit base rest",
    "float": "x y rate mean half ratio value total price amount part scale",
    "bool": "ok flag found done same is_even valid p q",
    "str": "s t u w text word name line out res part left right prefix chars label key",
    "ints": "xs ys nums items values data arr lst res out stack queue result numbers a b",
    "strs": "words parts names tokens items out lines pieces result letters",
    "dict": "d counts table index seen ages data m result scores",
    "pair": "pair point pos p t bounds state",
    "set": "seen unique group members common s",
}
FUNCTIONS = ("func", "solve", "run", "compute", "process", "calc", "test", "g", "task", "work")
_HELPERS = """
g h helper inc step add mix calc twice apply check shift scale make update score pick rule
next_value combine adjust part inner convert
"""
HELPERS = tuple(_HELPERS.split())


def chance(rng: SeededRandom, percent: int) -> bool:
    """Return True with a probability in percent."""
    return rng.below(100) < percent


def weighted_choice(rng: SeededRandom, choices: Sequence[tuple[int, Item]]) -> Item:
    """Choose an item with a probability proportional to its weight.

    [(3, "a"), (1, "b")] -> "a" in three of four cases
    """
    left = rng.below(sum(weight for weight, _ in choices))
    for weight, item in choices:
        left -= weight
        if left < 0:
            return item
    raise ValueError("all weights are zero, or there are no choices")


def reordered(rng: SeededRandom, items: list[Item]) -> list[Item]:
    """Shuffle the items into an order that differs from theirs."""
    while (shuffled := rng.shuffled(items)) == items:
        pass
    return shuffled


def small_int(rng: SeededRandom) -> int:
    """Random constant: usually 0 to 9, sometimes up to 99."""
    return weighted_choice(
        rng,
        [
            (60, rng.between(0, 9)),
            (28, rng.between(10, 29)),
            (12, rng.between(30, 99)),
        ],
    )


def argument_int(rng: SeededRandom) -> int:
    """Random argument: like `small_int`, sometimes negative."""
    return -rng.between(1, 20) if chance(rng, 15) else small_int(rng)


def small_float(rng: SeededRandom) -> float:
    """Random float with few digits, usually exact in binary."""
    return rng.between(0, 40) / rng.pick((2, 2, 4, 4, 10))


def random_word(rng: SeededRandom) -> str:
    """Random string of 1 to 14 characters: a word, several joined words, or random letters."""
    form = rng.below(10)
    if form < 4:
        text = rng.pick(WORDS)
        return weighted_choice(rng, [(8, text), (1, text.upper()), (1, text.capitalize())])
    if form == 4:
        separator = rng.pick((" ", " ", ",", "-", "_"))
        return f"{rng.pick(WORDS)[:6]}{separator}{rng.pick(WORDS)[:6]}"
    if form == 5:
        return rng.pick((",", " ", "-")).join(
            random_letters(rng, 1, 3) for _ in range(rng.between(2, 4))
        )
    return random_letters(rng, 1, rng.pick((4, 6, 8, 14)))


def random_letters(rng: SeededRandom, min_length: int, max_length: int) -> str:
    """Random letters, sometimes from a small alphabet so that they repeat."""
    alphabet = weighted_choice(
        rng,
        [
            (5, ascii_lowercase),
            (3, "".join(rng.pick(ascii_lowercase) for _ in range(4))),
            (2, ascii_lowercase + ascii_uppercase),
            (1, ascii_lowercase + digits),
        ],
    )
    return "".join(rng.pick(alphabet) for _ in range(rng.between(min_length, max_length)))


def function_name(rng: SeededRandom) -> str:
    """Random function name: `f` in nine of ten cases."""
    return "f" if chance(rng, 90) else rng.pick(FUNCTIONS)


def variable_name(rng: SeededRandom, value_type: str, used_names: set[str]) -> str:
    """Random unused name, a letter or a usual name for the type; it is added to `used_names`."""
    pool = NAMES[value_type].split() if chance(rng, 60) else list(LETTERS)
    unused = [name for name in (*pool, *LETTERS) if name not in used_names]
    unused = unused or [
        f"{name}{n}" for n in range(2, 9) for name in LETTERS if f"{name}{n}" not in used_names
    ]
    name: str = rng.pick(unused[: len(pool)])
    used_names.add(name)
    return name
