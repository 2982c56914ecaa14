"""Recursive functions that call themselves with a smaller number.

The base case, the step and the way to combine the results are chosen at random. In templates of
return values, "@" stands for the recursive call.
"""

from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.identifiers import chance, small_int, weighted_choice
from worldline.data.generation.levels.recursive_function import (
    RecursiveFunction,
    make_function,
    return_lines,
    with_base_case,
)


def number_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Combine a number with the result for a smaller one: `n * f(n - 1)`."""
    n = rng.pick(("n", "x", "k", "m", "num", "i"))
    k = rng.between(2, 9)
    step = rng.pick((1, 1, 1, 2, 3))
    templates = [
        f"{n} + @",
        f"@ + {n}",
        f"{n} * @",
        f"@ + {k}",
        f"@ * {rng.between(2, 3)} + {n}",
        f"{n} - @",
        f"@ - {k}",
        f"{n} * {k} + @",
        f"{n} % {k} + @",
        f"max({n} % {k}, @)",
        f"{n} * {n} + @",
        f"-@ + {n}",
        f"(@ + {n}) % {rng.between(5, 30)}",
    ]
    recursive_call = f"{name}({n} - {step})"
    rest = return_lines(rng, recursive_call, rng.pick(templates))
    if chance(rng, 30):
        condition = rng.pick(
            (f"{n} % 2 == 0", f"{n} % 3 == 0", f"{n} > {rng.between(2, 5)}", f"{n} % 2")
        )
        rest = [
            f"if {condition}:",
            *(f"    {x}" for x in return_lines(rng, recursive_call, rng.pick(templates))),
            *rest,
        ]
    condition = rng.pick(
        (f"{n} <= 0", f"{n} < 1", f"{n} <= 1", f"{n} < 2", f"{n} <= {rng.between(0, 2)}")
    )
    value = rng.pick(("0", "1", "1", n, str(small_int(rng))))
    return make_function(
        name, n, with_base_case(rng, condition, value, rest), str(rng.between(1, 8))
    )


def two_calls(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Call itself twice, as for the Fibonacci numbers."""
    n = rng.pick(("n", "x", "k", "i"))
    far = rng.pick((2, 2, 2, 3))
    op = rng.pick(("+", "+", "+", "-"))
    one = rng.pick(("", "", "2 * ", "3 * "))
    more = rng.pick(("", "", "", f" + {n}", f" + {rng.between(1, 9)}"))
    a, b = f"{name}({n} - 1)", f"{name}({n} - {far})"
    rest = weighted_choice(
        rng,
        [
            (5, [f"return {one}{a} {op} {b}{more}"]),
            (2, [f"a = {a}", f"b = {b}", f"return {one}a {op} b{more}"]),
            (1, [f"return max({a}, {b}) + {n}"]),
        ],
    )
    value = rng.pick((n, "1", "1", str(rng.between(0, 5))))
    lines = with_base_case(
        rng, f"{n} < {far}" if chance(rng, 60) else f"{n} <= {far - 1}", value, rest
    )
    return make_function(name, n, lines, str(rng.between(1, 5)))


def gcd_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Euclid's algorithm, with remainders or differences, and variants that count its steps."""
    a, b = rng.pick((("a", "b"), ("x", "y"), ("m", "n"), ("p", "q")))
    one, other = rng.between(1, 99), rng.between(1, 60)
    if chance(rng, 30):
        unit = rng.between(1, 9)
        one, other = (rng.between(1, 5) * unit for _ in range(2))
        lines = [
            f"if {a} == {b}:",
            f"    return {a}",
            f"if {a} > {b}:",
            f"    return {name}({a} - {b}, {b})",
            f"return {name}({a}, {b} - {a})",
        ]
        return make_function(name, f"{a}, {b}", lines, f"{one}, {other}")
    value, template = rng.pick(
        ((a, "@"), (a, "@"), ("0", "@ + 1"), ("[]", f"[{a}] + @"), ("0", f"@ + {a} // {b}"))
    )
    lines = with_base_case(
        rng,
        f"{b} == 0" if chance(rng, 60) else f"not {b}",
        value,
        return_lines(rng, f"{name}({b}, {a} % {b})", template),
    )
    return make_function(name, f"{a}, {b}", lines, f"{one}, {other}")


