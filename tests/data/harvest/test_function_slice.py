"""Slices: every rule with a module in which it applies and one in which it does not."""

import pytest

from worldline.data.harvest import index_module, slice_functions


def slice_of(module: str, name: str = "f") -> tuple[str, str]:
    """The slice of a function, and the reason if there is none."""
    index = index_module(module)
    assert index is not None
    found = [each for each in slice_functions(index) if each.name == name]
    return found[-1].text, found[-1].reason


def result_of(module: str, call: str) -> object:
    """The value of a call in a slice of `f`."""
    text, reason = slice_of(module)
    assert not reason
    namespace: dict[str, object] = {}
    exec(text, namespace)
    return eval(call, namespace)


@pytest.mark.parametrize(
    ("module", "call", "expected"),
    [
        # A global constant, and a local variable that shadows one.
        ("A = 3\nB = 4\ndef f(x): return x + A", "f(1)", 4),
        ("x = 'no'\ndef f(x): return x", "f(1)", 1),
        # Default arguments are evaluated at the definition.
        ("N = 2\ndef f(x, n=N): return x * n\nM = 5", "f(3)", 6),
        # Functions, recursion and mutual recursion.
        ("def g(x): return x + 1\ndef f(x): return g(x)", "f(1)", 2),
        ("def f(n): return 1 if n < 2 else n * f(n - 1)", "f(4)", 24),
        (
            "def f(n): return n == 0 or odd(n - 1)\ndef odd(n): return n != 0 and f(n - 1)",
            "f(10)",
            True,
        ),
        # A class with its base, and a dataclass whose annotation is not known.
        ("class A:\n    k = 2\nclass B(A): pass\ndef f(x): return B.k * x", "f(2)", 4),
        (
            "from dataclasses import dataclass\nfrom elsewhere import T\n@dataclass\nclass P:\n"
            "    x: T\n    y: int = 1\ndef f(x): return P(x).x + P(x).y",
            "f(2)",
            3,
        ),
        # A decorator of the module, and one of the standard library.
        (
            "def twice(g): return lambda x: g(g(x))\n@twice\ndef f(x): return x + 1",
            "f(1)",
            3,
        ),
        ("import functools\n@functools.cache\ndef f(x): return x * 2", "f(2)", 4),
        # A closure.
        ("def make(k):\n    return lambda x: x * k\nM = make(3)\ndef f(x): return M(x)", "f(2)", 6),
        # Changes at import are taken along.
        ("T = {}\nT['a'] = 1\nT.update(b=2)\ndef f(x): return T[x]", "f('b')", 2),
        ("L = [1]\nL += [2]\ndef f(x): return L[x]", "f(1)", 2),
        ("def f(x): return x + f.step\nf.step = 2", "f(1)", 3),
        # Allowed imports, also under other names and inside of a function.
        ("import math as m, os\ndef f(x): return m.floor(x)", "f(1.5)", 1),
        ("def f(x):\n    import math\n    return math.floor(x)", "f(1.5)", 1),
        (
            "from stat import S_ISDIR\nfrom os import stat\ndef f(x): return S_ISDIR(x)",
            "f(2**14)",
            True,
        ),
        # A function that is defined again, around its first definition.
        ("def f(x): return x\ng = f\ndef f(x): return g(x) + 1", "f(1)", 2),
        # Statements that share a line.
        ("a = 1; b = 2\ndef f(x): return x + b", "f(1)", 3),
    ],
)
def test_slices_have_what_they_need(module: str, call: str, expected: object) -> None:
    assert result_of(module, call) == expected


@pytest.mark.parametrize(
    ("module", "reason"),
    [
        ("from .other import g\ndef f(x): return g(x)", "relative import"),
        ("import os\ndef f(x): return os.getcwd()", "imports a module that is not allowed"),
        ("def f(x):\n    import os\n    return os", "imports a module that is not allowed"),
        ("from math import *\ndef f(x): return sin(x)", "star import"),
        ("try:\n    from a import *\nfinally: pass\ndef f(x): return abs(x)", "star import"),
        ("def f(x): return x\nfrom a import *", "star import"),
        ("def f(x): return missing(x)", "unknown name"),
        ("def f(x): return open(x)", "uses open"),
        ("def f(x): return __name__ + x", "uses a variable of its module"),
        ("class A:\n    k = __name__\ndef f(x): return A.k", "uses a variable of its module"),
        ("n = 0\ndef f(x):\n    global n\n    n += x\n    return n", "assigns a global variable"),
        ("def f(x):\n    global f\n    f = x\n    return x", "assigns a global variable"),
        ("T = []\ndef _fill(): T.append(1)\n_fill()\ndef f(x): return T[x]", "changed at import"),
        ("T = []\nfor i in range(3): T.append(i)\ndef f(x): return T[x]", "changed at import"),
        (
            "try:\n    from fast import g\nexcept ImportError:\n    g = abs\ndef f(x): return g(x)",
            "needs a name that is defined conditionally",
        ),
        ("if True:\n    def f(x): return x", "defined conditionally"),
        ("class A:\n    def f(self): return self", "method"),
        ("def g(x):\n    def f(y): return x + y\n    return f", "nested function"),
        ("async def f(x): return x", "asynchronous"),
        ("import contextlib\n@contextlib.contextmanager\ndef f(x): yield x", "decorated generator"),
        ("def list(x): return x\ndef f(x): yield x", "generator"),
        ("def f(): return 1", "no parameters"),
        ("def f(x): return x\nf = 3", "bound again later"),
        ("import datetime\ndef f(x): return datetime.date.today()",
         "reads the clock or its own module"),
        (
            "import functools\n@functools.singledispatch\ndef f(x): return 1\n"
            "@f.register\ndef _(x: int): return 2\ndef g(x): return f(x)",
            "",
        ),
    ],
)  # fmt: skip
def test_functions_that_cannot_stand_alone(module: str, reason: str) -> None:
    if "singledispatch" in module:
        assert slice_of(module, "g")[1] == "registers functions"
        return
    assert slice_of(module) == ("", reason)


@pytest.mark.parametrize(
    "module",
    [
        # A forbidden name that is only local, a generator inside of a function, a guard.
        "def f(open): return open",
        "def f(x):\n    def g(): yield x\n    return list(g())",
        "T = [1]\nif __name__ == '__main__':\n    T.append(2)\ndef f(x): return T",
        "from os import *\nA = 1\ndef f(x): return x",
    ],
)
def test_rules_that_do_not_apply(module: str) -> None:
    text, reason = slice_of(module)
    assert reason == ""
    assert "append" not in text


def test_unused_parts_and_docstrings_are_left_out() -> None:
    module = (
        '"""Module."""\nfrom typing import Any, List\nfrom x import T\nA = 1\nB = 2\n'
        'def f(x: List[int], y: T) -> int:\n    """Doc.\n\n    >>> f([1])\n    1\n    """\n'
        "    # Why.\n    return x[0]  # first\ndef g(x):\n    '''Only.'''\n"
    )
    assert slice_of(module)[0] == (
        "from __future__ import annotations\nfrom typing import List\n\n\n"
        "def f(x: List[int], y: T) -> int:\n    # Why.\n    return x[0]\n"
    )
    assert slice_of(module, "g")[0] == "def g(x):\n    pass\n"


def test_a_module_that_is_not_python_has_no_index() -> None:
    assert index_module("print 'x'") is None
