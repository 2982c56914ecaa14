"""Names by which programs have access to what a rewrite changes."""

import ast

import pytest

from worldline.languages.python.rewrite import rewrite_expressions, rewrite_strings
from worldline.languages.python.rewrite.introspection import (
    ATTRIBUTE_NAMES,
    FRAMES,
    HEAP,
    LIFETIMES,
    NAMESPACES,
    STACK_DEPTH,
    Access,
    find_introspection,
)
from worldline.languages.python.rewrite.scopes import build_scopes


@pytest.mark.parametrize(
    ("source", "access", "expected"),
    [
        ("import inspect", FRAMES, ["inspect"]),
        ("import symtable", FRAMES, ["symtable"]),
        ("import dataclasses\ndataclasses.inspect", FRAMES, ["inspect"]),
        ("from sys import _getframe as g", FRAMES, ["_getframe"]),
        ("import sys\ngetattr(sys, '_getframe')", FRAMES, ["_getframe"]),
        (
            "from operator import attrgetter\nattrgetter('f_back.f_code')",
            FRAMES,
            ["f_back", "f_code"],
        ),
        ("match x:\n    case y(f_back=z): pass", FRAMES, ["f_back"]),
        ("from sys import *\nsettrace(f)", FRAMES, ["settrace"]),
        ("print('f_back')", FRAMES, []),
        ("def f(traceback, dis, code): return dis(traceback)", FRAMES, []),
        ("x.code", FRAMES, []),
        ("import gc", HEAP, ["gc"]),
        ("import gc", LIFETIMES, []),
        ("class A:\n    def __del__(self): pass", LIFETIMES, ["__del__"]),
        ("type('A', (), {'__del__': f})", LIFETIMES, ["__del__"]),
        ("compile(x)", NAMESPACES, ["compile"]),
        ("import re\nre.compile(x)", NAMESPACES, []),
        ("def f(compile, modules): compile(modules)", NAMESPACES, []),
        ("import __main__", NAMESPACES, ["__main__"]),
        ("if __name__ == '__main__': getattr(x, y)", NAMESPACES, []),
        ("setattr(x, y, 1)", ATTRIBUTE_NAMES, ["setattr"]),
        ("try: f()\nexcept RecursionError: pass", STACK_DEPTH, ["RecursionError"]),
    ],
)
def test_names_by_which_a_program_has_access(
    source: str, access: Access, expected: list[str]
) -> None:
    tree = ast.parse(source)
    assert sorted(find_introspection(tree, build_scopes(tree), access)) == expected


F = "\ndef f(x, g):\n    return g(len(x.strip()), x.upper())\n"


@pytest.mark.parametrize(
    "source", ["import symtable", "import __main__, inspect", "import linecache", "import gc"]
)
def test_both_rewrites_reject_introspection(source: str) -> None:
    assert rewrite_expressions(source + F).text == source + F
    assert rewrite_strings(source + F).text == source + F


def test_string_rewrite_rejects_attributes_named_by_strings() -> None:
    source = "import sys\nframe = getattr(sys, '_getframe')"
    assert rewrite_strings(source + F).text == source + F


def test_only_the_expression_rewrite_rejects_lifetimes() -> None:
    source = "import weakref"
    assert rewrite_expressions(source + F).text == source + F
    assert rewrite_strings(source + F).text != source + F


def test_re_compile_is_not_mistaken_for_the_builtin() -> None:
    result = rewrite_expressions("import re\nP = re.compile('a')\n" + F)
    assert "t1 = x.strip()\n    t2 = len(t1)" in result.text


def test_locals_of_the_module_may_bind_built_in_names() -> None:
    result = rewrite_expressions("locals()['len'] = print\n" + F)
    assert "= len\n" in result.text
