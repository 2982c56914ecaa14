"""Parser of a test's assertions: the calls, and the values that they should return.

def check(candidate):
    assert candidate(1, 2) == 3         -> AssertedCall: add(1, 2) returns 3
    assert True, "good for debugging"   -> UnusableAssertion: it is always True
"""

import ast
from dataclasses import dataclass, replace
from typing import Any

from worldline.analysis.alignment import answers_equal, parse_literal
from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.constant_folding import constant_value

# A value converted by one of these may be a list or a tuple.
_SEQUENCE_CONVERSIONS = ("list", "tuple")
_ABS_FUNCTIONS = ("abs", "math.fabs")


@dataclass(frozen=True, slots=True)
class AssertedCall:
    """A call and the values that an assertion accepts as its result.

    With a `tolerance`, any number that differs from `expected` by less is accepted; with
    `accepts_any_sequence`, a list or a tuple of the expected items; otherwise only `expected`.
    """

    text: str
    call: str
    expected: Any
    tolerance: float | None = None
    accepts_any_sequence: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether only one value is accepted."""
        return self.tolerance is None and not self.accepts_any_sequence


def accepts_answer(asserted: AssertedCall, answer: str) -> bool:
    """Whether an answer, as text, satisfies an assertion.

    f(1) == 0.5, "0.50" -> True; abs(f(1) - 0.5) < 1e-6, "0.5000001" -> True; "half" -> False
    """
    if asserted.is_exact:
        return answers_equal(repr(asserted.expected), answer)
    try:
        value = parse_literal(answer)
        if asserted.tolerance is not None:
            return bool(abs(value - asserted.expected) < asserted.tolerance)
        return isinstance(value, list | tuple) and tuple(value) == tuple(asserted.expected)
    # The answer is not a literal, or not a number.
    except (ValueError, TypeError, OverflowError):
        return False


@dataclass(frozen=True, slots=True)
class UnusableAssertion:
    """An assertion that states no value for a call, and the reason."""

    text: str
    reason: str


def parse_assertions(test: str, function: str) -> list[AssertedCall | UnusableAssertion]:
    """Parse all assertions of a test, in order.

    Args:
        test: Source text of a test with one function `check(candidate)`.
        function: Name of the function that is called in place of `candidate`.

    Raises:
        InputError: The test is not Python, or has not exactly one such function.
    """
    try:
        tree = ast.parse(test)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"the test of {function!r} is not Python: {error}") from None
    match [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        case [ast.FunctionDef(args=ast.arguments(args=[ast.arg(candidate)])) as check]:
            parser = _AssertionParser(test, candidate, function)
        case _:
            raise InputError(
                f"the test of {function!r} must be one function with the tested function as its "
                "parameter: def check(candidate): …"
            )
    nodes = [node for node in ast.walk(check) if isinstance(node, ast.Assert)]
    nodes.sort(key=lambda node: (node.lineno, node.col_offset))
    return [parser.parse(node, nested=node not in check.body) for node in nodes]


@dataclass(frozen=True, slots=True)
class _AssertionParser:
    source: str
    candidate: str
    function: str

    def parse(self, node: ast.Assert, *, nested: bool) -> AssertedCall | UnusableAssertion:
        text = ast.get_source_segment(self.source, node) or ast.unparse(node)
        reason = self._unusable_reason(node.test, nested)
        if reason is not None:
            return UnusableAssertion(text, reason)
        try:
            asserted = self._asserted_call(node.test)
        # The value is not a constant, or the tolerance is not a number.
        except (ValueError, TypeError, OverflowError):
            asserted = None
        if asserted is None:
            return UnusableAssertion(text, "it does not say which value is right")
        return replace(asserted, text=text)

    def _unusable_reason(self, test: ast.expr, nested: bool) -> str | None:
        """Why the assertion cannot state a value; None if it may."""
        match test:
            # An assertion and its message in parentheses are a tuple.
            case ast.Constant(value) | ast.Tuple([value, *_]):
                return f"it is always {bool(value)}"
        if nested:
            return "it stands in a loop or a branch: only running the test would tell its values"
        calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
        calls = [node for node in calls if self._is_call(node)]
        names = _names(test)
        if not calls:
            return "it does not call the function"
        if len(calls) > 1 or self.function in names:
            return "it compares two calls, and names no value"
        names -= {self.candidate, "math", *_SEQUENCE_CONVERSIONS, *_ABS_FUNCTIONS}
        names |= _names(*calls[0].args, *calls[0].keywords)
        if names:
            return f"its values have names that only the test knows: {', '.join(sorted(names))}"
        return None

    def _is_call(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and _dotted_name(node.func) == self.candidate

    def _asserted_call(self, test: ast.expr) -> AssertedCall | None:
        match test:
            case ast.Call() if self._is_call(test):
                return self._make(test, True)
            case ast.UnaryOp(ast.Not(), ast.Call() as call) if self._is_call(call):
                return self._make(call, False)
            case ast.Compare(left, [ast.Eq() | ast.Is()], [right]):
                return self._match_sides(left, right) or self._match_sides(right, left)
            case ast.Compare(
                ast.Call(distance, [ast.BinOp(left, ast.Sub(), right)], []), [ast.Lt()], [limit]
            ) if _dotted_name(distance) in _ABS_FUNCTIONS:
                asserted = self._match_sides(left, right) or self._match_sides(right, left)
                return asserted and replace(asserted, tolerance=float(constant_value(limit)))
        return None

    def _match_sides(self, side: ast.expr, other: ast.expr) -> AssertedCall | None:
        """Read a comparison with the call on one side and the value on the other."""
        if self._is_call(side):
            return self._make(side, constant_value(other))
        match side:
            case ast.Call(ast.Name(conversion), [inner], []) if conversion in _SEQUENCE_CONVERSIONS:
                match other:
                    case ast.Call(ast.Name(name), [items], []) if name == conversion:
                        other = items
                asserted = self._match_sides(inner, other)
                return asserted and replace(asserted, accepts_any_sequence=True)
        return None

    def _make(self, call: ast.expr, expected: object) -> AssertedCall:
        text = _one_line(self.source, call)
        if not text.startswith(self.candidate):
            # The name is in parentheses.
            text = ast.unparse(call)
        return AssertedCall("", f"{self.function}{text.removeprefix(self.candidate)}", expected)


def _names(*nodes: ast.AST) -> set[str]:
    return {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _dotted_name(node: ast.expr) -> str | None:
    """`abs` -> "abs"; `math.fabs` -> "math.fabs" """
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(ast.Name(module), name):
            return f"{module}.{name}"
    return None


def _one_line(source: str, node: ast.expr) -> str:
    """Source text of an expression, on one line: a trace shows one line of a call."""
    text = ast.get_source_segment(source, node) or ast.unparse(node)
    joined = " ".join(line.strip() for line in text.split("\n"))
    try:
        is_same = ast.dump(ast.parse(joined, mode="eval").body) == ast.dump(node)
    except SyntaxError:
        is_same = False
    return joined if is_same else ast.unparse(node)