def countdown_to_sequence(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Build a list or a string while a number is counted down."""
    n = rng.pick(("n", "k", "m", "count"))
    step = rng.pick((1, 1, 2))
    k = rng.between(2, 9)
    recursive_call = f"{name}({n} - {step})"
    letter = rng.pick("abcxyz-*")
    value, templates = rng.pick(
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
    rest = return_lines(rng, recursive_call, rng.pick(templates))
    condition = rng.pick((f"{n} <= 0", f"{n} < 1", f"{n} <= {rng.between(0, 1)}"))
    return make_function(
        name, n, with_base_case(rng, condition, value, rest), str(rng.between(1, 6))
    )


def power_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Compute a power or a product, one factor at a time or by halving."""
    b, e = rng.pick((("b", "e"), ("x", "n"), ("base", "exp"), ("a", "k")))
    is_product = chance(rng, 40)
    zero, op = ("0", "+") if is_product else ("1", "*")
    if chance(rng, 50):
        lines = with_base_case(
            rng, f"{e} == 0", zero, return_lines(rng, f"{name}({b}, {e} - 1)", f"{b} {op} @")
        )
    else:
        half = rng.pick(("half", "h", "part", "r"))
        rest = [
            f"{half} = {name}({b}, {e} // 2)",
            f"if {e} % 2 == 0:",
            f"    return {half} {op} {half}",
            f"return {half} {op} {half} {op} {b}",
        ]
        lines = with_base_case(rng, f"{e} == 0", zero, rest)
    base = rng.between(-9, 30) if is_product else rng.pick((2, 2, 3, 3, 4, 5, 10, -2, 1))
    return make_function(
        name, f"{b}, {e}", lines, f"{base}, {rng.between(0, 7 if is_product else 5)}"
    )


def accumulator_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Pass the intermediate result as an argument."""
    n, acc = rng.pick((("n", "acc"), ("x", "total"), ("k", "result"), ("m", "out")))
    k = rng.between(2, 9)
    start, more = weighted_choice(
        rng,
        [
            (
                5,
                (
                    str(rng.between(0, 3)),
                    [
                        f"{acc} + {n}",
                        f"{acc} * {rng.between(2, 3)}",
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
                    [f"{acc} + str({n})", f"str({n}) + {acc}", f"{acc} + {rng.pick('abxy-')!r}"],
                ),
            ),
            (2, ("()", [f"{acc} + ({n},)", f"({n},) + {acc}", f"{acc} + ({n} % {k},)"])),
        ],
    )
    step = rng.pick((f"{n} - 1", f"{n} - 1", f"{n} - 2", f"{n} // 2"))
    first, value = rng.pick(more), acc if chance(rng, 75) else f"({acc}, {n})"
    rest = [f"return {name}({step}, {first})"]
    if chance(rng, 35):
        rest = [
            f"if {n} % {rng.pick((2, 2, 3))} == 0:",
            f"    return {name}({step}, {rng.pick(more)})",
            *rest,
        ]
    lines = with_base_case(rng, rng.pick((f"{n} <= 0", f"{n} < 1", f"{n} <= 1")), value, rest)
    has_default = chance(rng, 50)
    call = f"{rng.between(1, 7)}" + ("" if has_default else f", {start}")
    return make_function(name, f"{n}, {acc}={start}" if has_default else f"{n}, {acc}", lines, call)


def digit_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Process a number digit by digit."""
    n = rng.pick(("n", "x", "num", "k"))
    divisor = rng.pick((10, 10, 10, 2, 3))
    template = rng.pick(
        (
            f"{n} % {divisor} + @",
            f"@ + {n} % {divisor}",
            "1 + @",
            f"max({n} % {divisor}, @)",
            f"@ - {n} % {divisor}",
            f"@ * ({n} % {divisor} + 1)",
        )
    )
    lines = with_base_case(
        rng,
        f"{n} < {divisor}",
        rng.pick((n, n, "1")),
        return_lines(rng, f"{name}({n} // {divisor})", template),
    )
    return make_function(name, n, lines, str(rng.between(0, 9999 if divisor == 10 else 60)))


def base_conversion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Convert a number to a different base, as a string or a list."""
    n = rng.pick(("n", "x", "num", "value"))
    divisor = rng.pick((2, 2, 2, 3, 4, 8))
    value, template = rng.pick(
        (
            ("''", f"@ + str({n} % {divisor})"),
            ("''", f"str({n} % {divisor}) + @"),
            ("[]", f"@ + [{n} % {divisor}]"),
            ("[]", f"[{n} % {divisor}] + @"),
        )
    )
    lines = with_base_case(
        rng,
        rng.pick((f"{n} == 0", f"{n} <= 0", f"not {n}")),
        value,
        return_lines(rng, f"{name}({n} // {divisor})", template),
    )
    return make_function(name, n, lines, str(rng.between(0, 70)))


def mutual_recursion(rng: SeededRandom, name: str) -> RecursiveFunction:
    """Two functions that call each other."""
    other = rng.pick(("odd", "back", "other", "down", "h"))
    n = rng.pick(("n", "x", "k"))
    value, one, two = rng.pick(
        (
            (("True", "False"), "@", "@"),
            (("0", "1"), f"@ + {rng.between(1, 5)}", f"@ + {n}"),
            (("''", "'.'"), f"{rng.pick('abxy')!r} + @", f"@ + {rng.pick('abxy')!r}"),
            (("[]", "[0]"), f"[{n}] + @", "@"),
        )
    )
    step = rng.pick((1, 1, 2))
    second = with_base_case(rng, f"{n} <= 0", value[1], return_lines(rng, f"{name}({n} - 1)", two))
    first = with_base_case(
        rng, f"{n} <= 0", value[0], return_lines(rng, f"{other}({n} - {step})", one)
    )
    below = make_function(other, n, second, "")
    above = make_function(name, n, first, str(rng.between(0, 6)))
    return RecursiveFunction(f"{below.source}\n{above.source}", above.call)
