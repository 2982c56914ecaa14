"""Tests of HumanEval-X in JavaScript: `console.assert(f(1) === 2)`.

Arrays and objects are compared as `JSON.stringify(f(1)) === JSON.stringify([2])`.
"""

import re
from collections.abc import Iterator

from worldline.evaluation.benchmarks.stated_call import AssertedExpression, TestSyntax, Tokens
from worldline.languages.javascript.javascript_tokens import tokenize
from worldline.languages.source_tokens import matching_bracket, split_at

_EQUALITY = frozenset({"==", "==="})
_JSON = ["JSON", ".", "stringify", "("]


def _expressions(test: str) -> Iterator[AssertedExpression]:
    tokens = tokenize(test)
    depth = 0
    for index, token in enumerate(tokens):
        if token.kind == "mark":
            depth += (token.text == "{") - (token.text == "}")
        if [each.text for each in tokens[index : index + 4]] == ["console", ".", "assert", "("]:
            inside = tokens[index + 4 : matching_bracket(tokens, index + 3)]
            # The second argument is a message.
            expression = split_at(inside, frozenset(","))[0]
            yield AssertedExpression(expression, is_nested=depth > 1)


def _compared(tokens: Tokens) -> tuple[Tokens, Tokens] | None:
    sides = split_at(tokens, _EQUALITY)
    return (sides[0], sides[1]) if len(sides) == 2 and all(sides) else None


def _unwrapped(tokens: Tokens) -> Tokens:
    is_json = [token.text for token in tokens[:4]] == _JSON
    return tokens[4:-1] if is_json and matching_bracket(tokens, 3) == len(tokens) - 1 else tokens


JAVASCRIPT_TESTS = TestSyntax(
    tokenize,
    re.compile(r"^(?:const|let|var|function)\s+(\w+)\s*(?:=\s*)?\(", re.MULTILINE),
    _expressions,
    _compared,
    _unwrapped,
)
