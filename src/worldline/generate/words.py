"""Choices go in; names, words and small constants come out, as people write them."""

from collections.abc import Sequence
from string import ascii_lowercase, ascii_uppercase, digits
from typing import TypeVar

from worldline.benchmarks.draws import Draws

Item = TypeVar("Item")

# `f` is the name of the function.
LETTERS = ascii_lowercase.replace("f", "")
_COMMON = """
apple banana cat dog echo fox green hello idea jump kite lemon mango north orange paper queen
river stone tiger under violet water yellow zebra bird cloud dream early flame glass house ice
juice king light moon night ocean piano quick rain sand tree use voice wind box year zero abba
level noon radar stats anna civic good book tool sleep letter summer coffee happy little pepper
Alpha Beta Code Data Python World Test Name User Line
"""
WORDS = tuple(_COMMON.split())
# Names by the type that they are likely to be of.
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


def chance(draws: Draws, percent: int) -> bool:
    """True in so many of a hundred cases."""
    return draws.below(100) < percent


def weighted(draws: Draws, choices: Sequence[tuple[int, Item]]) -> Item:
    """One of the items, more often where its weight is larger.

    [(3, "a"), (1, "b")] -> "a" in three of four cases
    """
    left = draws.below(sum(weight for weight, _ in choices))
    for weight, item in choices:
        left -= weight
        if left < 0:
            return item
    raise ValueError("there is nothing to choose from")


def reordered(draws: Draws, items: list[Item]) -> list[Item]:
    """The items in another order: not the one that they have."""
    while (found := draws.shuffled(items)) == items:
        pass
    return found


def small_int(draws: Draws) -> int:
    """A constant as it stands in a program: 0 to 9 most often, seldom up to 99."""
    return weighted(
        draws,
        [
            (60, draws.between(0, 9)),
            (28, draws.between(10, 29)),
            (12, draws.between(30, 99)),
        ],
    )


def argument_int(draws: Draws) -> int:
    """A number that a function is given: as `small_int`, and below zero at times."""
    return -draws.between(1, 20) if chance(draws, 15) else small_int(draws)


def small_float(draws: Draws) -> float:
    """A float with few digits, exact in binary more often than not."""
    return draws.between(0, 40) / draws.pick((2, 2, 4, 4, 10))


def word(draws: Draws) -> str:
    """A word, two with something between them, or letters at random; 1 to 14 characters."""
    kind = draws.below(10)
    if kind < 4:
        found = draws.pick(WORDS)
        return weighted(draws, [(8, found), (1, found.upper()), (1, found.capitalize())])
    if kind == 4:
        between = draws.pick((" ", " ", ",", "-", "_"))
        return f"{draws.pick(WORDS)[:6]}{between}{draws.pick(WORDS)[:6]}"
    if kind == 5:
        return draws.pick((",", " ", "-")).join(
            letters(draws, 1, 3) for _ in range(draws.between(2, 4))
        )
    return letters(draws, 1, draws.pick((4, 6, 8, 14)))


def letters(draws: Draws, least: int, most: int) -> str:
    """Random letters; from few different ones at times, so that they repeat."""
    alphabet = weighted(
        draws,
        [
            (5, ascii_lowercase),
            (3, "".join(draws.pick(ascii_lowercase) for _ in range(4))),
            (2, ascii_lowercase + ascii_uppercase),
            (1, ascii_lowercase + digits),
        ],
    )
    return "".join(draws.pick(alphabet) for _ in range(draws.between(least, most)))


def function_name(draws: Draws) -> str:
    """`f` in nine of ten cases."""
    return "f" if chance(draws, 90) else draws.pick(FUNCTIONS)


def variable_name(draws: Draws, kind: str, taken: set[str]) -> str:
    """A name that is not taken, and then is; a single letter or one that suits the type."""
    pool = NAMES[kind].split() if chance(draws, 60) else list(LETTERS)
    free = [name for name in (*pool, *LETTERS) if name not in taken]
    free = free or [
        f"{name}{n}" for n in range(2, 9) for name in LETTERS if f"{name}{n}" not in taken
    ]
    found: str = draws.pick(free[: len(pool)])
    taken.add(found)
    return found
