"""Static type inference: inferred types, compared with the values of executed programs."""

import ast
import copy
from typing import Any

import pytest

from tests.languages.rewrite.program_behaviour import time_limit
from worldline.languages.python.rewrite import rewrite_expressions
from worldline.languages.python.rewrite.builtin_types import CHARACTER, OTHER, exact_type
from worldline.languages.python.rewrite.scopes import build_scopes
from worldline.languages.python.rewrite.type_inference import Assumptions, TypeInference, Types

OPEN = Assumptions(
    has_dynamic_builtins=False,
    has_dynamic_globals=True,
    has_string_subclasses=True,
    has_reflected_addition=True,
)
CLOSED = Assumptions(
    has_dynamic_builtins=False,
    has_dynamic_globals=False,
    has_string_subclasses=False,
    has_reflected_addition=False,
)


def returned_types(body: str, assumptions: Assumptions) -> Types:
    """Infer the types of the value that a function of these statements returns."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    tree = ast.parse(f"def f(p):\n{lines}")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    last = function.body[-1]
    assert isinstance(last, ast.Return)
    assert last.value is not None
    return TypeInference(build_scopes(tree), assumptions).types(last.value)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return 'ab'", {"str"}),
        ("return 'a'", {CHARACTER}),
        ("return 'ab'[p]", {CHARACTER}),
        ("return 'ab'[p:]", {"str"}),
        ("return 'ab'.split()", {"list"}),
        ("return 'a' if p else None", {CHARACTER, "NoneType"}),
        ("return p", None),
        ("return p + 'a'", None),
        ("return [p][0]", None),
        ("return (x := 1)", {"int"}),
        ("return len", {OTHER}),
        ("return (c for c in p)", {"generator"}),
        ("x = 0\nfor c in 'ab':\n    x = x % 2\nreturn x", {"int"}),
        ("x = 0\nx += 1.5\nreturn x", {"int", "float"}),
        ("x = 0\nx += p\nreturn x", {"int", OTHER}),
        ("x = ''\nx += p\nreturn x", None),
        ("for i, c in enumerate('ab'):\n    pass\nreturn c", {CHARACTER}),
        ("for *a, i, c in enumerate('ab'):\n    pass\nreturn i", None),
        ("x = ''\ny = x\nx += y\nx += p\ny = x\nreturn y", None),
        ("x = 'a'\ndef g():\n    nonlocal x\n    x = 1\nreturn x", {CHARACTER, "int"}),
        ("return x\nx = x\nreturn x", set()),
        ("import os\nreturn os", {"module"}),
        ("len = p\nreturn len('a')", None),
    ],
)
def test_types_of_expressions(body: str, expected: set[str] | None) -> None:
    for assumptions in (OPEN, CLOSED):
        assert returned_types(body, assumptions) == expected


@pytest.mark.parametrize(
    ("body", "closed_types", "open_types"),
    [
        ("return str(p)", {"str"}, None),
        ("return str([p])", {"str"}, {"str"}),
        ("return f'{p}'", {"str"}, None),
        ("return f'{p}!'", {"str"}, {"str"}),
        ("return '%s' % p", {"str"}, None),
        ("return '%s' % (p,)", {"str"}, None),
        ("return '%s' % 1", {"str"}, {"str"}),
        ("return '{0[0]}'.format([p])", {"str"}, None),
        ("return '{}'.format(1)", {"str"}, {"str"}),
        ("x = []\nx += p\nreturn x", {"list"}, {"list", OTHER}),
        ("global g\ng = 'ab'\nreturn g", {"str"}, None),
    ],
)
def test_types_that_depend_on_assumptions(
    body: str, closed_types: set[str] | None, open_types: set[str] | None
) -> None:
    assert returned_types(body, CLOSED) == closed_types
    assert returned_types(body, OPEN) == open_types


CLASSES = """
class Text(str):
    pass
class Odd:
    def __str__(self): return Text("x")
    __repr__ = __format__ = lambda self, *rest: Text("x")
    def __radd__(self, other): return "text"
    def __int__(self): return 3
"""


@pytest.mark.parametrize(
    "expression",
    ["str(p)", "repr(p)", "f'{p}'", "'%s' % p", "'%s' % tuple([p])", "'{0[0]}'.format([p])"],
)
def test_a_string_of_unknown_type_may_be_a_subclass(expression: str) -> None:
    space: dict[str, Any] = {}
    exec(f"{CLASSES}\np = Odd()\nfound = type({expression})", space)
    assert space["found"] is space["Text"]


def test_an_object_may_turn_a_list_into_a_string() -> None:
    space: dict[str, Any] = {}
    exec(f"{CLASSES}\nx = []\nx += Odd()", space)
    assert space["x"] == "text"
    source = "def f(p, g):\n    x = []\n    x += p\n    x.append(g(1))\n"
    assert "t1 = x.append" not in rewrite_expressions(source).text
    assert "t1 = x.append" in rewrite_expressions(f"{CLASSES}{source}").text


class InsertChecks(ast.NodeTransformer):
    """Copy of a program that passes every value to `check`, with the types it may have."""

    def __init__(self, expected: list[Types]) -> None:
        self.expected = expected

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.JoinedStr | ast.Slice | ast.Starred | ast.pattern | ast.Constant):
            return node
        number = getattr(node, "number", None)
        copied = self.generic_visit(node)
        is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        if number is None or not is_read or self.expected[number] is None:
            return copied
        assert isinstance(copied, ast.expr)
        return ast.Call(ast.Name("check", ast.Load()), [copied, ast.Constant(number)], [])


@pytest.mark.data
@pytest.mark.parametrize("assumptions", [OPEN, CLOSED])
def test_values_have_the_types_that_were_inferred(
    cruxeval: list[dict[str, Any]], assumptions: Assumptions
) -> None:
    count = 0
    for row in cruxeval:
        tree = ast.parse(row["code"])
        inference = TypeInference(build_scopes(tree), assumptions)
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.expr)]
        expected: list[Types] = []
        for number, node in enumerate(nodes):
            is_read = isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
            expected.append(inference.types(node) if is_read else None)
            node.number = number  # type: ignore[attr-defined]

        def check(value: object, number: int, expected: list[Types] = expected) -> object:
            nonlocal count
            types = expected[number]
            assert types is not None
            is_text = type(value) is str and "str" in set(map(exact_type, types))
            is_short = types != {CHARACTER} or (isinstance(value, str) and len(value) == 1)
            is_other = OTHER in types and not isinstance(value, str)
            assert is_short
            assert is_text or is_other or type(value).__name__ in types
            count += 1
            return value

        checked = ast.fix_missing_locations(InsertChecks(expected).visit(copy.deepcopy(tree)))
        space: dict[str, Any] = {"check": check}
        exec(compile(checked, row["id"], "exec"), space)
        with time_limit(10):
            eval(f"f({row['input']})", space)
    assert count > 6_000
