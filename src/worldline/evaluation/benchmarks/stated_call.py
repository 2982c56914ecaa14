"""Assertions of a test in a language without a parser: the calls, and the values they state.

A language has a `TestSyntax`: where its asserted expressions are, and how two sides are compared.
The rest is the same for all: `f(1) == 2` states 2, `!f(1)` states false, and
`abs(f(1) - 0.5) < 1e-6` states 0.5 with a tolerance.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from worldline.core.language import ValueSyntax
from worldline.evaluation.benchmarks.assertion_parser import UnusableAssertion
from worldline.languages.source_tokens import Token, matching_bracket

_NEGATIONS = frozenset({"!", "not"})
_ABS_FUNCTIONS = frozenset({"abs", "fabs"})
_DECLARING_MARKS = frozenset({"=", ":="})

Tokens = Sequence[Token]


@dataclass(frozen=True, slots=True)
class AssertedExpression:
    """The tokens of an asserted expression.

    Attributes:
        tokens: The expression.
        is_nested: Whether it is in a loop or a branch of the test.
        tolerance: The tolerance with which the test's own function compares.
    """

    tokens: Tokens
    is_nested: bool = False
    tolerance: float | None = None


@dataclass(frozen=True, slots=True)
class TestSyntax:
    """What is different in the tests of each language.

    Attributes:
        tokenize: The tokens of a text.
        function: Matches the names of functions in a declaration.
        expressions: The asserted expressions of a test.
        compared: Both sides of a comparison; None if an expression is not one.
        unwrapped: A side without what does not change its value, such as casts.
    """

    # Not a test, for pytest.
    __test__ = False

    tokenize: Callable[[str], tuple[Token, ...]]
    function: re.Pattern[str]
    expressions: Callable[[str], Iterator[AssertedExpression]]
    compared: Callable[[Tokens], tuple[Tokens, Tokens] | None]
    unwrapped: Callable[[Tokens], Tokens]


@dataclass(frozen=True, slots=True)
class StatedCall:
    """A call and the value that an assertion states for it, as text.

    With a `tolerance`, numbers that differ by less are accepted, in lists, too.
    """

    text: str
    call: str
    expected: str
    tolerance: float | None = None


def parse_stated_calls(
    test: str, function: str, syntax: TestSyntax, values: ValueSyntax
) -> list[StatedCall | UnusableAssertion]:
    """Parse the assertions of a test, in order.

    Args:
        test: The text of the test.
        function: The name of the tested function.
        syntax: The syntax of tests in its language.
        values: The syntax of values in its language.
    """
    parser = _StatedCallParser(test, function, syntax, values, _declared_names(test, syntax))
    return [parser.parse(each) for each in syntax.expressions(test) if each.tokens]


def is_close(expected: Any, answer: Any, tolerance: float) -> bool:
    """Whether two numbers, or all numbers of two lists, differ by less than a tolerance.

    [0.5, 1], [0.50001, 1], 1e-4 -> True; [0.5], [0.5, 1], 1e-4 -> False
    """
    if isinstance(expected, list | tuple):
        return (
            isinstance(answer, list | tuple)
            and len(expected) == len(answer)
            and all(is_close(a, b, tolerance) for a, b in zip(expected, answer, strict=True))
        )
    if isinstance(expected, bool) or not isinstance(expected, int | float):
        return bool(expected == answer)
    is_number = isinstance(answer, int | float) and not isinstance(answer, bool)
    return is_number and abs(expected - answer) < tolerance


def one_line(text: str, tokens: Tokens) -> str:
    """The text of tokens on one line: a trace shows one line of a call."""
    parts = [tokens[0].text]
    for before, token in pairwise(tokens):
        gap = text[before.end : token.start]
        is_kept = gap.isspace() and "\n" not in gap
        parts.append(gap if is_kept else " " if any(map(str.isspace, gap)) else "")
        parts.append(token.text)
    return "".join(parts)


def bare(tokens: Tokens) -> Tokens:
    """Tokens without parentheses around all of them."""
    while tokens and tokens[0].text == "(" and matching_bracket(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _declared_names(test: str, syntax: TestSyntax) -> frozenset[str]:
    tokens = syntax.tokenize(test)
    pairs = pairwise(tokens)
    return frozenset(a.text for a, b in pairs if a.kind == "name" and b.text in _DECLARING_MARKS)


@dataclass(frozen=True, slots=True)
class _StatedCallParser:
    test: str
    function: str
    syntax: TestSyntax
    values: ValueSyntax
    declared: frozenset[str]

    def parse(self, asserted: AssertedExpression) -> StatedCall | UnusableAssertion:
        text = one_line(self.test, asserted.tokens)
        reason = self._unusable_reason(asserted)
        if reason is not None:
            return UnusableAssertion(text, reason)
        stated = self._stated_call(bare(asserted.tokens))
        if stated is None:
            return UnusableAssertion(text, "it is not a plain comparison of the call with a value")
        try:
            self.values.parse_literal(stated.expected)
        except ValueError:
            return UnusableAssertion(text, "its value is not a literal")
        if stated.tolerance is None:
            stated = replace(stated, tolerance=asserted.tolerance)
        return replace(stated, text=text)

    def _unusable_reason(self, asserted: AssertedExpression) -> str | None:
        names = {token.text for token in asserted.tokens if token.kind == "name"}
        calls = sum(token.text == self.function for token in asserted.tokens)
        if asserted.is_nested:
            return "it stands in a loop or a branch"
        if not calls:
            return "it does not call the function"
        if calls > 1:
            return "it compares two calls, and names no value"
        if names & self.declared:
            return "its values have names that only the test knows"
        return None

    def _stated_call(self, tokens: Tokens) -> StatedCall | None:
        near = self._tolerated(tokens)
        if near is not None:
            return near
        sides = self.syntax.compared(tokens)
        if sides is None:
            is_negated = tokens[0].text in _NEGATIONS
            call = self._call(tokens[1:] if is_negated else tokens)
            stated = "false" if is_negated else "true"
            return None if call is None else StatedCall("", call, stated)
        for side, other in (sides, sides[::-1]):
            call, value = self._call(side), self.syntax.unwrapped(other)
            if call is not None and value:
                return StatedCall("", call, one_line(self.test, bare(value)))
        return None

    def _call(self, side: Tokens) -> str | None:
        """The text of a side that is the call, or methods of its result without arguments."""
        tokens = self.syntax.unwrapped(bare(side))
        end = self._call_end(tokens)
        if end is None:
            return None
        rest = [token.text for token in tokens[end:]]
        is_chain = len(rest) % 4 == 0 and rest[0::4] == ["."] * (len(rest) // 4)
        is_chain = is_chain and rest[2::4] == ["("] * (len(rest) // 4) == ["("] * len(rest[3::4])
        return one_line(self.test, tokens) if is_chain else None

    def _call_end(self, tokens: Tokens) -> int | None:
        """The index after a call of the function at the start of tokens; None if it is none."""
        if len(tokens) < 3 or tokens[0].text != self.function or tokens[1].text != "(":
            return None
        return matching_bracket(tokens, 1) + 1

    def _tolerated(self, tokens: Tokens) -> StatedCall | None:
        """Read `abs(f(1) - 2) < 0.1`, also with `+ 2` for the value -2."""
        opening = next((n for n, token in enumerate(tokens) if token.text == "("), 0)
        if opening == 0 or tokens[opening - 1].text not in _ABS_FUNCTIONS:
            return None
        closing = matching_bracket(tokens, opening)
        inside = self.syntax.unwrapped(tokens[opening + 1 : closing])
        end = self._call_end(inside)
        after = tokens[closing + 1 :]
        if end is None or len(after) != 2 or after[0].text != "<" or after[1].kind != "number":
            return None
        value, call = [token.text for token in inside[end:]], one_line(self.test, inside[:end])
        if len(value) < 2 or value[0] not in "+-" or (value[0] == "+" and len(value) > 2):
            return None
        expected = f"-{value[1]}" if value[0] == "+" else "".join(value[1:])
        return StatedCall("", call, expected, float(after[1].text))
