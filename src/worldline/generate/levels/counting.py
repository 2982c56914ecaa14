"""Choices and a name go in; a function comes out that calls itself with a smaller number.

Each has its own test for the end, its own step and its own way to put the parts together, drawn
anew every time.
"""

from worldline.benchmarks.draws import Draws
from worldline.generate.levels.shapes import Shape, ends, in_lines, make
from worldline.generate.words import chance, small_int, weighted


def fold_number(draws: Draws, name: str) -> Shape:
    """n * f(n - 1) and its like."""
    n = draws.pick(("n", "x", "k", "m", "num", "i"))
    k = draws.between(2, 9)
    step = draws.pick((1, 1, 1, 2, 3))
    combine = [
        f"{n} + @",
        f"@ + {n}",
        f"{n} * @",
        f"@ + {k}",
        f"@ * {draws.between(2, 3)} + {n}",
        f"{n} - @",
        f"@ - {k}",
        f"{n} * {k} + @",
        f"{n} % {k} + @",
        f"max({n} % {k}, @)",
        f"{n} * {n} + @",
        f"-@ + {n}",
        f"(@ + {n}) % {draws.between(5, 30)}",
    ]
    inner = f"{name}({n} - {step})"
    rest = in_lines(draws, inner, draws.pick(combine))
    if chance(draws, 30):
        test = draws.pick(
            (f"{n} % 2 == 0", f"{n} % 3 == 0", f"{n} > {draws.between(2, 5)}", f"{n} % 2")
        )
        rest = [
            f"if {test}:",
            *(f"    {x}" for x in in_lines(draws, inner, draws.pick(combine))),
            *rest,
        ]
    test = draws.pick(
        (f"{n} <= 0", f"{n} < 1", f"{n} <= 1", f"{n} < 2", f"{n} <= {draws.between(0, 2)}")
    )
    value = draws.pick(("0", "1", "1", n, str(small_int(draws))))
    return make(name, n, ends(draws, test, value, rest), str(draws.between(1, 8)))


def double(draws: Draws, name: str) -> Shape:
    """Two calls of itself, as in Fibonacci's numbers."""
    n = draws.pick(("n", "x", "k", "i"))
    far = draws.pick((2, 2, 2, 3))
    op = draws.pick(("+", "+", "+", "-"))
    one = draws.pick(("", "", "2 * ", "3 * "))
    more = draws.pick(("", "", "", f" + {n}", f" + {draws.between(1, 9)}"))
    a, b = f"{name}({n} - 1)", f"{name}({n} - {far})"
    rest = weighted(
        draws,
        [
            (5, [f"return {one}{a} {op} {b}{more}"]),
            (2, [f"a = {a}", f"b = {b}", f"return {one}a {op} b{more}"]),
            (1, [f"return max({a}, {b}) + {n}"]),
        ],
    )
    value = draws.pick((n, "1", "1", str(draws.between(0, 5))))
    lines = ends(draws, f"{n} < {far}" if chance(draws, 60) else f"{n} <= {far - 1}", value, rest)
    return make(name, n, lines, str(draws.between(1, 5)))


def gcd(draws: Draws, name: str) -> Shape:
    """Euclid's algorithm, by remainders or by differences, and what else can be counted in it."""
    a, b = draws.pick((("a", "b"), ("x", "y"), ("m", "n"), ("p", "q")))
    one, other = draws.between(1, 99), draws.between(1, 60)
    if chance(draws, 30):
        unit = draws.between(1, 9)
        one, other = (draws.between(1, 5) * unit for _ in range(2))
        lines = [
            f"if {a} == {b}:",
            f"    return {a}",
            f"if {a} > {b}:",
            f"    return {name}({a} - {b}, {b})",
            f"return {name}({a}, {b} - {a})",
        ]
        return make(name, f"{a}, {b}", lines, f"{one}, {other}")
    value, whole = draws.pick(
        ((a, "@"), (a, "@"), ("0", "@ + 1"), ("[]", f"[{a}] + @"), ("0", f"@ + {a} // {b}"))
    )
    lines = ends(
        draws,
        f"{b} == 0" if chance(draws, 60) else f"not {b}",
        value,
        in_lines(draws, f"{name}({b}, {a} % {b})", whole),
    )
    return make(name, f"{a}, {b}", lines, f"{one}, {other}")


def building(draws: Draws, name: str) -> Shape:
    """A list or a string that grows while a number is counted down."""
    n = draws.pick(("n", "k", "m", "count"))
    step = draws.pick((1, 1, 2))
    k = draws.between(2, 9)
    inner = f"{name}({n} - {step})"
    letter = draws.pick("abcxyz-*")
    value, combine = draws.pick(
        (
            (
                "[]",
                [
                    f"[{n}] + @",
                    f"@ + [{n}]",
                    f"[{n} * {k}] + @",
                    f"@ + [{n} % {k}]",
                    f"[{n}] + @ + [{n}]",
                    f"@ + [{n} * {n}]",
                ],
            ),
            (
                "''",
                [
                    f"str({n}) + @",
                    f"@ + str({n})",
                    f"'{letter}' + @",
                    f"@ + '{letter}' * {n}",
                    f"'{letter}' + @ + str({n})",
                ],
            ),
            (f"[{k}]", [f"[{n}] + @", f"@ + [@[-1] + {n}]", f"@ + [{n} - {k}]", "[@[0] * 2] + @"]),
        )
    )
    rest = in_lines(draws, inner, draws.pick(combine))
    test = draws.pick((f"{n} <= 0", f"{n} < 1", f"{n} <= {draws.between(0, 1)}"))
    return make(name, n, ends(draws, test, value, rest), str(draws.between(1, 6)))


