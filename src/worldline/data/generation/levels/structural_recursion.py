"""Recursive functions that call themselves with a part of a list or string.

The base case, the step and the way to combine the results are chosen at random. In templates of
return values, "@" stands for the recursive call and "#" for the removed item.
"""

import re

from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.identifiers import (
    chance,
    random_letters,
    random_word,
    weighted_choice,
)
from worldline.data.generation.levels.recursive_function import (
    RecursiveFunction,
    make_function,
    return_lines,
    with_base_case,
)


def list_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Process the first (or last) item and the rest of a list."""
    xs = rng.pick(("xs", "nums", "lst", "items", "arr", "a"))
    k = rng.between(2, 9)
    numbers = [rng.between(0, rng.pick((9, 9, 30))) for _ in range(rng.between(0, 6))]
    head, tail = rng.pick(
        ((f"{xs}[0]", f"{xs}[1:]"), (f"{xs}[0]", f"{xs}[1:]"), (f"{xs}[-1]", f"{xs}[:-1]"))
    )
    recursive_call = f"{name}({tail})"
    value, templates = weighted_choice(
        rng,
        [
            (
                4,
                (
                    "0",
                    [
                        "# + @",
                        "# * 2 + @",
                        "@ - #",
                        "# - @",
                        "# % K + @",
                        "1 + @",
                        "max(#, @)",
                        "@ * 2 + #",
                    ],
                ),
            ),
            (
                4,
                (
                    "[]",
                    [
                        "[#] + @",
                        "@ + [#]",
                        "[# + K] + @",
                        "[# * K] + @",
                        "@ + [# % K]",
                        "[#, #] + @",
                    ],
                ),
            ),
            (1, ("True", ["# > K and @", "# % 2 == 0 and @", "# != K and @"])),
            (1, ("False", ["# == K or @", "# > K or @"])),
            (2, ("''", ["str(#) + @", "@ + str(#)", "'x' * (# % 4) + @"])),
            (1, (str(k), ["# + @", "max(#, @)", "min(#, @)", "abs(# - @)"])),
        ],
    )
    templates = [template.replace("#", head).replace("K", str(k)) for template in templates]
    rest = return_lines(rng, recursive_call, rng.pick(templates))
    if chance(rng, 30):
        condition = rng.pick((f"{head} > {k}", f"{head} % 2 == 0", f"{head} % 2", f"{head} < {k}"))
        other = return_lines(rng, recursive_call, rng.pick(["@", rng.pick(templates)]))
        rest = [f"if {condition}:", *(f"    {line}" for line in other), *rest]
    condition = rng.pick((f"not {xs}", f"not {xs}", f"len({xs}) == 0", f"{xs} == []"))
    return make_function(name, xs, with_base_case(rng, condition, value, rest), repr(numbers))


def nested_list_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Sum, flatten or measure a nested list."""
    xs, x = rng.pick((("xs", "x"), ("items", "item"), ("data", "d"), ("tree", "t")))
    start, inside, single = weighted_choice(
        rng,
        [
            (
                3,
                (
                    "total = 0",
                    f"total += {name}({x})",
                    rng.pick((f"total += {x}", "total += 1", f"total += {x} * 2")),
                ),
            ),
            (
                3,
                (
                    "out = []",
                    rng.pick((f"out += {name}({x})", f"out.extend({name}({x}))")),
                    rng.pick((f"out.append({x})", f"out.append({x} + 1)", f"out.append({x} % 5)")),
                ),
            ),
            (2, ("best = 0", f"best = max(best, {name}({x}))", f"best = max(best, {x})")),
            (
                1,
                (
                    "deep = 1",
                    f"deep = max(deep, {name}({x}) + 1)",
                    f"deep = max(deep, {rng.between(0, 1)})",
                ),
            ),
        ],
    )
    lines = [
        start,
        f"for {x} in {xs}:",
        f"    if isinstance({x}, list):",
        f"        {inside}",
        "    else:",
        f"        {single}",
        f"return {start.split()[0]}",
    ]
    return make_function(name, xs, lines, repr(_random_nested_list(rng, 2)))


def _random_nested_list(rng: SeededRandom, depth: int) -> list[object]:
    return [
        _random_nested_list(rng, depth - 1) if depth and chance(rng, 35) else rng.between(0, 20)
        for _ in range(rng.between(1, 3))
    ]


