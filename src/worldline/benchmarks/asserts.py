"""The text of a test goes in; the calls in its assertions and what they return come out.

def check(candidate):
    assert candidate(1, 2) == 3         -> a case: add(1, 2) is 3
    assert True, "good for debugging"   -> unusable: it is always True
"""

import ast
from dataclasses import dataclass, replace
from typing import Any

from worldline.benchmarks.constants import constant_value
from worldline.errors import InputError

# Asked of a value before it is compared: whether it is a list or a tuple is then all the same.
_AS_SEQUENCE = ("list", "tuple")
_DISTANCE = ("abs", "math.fabs")


@dataclass(frozen=True, slots=True)
class Case:
    """A call, the value that an assertion says it has, and what else it takes for that value.

    `tolerance`: any number that is closer than this. `is_sequence`: any list or tuple of the items.
    """

    text: str
    call: str
    expected: Any
    tolerance: float | None = None
    is_sequence: bool = False

    @property
    def is_exact(self) -> bool:
        """Whether no other value is right."""
        return self.tolerance is None and not self.is_sequence


@dataclass(frozen=True, slots=True)
class Unusable:
    """An assertion that names no value for a call, and why."""

    text: str
    reason: str


def read_asserts(test: str, function: str) -> list[Case | Unusable]:
    """All assertions of a test's `check(candidate)`, in their order; `function` is the name that
    is called for `candidate`."""
    try:
        tree = ast.parse(test)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InputError(f"the test of {function!r} is not Python: {error}") from None
    match [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        case [ast.FunctionDef(args=ast.arguments(args=[ast.arg(candidate)])) as check]:
            reader = _Reader(test, candidate, function)
        case _:
            raise InputError(
                f"the test of {function!r} must be one function that is given what it tests: "
                "def check(candidate): …"
            )
    found = [node for node in ast.walk(check) if isinstance(node, ast.Assert)]
    found.sort(key=lambda node: (node.lineno, node.col_offset))
    return [reader.read(node, is_nested=node not in check.body) for node in found]


@dataclass(frozen=True, slots=True)
class _Reader:
    source: str
    candidate: str
    function: str

    def read(self, node: ast.Assert, *, is_nested: bool) -> Case | Unusable:
        text = ast.get_source_segment(self.source, node) or ast.unparse(node)
        reason = self._reason(node.test, is_nested)
        if reason is not None:
            return Unusable(text, reason)
        try:
            case = self._case(node.test)
        # No constant, or a tolerance that is no number.
        except (ValueError, TypeError, OverflowError):
            case = None
        if case is None:
            return Unusable(text, "it does not say which value is right")
        return replace(case, text=text)

    def _reason(self, test: ast.expr, is_nested: bool) -> str | None:
        """Why there is no use looking for a value; none where there is."""
        match test:
            # What stands in brackets with its message is a tuple.
            case ast.Constant(value) | ast.Tuple([value, *_]):
                return f"it is always {bool(value)}"
        if is_nested:
            return "it stands in a loop or a branch: only running the test would tell its values"
        calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
        calls = [node for node in calls if self._is_call(node)]
        names = _names(test)
        if not calls:
            return "it does not call the function"
        if len(calls) > 1 or self.function in names:
            return "it compares two calls, and names no value"
        names -= {self.candidate, "math", *_AS_SEQUENCE, *_DISTANCE}
        names |= _names(*calls[0].args, *calls[0].keywords)
        if names:
            return f"its values have names that only the test knows: {', '.join(sorted(names))}"
        return None

    def _is_call(self, node: ast.AST) -> bool:
        return isinstance(node, ast.Call) and _name(node.func) == self.candidate

    def _case(self, test: ast.expr) -> Case | None:
        match test:
            case ast.Call() if self._is_call(test):
                return self._made(test, True)
            case ast.UnaryOp(ast.Not(), ast.Call() as call) if self._is_call(call):
                return self._made(call, False)
            case ast.Compare(left, [ast.Eq() | ast.Is()], [right]):
                return self._equal(left, right) or self._equal(right, left)
            case ast.Compare(
                ast.Call(distance, [ast.BinOp(left, ast.Sub(), right)], []), [ast.Lt()], [within]
            ) if _name(distance) in _DISTANCE:
                case = self._equal(left, right) or self._equal(right, left)
                return case and replace(case, tolerance=float(constant_value(within)))
        return None

    def _equal(self, side: ast.expr, other: ast.expr) -> Case | None:
        """The case that says that a call, on one side, is a value, on the other."""
        if self._is_call(side):
            return self._made(side, constant_value(other))
        match side:
            case ast.Call(ast.Name(made), [inner], []) if made in _AS_SEQUENCE:
                match other:
                    case ast.Call(ast.Name(name), [items], []) if name == made:
                        other = items
                case = self._equal(inner, other)
                return case and replace(case, is_sequence=True)
        return None

    def _made(self, call: ast.expr, expected: object) -> Case:
        written = _one_line(self.source, call)
        if not written.startswith(self.candidate):
            # It stands in brackets.
            written = ast.unparse(call)
        return Case("", f"{self.function}{written.removeprefix(self.candidate)}", expected)


def _names(*nodes: ast.AST) -> set[str]:
    return {inner.id for node in nodes for inner in ast.walk(node) if isinstance(inner, ast.Name)}


def _name(node: ast.expr) -> str | None:
    """`abs` -> "abs"; `math.fabs` -> "math.fabs" """
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(ast.Name(module), name):
            return f"{module}.{name}"
    return None


def _one_line(source: str, node: ast.expr) -> str:
    """An expression as it is written, on one line: a call's line is what a trace shows of it."""
    written = ast.get_source_segment(source, node) or ast.unparse(node)
    joined = " ".join(line.strip() for line in written.split("\n"))
    try:
        is_same = ast.dump(ast.parse(joined, mode="eval").body) == ast.dump(node)
    except SyntaxError:
        is_same = False
    return joined if is_same else ast.unparse(node)
