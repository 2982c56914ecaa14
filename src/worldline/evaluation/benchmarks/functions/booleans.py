"""Functions from a boolean to a boolean.

Each of them either returns its argument or negates it; they differ in how they do it.
"""

from worldline.core.util.seeded_random import SeededRandom

# Half of the functions return their argument. A chain of only negations could be guessed.
MAY_RETURN_ARGUMENT = True


def draw_argument(rng: SeededRandom) -> bool:
    """Draw a boolean."""
    return rng.pick((False, True))


def is_valid(value: bool) -> bool:
    """Whether it is a boolean."""
    return value is True or value is False


def negate(x: bool) -> bool:
    return not x


def negate_twice(x: bool) -> bool:
    return not (not x)


def and_true(x: bool) -> bool:
    return x and 3 > 2


def or_false(x: bool) -> bool:
    return x or 2 > 3


def not_and_true(x: bool) -> bool:
    return not (x and True)


def not_or_false(x: bool) -> bool:
    return not (x or False)


def xor_true(x: bool) -> bool:
    return x ^ True


def xor_false(x: bool) -> bool:
    return x ^ False


def is_false(x: bool) -> bool:
    return x is False


def equals_true(x: bool) -> bool:
    return x == True


def differs_from_true(x: bool) -> bool:
    return x != True


def below_true(x: bool) -> bool:
    return x < True


def at_least_true(x: bool) -> bool:
    return x >= True


def all_of(x: bool) -> bool:
    return all([x, True, 1 < 2])


def not_all_of(x: bool) -> bool:
    return not all((True, x))


def any_of(x: bool) -> bool:
    return any([False, x, 2 < 1])


def none_of(x: bool) -> bool:
    return not any([x, False])


def pick(x: bool) -> bool:
    return (False, True)[x]


def pick_other(x: bool) -> bool:
    return (True, False)[x]


def choose_same(x: bool) -> bool:
    return True if x else False


def choose_other(x: bool) -> bool:
    return False if x else True


def found_in(x: bool) -> bool:
    return x in (True,)


def missing_in(x: bool) -> bool:
    return x not in [True]


def is_spelt_long(x: bool) -> bool:
    return len(str(x)) == 5


def is_odd_sum(x: bool) -> bool:
    return (x + 2) % 2 == 1


def one_minus(x: bool) -> bool:
    return bool(1 - x)


def smaller(x: bool) -> bool:
    return min(x, True)


def counted(x: bool) -> bool:
    return [x, True].count(True) == 2
