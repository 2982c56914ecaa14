"""Methods that are functions: each rule with a method that it takes and one that it leaves out."""

import argparse
import ast
import difflib
import inspect
import pprint
import tarfile
import textwrap
import unittest.mock
from types import ModuleType

import pytest

from worldline.data.harvest import FunctionSlice, index_module, slice_functions
from worldline.data.harvest.method_functions import Method, find_methods, function_source

SHOP = """\
import math
from elsewhere import Base

SCALE = 10


class Shop(Base):
    rate = 2

    @staticmethod
    def price(weight, unit=SCALE):
        \"\"\"
        >>> Shop.price(3)
        30
        \"\"\"
        # Rounded up.
        return math.ceil(weight) * unit

    def parts(self, total: int, *, size: int):
        while total > size:
            yield size
            total -= size
        yield total

    @classmethod
    def label(cls, name, note=""):
        text = f'''{name}:
        {note}'''
        return text if note else name

    def discount(self, price):
        return price * self.rate


def scaled(x):
    return x * SCALE
"""


def slice_of(module: str, name: str = "f") -> FunctionSlice:
    """The slice of the last function or method of a name."""
    index = index_module(textwrap.dedent(module))
    assert index is not None
    return [each for each in slice_functions(index) if each.name == name][-1]


@pytest.mark.parametrize(
    ("name", "kind", "text"),
    [
        (
            "price",
            "static method",
            "import math\nSCALE = 10\n\n\ndef price(weight, unit=SCALE):\n    # Rounded up.\n"
            "    return math.ceil(weight) * unit\n",
        ),
        (
            "label",
            "method without self",
            "def label(name, note=''):\n    text = f'''{name}:\n        {note}'''\n"
            "    return text if note else name\n",
        ),
        (
            "parts",
            "generator",
            "def parts(total: int, *, size: int):\n    while total > size:\n        yield size\n"
            "        total -= size\n    yield total\n",
        ),
        ("scaled", "function", "SCALE = 10\n\n\ndef scaled(x):\n    return x * SCALE\n"),
    ],
)
def test_kinds_and_texts(name: str, kind: str, text: str) -> None:
    part = slice_of(SHOP, name)
    assert (part.kind, part.text, part.reason) == (kind, text, "")
    assert part.class_name == ("" if name == "scaled" else "Shop")
    assert SHOP.splitlines()[part.line - 1].lstrip().startswith(f"def {name}(")


@pytest.mark.parametrize(
    ("taken", "left_out", "reason"),
    [
        # Its object, and its class by name, also through a function.
        ("def f(self, x): return x", "def f(self, x): return [self, x]", "method"),
        ("def f(self, x): return x", "def f(*args): return args", "method"),
        ("def f(self, x): return x", "def f(self=None, x=1): return x", "method"),
        (
            "@staticmethod\ndef f(x): return len(x)",
            "@staticmethod\ndef f(x): return A.g(x)",
            "method that names its own class",
        ),
        (
            "@staticmethod\ndef f(x): return double(x)",
            "@staticmethod\ndef f(x): return make(x)",
            "method that names its own class",
        ),
        # Decorators.
        (
            "@classmethod\ndef f(cls, x): return x",
            "@property\ndef f(self, x): return x",
            "decorated method",
        ),
        (
            "@staticmethod\ndef f(x): return x",
            "@staticmethod\n@double\ndef f(x): return x",
            "decorated method",
        ),
        # What the compiler treats differently in a class.
        (
            "def f(self, x): return x.y()",
            "def f(self, x): return super().f(x)",
            "method that needs its class",
        ),
        (
            "def f(self, x): return x",
            "def f(self, x): return [x, __class__]",
            "method that needs its class",
        ),
        (
            "def f(self, x): return x.__len__()",
            "def f(self, x): return x.__secret",
            "method that needs its class",
        ),
        (
            "def f(self, _x): return _x",
            "def f(self, __x): return __x",
            "method that needs its class",
        ),
        # Names in the class are visible to defaults, but not to the body.
        (
            "def f(self, x, y=LIMIT): return x + y",
            "def f(self, x, y=K): return x + y",
            "method that needs its class",
        ),
        (
            "def f(self, x): return double(x)",
            "def double(self, x): return double(x)",
            "method with the name of what it needs",
        ),
        (
            "def f(self, x): return max(x, 1)",
            "def max(self, x): return max(x, 1)",
            "method with the name of what it needs",
        ),
        # Nothing to compute.
        ("def f(self, x): return x", "def f(self, x): return 1", "method that uses no parameter"),
        ("def f(self, *, x): return x", "def f(self): return 1", "no parameters"),
        # The rules for functions.
        (
            "def f(self, x): return abs(x)",
            "def f(self, x): return open(x)",
            "uses open",
        ),
        (
            "@staticmethod\ndef f(x): yield x",
            "async def f(self, x): return x",
            "method",
        ),
    ],
)  # fmt: skip
def test_methods_that_are_functions(taken: str, left_out: str, reason: str) -> None:
    first, second = map(method_of, (taken, left_out))
    assert first.reason == ""
    assert first.text
    assert (second.text, second.reason) == ("", reason)


def method_of(text: str) -> FunctionSlice:
    """The slice of a method, in a class of a module with other functions."""
    indented = textwrap.indent(text, "    ")
    module = (
        f"LIMIT = 5\ndef double(x): return 2 * x\nclass A:\n    K = 1\n{indented}\n"
        "def make(x): return A.g(x)\n"
    )
    index = index_module(module)
    assert index is not None
    (method,) = (
        each
        for each in slice_functions(index)
        if each.name not in ("double", "make") or each.class_name
    )
    return method


def test_decorators_of_other_modules_are_not_static() -> None:
    module = "{}\nclass A:\n    @staticmethod\n    def f(x): return x\n"
    assert slice_of(module.format("")).reason == ""
    assert slice_of(module.format("from a import staticmethod")).reason == "decorated method"


def test_methods_of_nested_classes() -> None:
    module = "class A:\n    class B:\n        def f(self, x): return x\n"
    assert (slice_of(module).class_name, slice_of(module).reason) == ("A.B", "")
    inside = f"def g(x):\n{textwrap.indent(module, '    ')}    return A"
    assert (slice_of(inside).class_name, slice_of(inside).reason) == ("", "method")


def expected_tree(method: Method) -> ast.FunctionDef:
    """A method as the syntax tree of a function."""
    (node,) = ast.parse(ast.unparse(method.node)).body
    assert isinstance(node, ast.FunctionDef)
    node.decorator_list = []
    arguments = node.args
    if not method.is_static and (arguments.posonlyargs or arguments.args):
        del (arguments.posonlyargs or arguments.args)[0]
    return node


@pytest.mark.parametrize(
    "module", [argparse, ast, difflib, pprint, tarfile, textwrap, unittest.mock]
)
def test_the_source_of_a_method_is_the_same_function(module: ModuleType) -> None:
    text = inspect.getsource(module)
    lines = text.encode().splitlines(keepends=True)
    methods = [method for node in ast.parse(text).body for method in find_methods(node)]
    assert methods
    for method in methods:
        arguments = method.node.args
        if len(arguments.defaults) == len([*arguments.posonlyargs, *arguments.args]):
            continue
        (node,) = ast.parse(function_source(method, lines)).body
        assert ast.dump(node) == ast.dump(expected_tree(method))
