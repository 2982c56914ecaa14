"""Tests of HumanEval-X in C++: `assert (f(1) == 2)`, or `assert (issame(f(1), {2}))`.

`issame` is a function of the test. It compares containers, those of floats with a tolerance.
"""

import re
from collections.abc import Iterator

from worldline.evaluation.benchmarks.stated_call import AssertedExpression, TestSyntax, Tokens
from worldline.languages.cpp.cpp_tokens import tokenize
from worldline.languages.source_tokens import matching_bracket, split_at

_TOLERANCE = re.compile(r"abs\(a\[i\](?:\[j\])?\s*-\s*b\[i\](?:\[j\])?\)\s*>\s*([\d.e-]+)")


def _expressions(test: str) -> Iterator[AssertedExpression]:
    tolerance = _TOLERANCE.search(test)
    tokens = tokenize(test)
    depth = 0
    for index, token in enumerate(tokens[:-1]):
        if token.kind == "mark":
            depth += (token.text == "{") - (token.text == "}")
        if token.text == "assert" and tokens[index + 1].text == "(":
            inside = tokens[index + 2 : matching_bracket(tokens, index + 1)]
            is_same = bool(inside) and inside[0].text == "issame"
            limit = float(tolerance[1]) if tolerance and is_same else None
            yield AssertedExpression(inside, is_nested=depth > 1, tolerance=limit)


def _compared(tokens: Tokens) -> tuple[Tokens, Tokens] | None:
    if tokens[0].text == "issame" and matching_bracket(tokens, 1) == len(tokens) - 1:
        sides = split_at(tokens[2:-1], frozenset(","))
    else:
        sides = split_at(tokens, frozenset(["=="]))
    return (sides[0], sides[1]) if len(sides) == 2 and all(sides) else None


def _unwrapped(tokens: Tokens) -> Tokens:
    return tokens


CPP_TESTS = TestSyntax(
    tokenize,
    re.compile(r"^[A-Za-z_][\w:<>, ]*[\s>](\w+)\([^;]*\)\s*\{", re.MULTILINE),
    _expressions,
    _compared,
    _unwrapped,
)
