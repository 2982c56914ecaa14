"""Choices and a name go in; a function comes out that calls itself with a part of its argument.

Each has its own test for the end, its own step and its own way to put the parts together, drawn
anew every time.
"""

import re

from worldline.benchmarks.draws import Draws
from worldline.generate.levels.shapes import Shape, ends, in_lines, make
from worldline.generate.words import chance, letters, weighted, word


def fold_list(draws: Draws, name: str) -> Shape:
    """The first item and the rest of a list."""
    xs = draws.pick(("xs", "nums", "lst", "items", "arr", "a"))
    k = draws.between(2, 9)
    numbers = [draws.between(0, draws.pick((9, 9, 30))) for _ in range(draws.between(0, 6))]
    head, tail = draws.pick(
        ((f"{xs}[0]", f"{xs}[1:]"), (f"{xs}[0]", f"{xs}[1:]"), (f"{xs}[-1]", f"{xs}[:-1]"))
    )
    inner = f"{name}({tail})"
    value, combine = weighted(
        draws,
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
    combine = [form.replace("#", head).replace("K", str(k)) for form in combine]
    rest = in_lines(draws, inner, draws.pick(combine))
    if chance(draws, 30):
        test = draws.pick((f"{head} > {k}", f"{head} % 2 == 0", f"{head} % 2", f"{head} < {k}"))
        other = in_lines(draws, inner, draws.pick(["@", draws.pick(combine)]))
        rest = [f"if {test}:", *(f"    {line}" for line in other), *rest]
    test = draws.pick((f"not {xs}", f"not {xs}", f"len({xs}) == 0", f"{xs} == []"))
    return make(name, xs, ends(draws, test, value, rest), repr(numbers))


def nested(draws: Draws, name: str) -> Shape:
    """Lists in lists: summed up, flattened, measured."""
    xs, x = draws.pick((("xs", "x"), ("items", "item"), ("data", "d"), ("tree", "t")))
    start, inside, single = weighted(
        draws,
        [
            (
                3,
                (
                    "total = 0",
                    f"total += {name}({x})",
                    draws.pick((f"total += {x}", "total += 1", f"total += {x} * 2")),
                ),
            ),
            (
                3,
                (
                    "out = []",
                    draws.pick((f"out += {name}({x})", f"out.extend({name}({x}))")),
                    draws.pick(
                        (f"out.append({x})", f"out.append({x} + 1)", f"out.append({x} % 5)")
                    ),
                ),
            ),
            (2, ("best = 0", f"best = max(best, {name}({x}))", f"best = max(best, {x})")),
            (
                1,
                (
                    "deep = 1",
                    f"deep = max(deep, {name}({x}) + 1)",
                    f"deep = max(deep, {draws.between(0, 1)})",
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
    return make(name, xs, lines, repr(_tree(draws, 2)))


def _tree(draws: Draws, depth: int) -> list[object]:
    return [
        _tree(draws, depth - 1) if depth and chance(draws, 35) else draws.between(0, 20)
        for _ in range(draws.between(1, 3))
    ]


def search(draws: Draws, name: str) -> Shape:
    """A sorted list, halved until a number is found."""
    xs, x = draws.pick((("xs", "x"), ("nums", "target"), ("arr", "key")))
    numbers = sorted({draws.between(0, 40) for _ in range(draws.between(2, 7))})
    wanted = draws.pick(numbers) if chance(draws, 75) else draws.between(0, 40)
    missing = draws.pick(("-1", "None", "low"))
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
    return make(name, f"{xs}, {x}, low, high", lines, f"{numbers}, {wanted}, 0, {len(numbers) - 1}")


def apart(draws: Draws, name: str) -> Shape:
    """A list in two halves."""
    xs = draws.pick(("xs", "nums", "lst", "a"))
    numbers = [draws.between(0, 30) for _ in range(draws.between(1, 5))]
    value, whole = draws.pick(
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
        f"return {whole}",
    ]
    return make(name, xs, lines, repr(numbers))


def spelled(draws: Draws, name: str) -> Shape:
    """A string letter by letter: turned round, counted, changed."""
    s = draws.pick(("s", "text", "word", "t", "w"))
    text = word(draws)[:8] if chance(draws, 60) else letters(draws, 1, 8)
    c, d = repr(draws.pick(text)), repr(draws.pick("abcxyz-_*"))
    head, tail = draws.pick(
        ((f"{s}[0]", f"{s}[1:]"), (f"{s}[0]", f"{s}[1:]"), (f"{s}[-1]", f"{s}[:-1]"))
    )
    inner = f"{name}({tail})"
    value, combine = weighted(
        draws,
        [
            (
                6,
                (
                    "''" if chance(draws, 60) else s,
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
    # All at once: what is put in may itself be the letter C or D.
    put = {"#": head, "C": c, "D": d}
    combine = [re.sub("[#CD]", lambda found: put[found[0]], form) for form in combine]
    rest = in_lines(draws, inner, draws.pick(combine))
    if chance(draws, 40):
        test = draws.pick(
            (
                f"{head} == {c}",
                f"{head} in {letters(draws, 2, 4)!r}",
                f"{head} < {c}",
                f"{head}.isupper()",
            )
        )
        other = draws.pick([inner, draws.pick(combine).replace("@", inner)])
        rest = [f"if {test}:", f"    return {other}", *rest]
    test = draws.pick((f"not {s}", f"{s} == ''", f"len({s}) == 0"))
    return make(name, s, ends(draws, test, value, rest), repr(text))


def palindrome(draws: Draws, name: str) -> Shape:
    """A string from both of its ends."""
    s = draws.pick(("s", "text", "word", "w"))
    half = letters(draws, 1, 3)
    text = word(draws)[:9] if chance(draws, 50) else half + draws.pick(("", "x")) + half[::-1]
    same, inner = f"{s}[0] == {s}[-1]", f"{name}({s}[1:-1])"
    rest = weighted(
        draws,
        [
            (2, in_lines(draws, inner, f"{same} and @")),
            (2, [f"if {s}[0] != {s}[-1]:", "    return False", f"return {inner}"]),
            (1, in_lines(draws, inner, f"({same}) + @")),
            (2, in_lines(draws, inner, f"{s}[-1] + @ + {s}[0]")),
        ],
    )
    value = "True" if "+" not in rest[-1] else "0" if "==" in rest[-1] else s
    return make(
        name,
        s,
        ends(draws, f"len({s}) < 2" if chance(draws, 70) else f"len({s}) <= 1", value, rest),
        repr(text),
    )
