"""Tests of HumanEval-X in Java: a list of booleans, such as `s.f(1) == 2`.

Objects are compared as `s.f(1).equals(List.of(2))` or `Objects.equals(s.f(1), "a")`.
"""

import re
from collections.abc import Iterator

from worldline.evaluation.benchmarks.stated_call import AssertedExpression, TestSyntax, Tokens
from worldline.languages.java.java_source import compared_value
from worldline.languages.java.java_tokens import tokenize
from worldline.languages.source_tokens import matching_bracket, split_at

_THROW = [")", "{", "throw", "new", "AssertionError"]
_EQUALS = ["Objects", ".", "equals", "("]
_LIST = ["correct", "=", "Arrays", ".", "asList", "("]


def _expressions(test: str) -> Iterator[AssertedExpression]:
    tokens = tokenize(test)
    texts = [token.text for token in tokens]
    for index, text in enumerate(texts):
        if texts[index : index + len(_LIST)] == _LIST:
            opening = index + len(_LIST) - 1
            inside = tokens[opening + 1 : matching_bracket(tokens, opening)]
            for expression in split_at(inside, frozenset(",")):
                yield AssertedExpression(_without_receiver(expression))
        elif text == "if" and texts[index + 2] != "correct":
            closing = matching_bracket(tokens, index + 1)
            if texts[closing : closing + len(_THROW)] == _THROW:
                condition = _without_receiver(tokens[index + 2 : closing])
                yield AssertedExpression(condition, is_nested=True)


def _without_receiver(tokens: Tokens) -> Tokens:
    """`s.f(1)` -> `f(1)`, since the entry point is a method of the same class."""
    texts = [token.text for token in tokens]
    return [
        token
        for n, token in enumerate(tokens)
        if texts[n : n + 2] != ["s", "."] and texts[max(0, n - 1) : n + 1] != ["s", "."]
    ]


def _compared(tokens: Tokens) -> tuple[Tokens, Tokens] | None:
    texts = [token.text for token in tokens[:4]]
    if texts == _EQUALS and matching_bracket(tokens, 3) == len(tokens) - 1:
        sides = split_at(tokens[4:-1], frozenset(","))
        return (sides[0], sides[1]) if len(sides) == 2 and all(sides) else None
    return compared_value(tokens)


def _unwrapped(tokens: Tokens) -> Tokens:
    """Tokens without a cast: `(int) f(1)` -> `f(1)`."""
    is_cast = len(tokens) > 3 and tokens[0].text == "(" and tokens[2].text == ")"
    return tokens[3:] if is_cast and tokens[1].kind == "name" else tokens


JAVA_TESTS = TestSyntax(
    tokenize,
    re.compile(r"^    public (?:static )?[\w<>\[\], ]+ (\w+)\(", re.MULTILINE),
    _expressions,
    _compared,
    _unwrapped,
)
