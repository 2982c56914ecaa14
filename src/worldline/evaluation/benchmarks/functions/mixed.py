"""Functions whose result has a different type than their argument."""

from typing import Any

from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks.functions import (
    dicts,
    floats,
    integers,
    lists,
    sets,
    strings,
    tuples,
)

_MODULES: dict[type, Any] = {
    str: strings,
    int: integers,
    float: floats,
    list: lists,
    tuple: tuples,
    dict: dicts,
    set: sets,
}

Numbers = tuple[int, ...]
Items = dict[str, int]


def draw_argument(rng: SeededRandom) -> object:
    """Draw an argument for the functions of one of the types."""
    value: object = rng.pick(list(_MODULES.values())).draw_argument(rng)
    return value


def is_valid(value: object) -> bool:
    """Whether it is valid for the functions of its own type."""
    return bool(_MODULES[type(value)].is_valid(value))


def string_to_length(x: str) -> int:
    return len(x) * 11


def string_to_code(x: str) -> int:
    return ord(x[0]) - ord(x[-1])


def string_to_quarter(x: str) -> float:
    return ord(x[-1]) / 4


def string_to_codes(x: str) -> list[int]:
    return list(map(ord, x[:4]))


def string_to_pair(x: str) -> Numbers:
    return (len(x), ord(x[0]))


def string_to_places(x: str) -> Items:
    return dict(zip(x[:5], range(3, 8)))


def string_to_set(x: str) -> set[int]:
    return {len(x) % 8, ord(x[0]) % 8}


def integer_to_text(x: int) -> str:
    return "n" + str(x)


def integer_to_hexadecimal(x: int) -> str:
    return hex(abs(x) + 160)[2:]


def integer_to_half(x: int) -> float:
    return x / 2


def integer_to_digits(x: int) -> list[int]:
    return list(map(int, str(abs(x))))


def integer_to_list(x: int) -> list[int]:
    return [x % 9, x // 9, x - 9]


def integer_to_quotient(x: int) -> Numbers:
    return divmod(x, 7)


def integer_to_items(x: int) -> Items:
    return {"p": x % 100, "q": x // 100}


def integer_to_set(x: int) -> set[int]:
    return {x % 8, x // 8 % 8, 5}


def float_to_text(x: float) -> str:
    return str(x) + "f"


def float_to_integer(x: float) -> int:
    return int(x * 4)


def float_to_nearest(x: float) -> int:
    return round(x) + 3


def float_to_list(x: float) -> list[int]:
    return [int(x), int(x % 1 * 100)]


def float_to_ratio(x: float) -> Numbers:
    return x.as_integer_ratio()


def float_to_items(x: float) -> Items:
    return {"w": int(x // 1), "r": int(x * 4 % 4)}


def list_to_text(x: list[int]) -> str:
    return "_".join(map(str, x[:4]))


def list_to_sum(x: list[int]) -> int:
    return sum(x)


def list_to_range(x: list[int]) -> int:
    return max(x) * 2 - min(x)


def list_to_half(x: list[int]) -> float:
    return (x[0] - x[-1]) / 2


def list_to_tuple(x: list[int]) -> Numbers:
    return tuple(x[::-1])


def list_to_items(x: list[int]) -> Items:
    return dict(zip("abcd", x))


def list_to_set(x: list[int]) -> set[int]:
    return {sum(x) % 8, x[0] % 8}


def tuple_to_text(x: Numbers) -> str:
    return "a" * (x[0] % 5) + str(x[-1])


def tuple_to_integer(x: Numbers) -> int:
    return x[0] * 3 + x[-1]


def tuple_to_quarter(x: Numbers) -> float:
    return sum(x) / 4


def tuple_to_list(x: Numbers) -> list[int]:
    return sorted(x)


def tuple_to_items(x: Numbers) -> Items:
    return dict(zip("xyz", x[::-1]))


def tuple_to_set(x: Numbers) -> set[int]:
    return {len(x), max(x) % 8, min(x) % 8}


def dict_to_text(x: Items) -> str:
    return "".join(x) + str(sum(x.values()))


def dict_to_integer(x: Items) -> int:
    return x[min(x)] * len(x)


def dict_to_half(x: Items) -> float:
    return max(x.values()) / 2


def dict_to_list(x: Items) -> list[int]:
    return list(x.values())


def dict_to_tuple(x: Items) -> Numbers:
    return (*x.values(), len(x))


def dict_to_set(x: Items) -> set[int]:
    return {len(x), sum(x.values()) % 8}


def set_to_text(x: set[int]) -> str:
    return "".join(map(str, sorted(x)))


def set_to_integer(x: set[int]) -> int:
    return sum(x) * len(x)


def set_to_half(x: set[int]) -> float:
    return max(x) + min(x) / 4


def set_to_list(x: set[int]) -> list[int]:
    return sorted(x)[::-1]


def set_to_tuple(x: set[int]) -> Numbers:
    return (min(x), sum(x), max(x))


def set_to_items(x: set[int]) -> Items:
    return dict(zip("uvw", sorted(x)))
