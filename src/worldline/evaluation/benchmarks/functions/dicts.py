"""Functions from a dict to a dict; the dicts map 1 to 5 letters to numbers.

None of them changes only the order, because dicts with different orders are equal.
"""

from string import ascii_lowercase

from worldline.core.util.seeded_random import SeededRandom

Items = dict[str, int]


def draw_argument(rng: SeededRandom) -> Items:
    """Draw two to four letters with numbers of up to two digits."""
    keys = rng.shuffled(ascii_lowercase[:8])[: rng.between(2, 4)]
    return {key: rng.between(-9, 30) for key in keys}


def is_valid(value: Items) -> bool:
    """Whether it has 1 to 5 items, with one-character keys and small numbers."""
    is_short = all(len(key) == 1 and abs(each) < 200 for key, each in value.items())
    return 1 <= len(value) <= 5 and is_short


def put(x: Items) -> Items:
    return x | {"c": 5}


def put_behind(x: Items) -> Items:
    return {"d": 8} | x


def put_length(x: Items) -> Items:
    return {**x, "n": len(x)}


def put_sum(x: Items) -> Items:
    return x | {"s": sum(x.values()) % 10}


def put_largest(x: Items) -> Items:
    return {"m": max(x.values()), **x}


def put_next(x: Items) -> Items:
    return x | {"b": x.get("a", 0) + 1}


def put_default(x: Items) -> Items:
    return x | {"a": x.get("e", 3) * 2}


def reverse_values(x: Items) -> Items:
    return dict(zip(x, list(x.values())[::-1]))


def reverse_keys(x: Items) -> Items:
    return dict(zip(list(x)[::-1], x.values()))


def sort_keys(x: Items) -> Items:
    return dict(zip(sorted(x), x.values()))


def sort_values(x: Items) -> Items:
    return dict(zip(x, sorted(x.values())))


def rotate_values(x: Items) -> Items:
    return dict(zip(x, list(x.values())[1:] + list(x.values())[:1]))


def drop_first(x: Items) -> Items:
    return dict(list(x.items())[1:])


def drop_last(x: Items) -> Items:
    return dict(list(x.items())[:-1])


def rename(x: Items) -> Items:
    return dict(zip("aceghk", x.values()))


def sizes(x: Items) -> Items:
    return dict(zip(x, map(abs, x.values())))


def invert(x: Items) -> Items:
    return dict(zip(x, map(int.__neg__, x.values())))


def add_places(x: Items) -> Items:
    return dict(zip(x, map(int.__add__, x.values(), range(5))))


def raise_smallest_key(x: Items) -> Items:
    return x | {min(x): x[min(x)] + 10}


def lower_largest_key(x: Items) -> Items:
    return {**x, max(x): x[max(x)] - 6}


def clear_most(x: Items) -> Items:
    return x | {max(x, key=x.__getitem__): 0}


def lower_smallest(x: Items) -> Items:
    return x | {min(x, key=x.__getitem__): min(x.values()) - 4}


def copy_last(x: Items) -> Items:
    return x | {list(x)[0]: list(x.values())[-1]}


def double_last(x: Items) -> Items:
    return {**x, list(x)[-1]: list(x.values())[-1] * 2}


def remainders(x: Items) -> Items:
    return dict(zip(x, map(int.__mod__, x.values(), range(5, 10))))


def upper_keys(x: Items) -> Items:
    return dict(zip("".join(x).upper(), x.values()))