def power(draws: Draws, name: str) -> Shape:
    """Powers and products, by one factor at a time or by halves."""
    b, e = draws.pick((("b", "e"), ("x", "n"), ("base", "exp"), ("a", "k")))
    is_product = chance(draws, 40)
    zero, op = ("0", "+") if is_product else ("1", "*")
    if chance(draws, 50):
        lines = ends(
            draws, f"{e} == 0", zero, in_lines(draws, f"{name}({b}, {e} - 1)", f"{b} {op} @")
        )
    else:
        half = draws.pick(("half", "h", "part", "r"))
        rest = [
            f"{half} = {name}({b}, {e} // 2)",
            f"if {e} % 2 == 0:",
            f"    return {half} {op} {half}",
            f"return {half} {op} {half} {op} {b}",
        ]
        lines = ends(draws, f"{e} == 0", zero, rest)
    base = draws.between(-9, 30) if is_product else draws.pick((2, 2, 3, 3, 4, 5, 10, -2, 1))
    return make(name, f"{b}, {e}", lines, f"{base}, {draws.between(0, 7 if is_product else 5)}")


def gathering(draws: Draws, name: str) -> Shape:
    """What was found so far goes along as an argument."""
    n, acc = draws.pick((("n", "acc"), ("x", "total"), ("k", "result"), ("m", "out")))
    k = draws.between(2, 9)
    start, more = weighted(
        draws,
        [
            (
                5,
                (
                    str(draws.between(0, 3)),
                    [
                        f"{acc} + {n}",
                        f"{acc} * {draws.between(2, 3)}",
                        f"{acc} + {k}",
                        f"{n} - {acc}",
                        f"{acc} + {n} % {k}",
                        f"{acc} * 2 + {n}",
                    ],
                ),
            ),
            (
                2,
                (
                    "''",
                    [f"{acc} + str({n})", f"str({n}) + {acc}", f"{acc} + {draws.pick('abxy-')!r}"],
                ),
            ),
            (2, ("()", [f"{acc} + ({n},)", f"({n},) + {acc}", f"{acc} + ({n} % {k},)"])),
        ],
    )
    step = draws.pick((f"{n} - 1", f"{n} - 1", f"{n} - 2", f"{n} // 2"))
    first, value = draws.pick(more), acc if chance(draws, 75) else f"({acc}, {n})"
    rest = [f"return {name}({step}, {first})"]
    if chance(draws, 35):
        rest = [
            f"if {n} % {draws.pick((2, 2, 3))} == 0:",
            f"    return {name}({step}, {draws.pick(more)})",
            *rest,
        ]
    lines = ends(draws, draws.pick((f"{n} <= 0", f"{n} < 1", f"{n} <= 1")), value, rest)
    has_default = chance(draws, 50)
    call = f"{draws.between(1, 7)}" + ("" if has_default else f", {start}")
    return make(name, f"{n}, {acc}={start}" if has_default else f"{n}, {acc}", lines, call)


def digits(draws: Draws, name: str) -> Shape:
    """A number digit by digit."""
    n = draws.pick(("n", "x", "num", "k"))
    by = draws.pick((10, 10, 10, 2, 3))
    whole = draws.pick(
        (
            f"{n} % {by} + @",
            f"@ + {n} % {by}",
            "1 + @",
            f"max({n} % {by}, @)",
            f"@ - {n} % {by}",
            f"@ * ({n} % {by} + 1)",
        )
    )
    lines = ends(
        draws,
        f"{n} < {by}",
        draws.pick((n, n, "1")),
        in_lines(draws, f"{name}({n} // {by})", whole),
    )
    return make(name, n, lines, str(draws.between(0, 9999 if by == 10 else 60)))


def binary(draws: Draws, name: str) -> Shape:
    """A number in another base, as text or as a list."""
    n = draws.pick(("n", "x", "num", "value"))
    by = draws.pick((2, 2, 2, 3, 4, 8))
    value, whole = draws.pick(
        (
            ("''", f"@ + str({n} % {by})"),
            ("''", f"str({n} % {by}) + @"),
            ("[]", f"@ + [{n} % {by}]"),
            ("[]", f"[{n} % {by}] + @"),
        )
    )
    lines = ends(
        draws,
        draws.pick((f"{n} == 0", f"{n} <= 0", f"not {n}")),
        value,
        in_lines(draws, f"{name}({n} // {by})", whole),
    )
    return make(name, n, lines, str(draws.between(0, 70)))


def mutual(draws: Draws, name: str) -> Shape:
    """Two functions that call each other."""
    other = draws.pick(("odd", "back", "other", "down", "h"))
    n = draws.pick(("n", "x", "k"))
    value, one, two = draws.pick(
        (
            (("True", "False"), "@", "@"),
            (("0", "1"), f"@ + {draws.between(1, 5)}", f"@ + {n}"),
            (("''", "'.'"), f"{draws.pick('abxy')!r} + @", f"@ + {draws.pick('abxy')!r}"),
            (("[]", "[0]"), f"[{n}] + @", "@"),
        )
    )
    step = draws.pick((1, 1, 2))
    second = ends(draws, f"{n} <= 0", value[1], in_lines(draws, f"{name}({n} - 1)", two))
    first = ends(draws, f"{n} <= 0", value[0], in_lines(draws, f"{other}({n} - {step})", one))
    below = make(other, n, second, "")
    above = make(name, n, first, str(draws.between(0, 6)))
    return Shape(f"{below.source}\n{above.source}", above.call)