def binary_search(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Binary search in a sorted list."""
    xs, x = rng.pick((("xs", "x"), ("nums", "target"), ("arr", "key")))
    numbers = sorted({rng.between(0, 40) for _ in range(rng.between(2, 7))})
    wanted = rng.pick(numbers) if chance(rng, 75) else rng.between(0, 40)
    missing = rng.pick(("-1", "None", "low"))
    lines = [
        "if low > high:",
        f"    return {missing}",
        "mid = (low + high) // 2",
        f"if {xs}[mid] == {x}:",
        "    return mid",
        f"if {xs}[mid] < {x}:",
        f"    return {name}({xs}, {x}, mid + 1, high)",
        f"return {name}({xs}, {x}, low, mid - 1)",
    ]
    return make_function(
        name, f"{xs}, {x}, low, high", lines, f"{numbers}, {wanted}, 0, {len(numbers) - 1}"
    )


def divide_and_conquer(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Split a list in two halves and combine their results."""
    xs = rng.pick(("xs", "nums", "lst", "a"))
    numbers = [rng.between(0, 30) for _ in range(rng.between(1, 5))]
    value, template = rng.pick(
        (
            (f"{xs}[0]", "left + right"),
            (f"{xs}[0]", "max(left, right)"),
            (f"{xs}[0]", "left - right"),
            (xs, "right + left"),
            (xs, "sorted(left + right)"),
            ("1", "left + right"),
            ("0", "max(left, right) + 1"),
        )
    )
    lines = [
        f"if len({xs}) == 1:",
        f"    return {value}",
        f"mid = len({xs}) // 2",
        f"left = {name}({xs}[:mid])",
        f"right = {name}({xs}[mid:])",
        f"return {template}",
    ]
    return make_function(name, xs, lines, repr(numbers))


def string_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Reverse, count or change a string letter by letter."""
    s = rng.pick(("s", "text", "word", "t", "w"))
    text = random_word(rng)[:8] if chance(rng, 60) else random_letters(rng, 1, 8)
    c, d = repr(rng.pick(text)), repr(rng.pick("abcxyz-_*"))
    head, tail = rng.pick(
        ((f"{s}[0]", f"{s}[1:]"), (f"{s}[0]", f"{s}[1:]"), (f"{s}[-1]", f"{s}[:-1]"))
    )
    recursive_call = f"{name}({tail})"
    value, templates = weighted_choice(
        rng,
        [
            (
                6,
                (
                    "''" if chance(rng, 60) else s,
                    [
                        "@ + #",
                        "# + @",
                        "# + # + @",
                        "@ + #.upper()",
                        "# + D + @",
                        "D + @ + #",
                        "#.swapcase() + @",
                        "# + @ + #",
                    ],
                ),
            ),
            (3, ("0", ["1 + @", "(# == C) + @", "(# in 'aeiou') + @", "@ + 2", "int(# < C) + @"])),
            (2, ("[]", ["[#] + @", "@ + [#]", "[# + D] + @", "[#.upper()] + @"])),
        ],
    )
    # In one pass, because a replacement may itself be the letter C or D.
    replacements = {"#": head, "C": c, "D": d}
    templates = [
        re.sub("[#CD]", lambda match: replacements[match[0]], template) for template in templates
    ]
    rest = return_lines(rng, recursive_call, rng.pick(templates))
    if chance(rng, 40):
        condition = rng.pick(
            (
                f"{head} == {c}",
                f"{head} in {random_letters(rng, 2, 4)!r}",
                f"{head} < {c}",
                f"{head}.isupper()",
            )
        )
        other = rng.pick([recursive_call, rng.pick(templates).replace("@", recursive_call)])
        rest = [f"if {condition}:", f"    return {other}", *rest]
    condition = rng.pick((f"not {s}", f"{s} == ''", f"len({s}) == 0"))
    return make_function(name, s, with_base_case(rng, condition, value, rest), repr(text))


def two_ended_string_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Process a string from both ends, as in a palindrome test."""
    s = rng.pick(("s", "text", "word", "w"))
    half = random_letters(rng, 1, 3)
    text = random_word(rng)[:9] if chance(rng, 50) else half + rng.pick(("", "x")) + half[::-1]
    same, recursive_call = f"{s}[0] == {s}[-1]", f"{name}({s}[1:-1])"
    rest = weighted_choice(
        rng,
        [
            (2, return_lines(rng, recursive_call, f"{same} and @")),
            (2, [f"if {s}[0] != {s}[-1]:", "    return False", f"return {recursive_call}"]),
            (1, return_lines(rng, recursive_call, f"({same}) + @")),
            (2, return_lines(rng, recursive_call, f"{s}[-1] + @ + {s}[0]")),
        ],
    )
    value = "True" if "+" not in rest[-1] else "0" if "==" in rest[-1] else s
    return make_function(
        name,
        s,
        with_base_case(rng, f"len({s}) < 2" if chance(rng, 70) else f"len({s}) <= 1", value, rest),
        repr(text),
    )
