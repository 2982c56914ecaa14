"""Evaluation, lookup and exceptions keep their order when string operations are rewritten."""

import pytest

from tests.languages.rewrite.program_behaviour import behaviour_of_call
from worldline.languages.python.rewrite import find_string_operations, rewrite_strings

VALUES = {
    "a string": "'abaXb'",
    "an empty string": "''",
    "a list": "['a', 'b', 'a']",
    "a tuple": "('a', 'b')",
    "a dictionary": "{'a': 1, 0: 'b'}",
    "bytes": "b'abab'",
    "a number": "5",
    "nothing": "None",
    "a string of another class": "Text('abab')",
    "an object that says what is asked of it": "Loud()",
}

# `g` logs its evaluation, `missing` is an undefined name.
EXPRESSIONS = [
    "x.count(y)",
    "x.count(y[0])",
    "x.count(g(y))",
    "x.find(g(y), g(0), g(2))",
    "x.index(missing)",
    "x.index(late)",
    "x.replace(g('a'), missing)",
    "x.join(g(c) for c in y)",
    "x.join([g(c) for c in y])",
    "'-'.join(x)",
    "'-'.join(g(c) for c in x)",
    "x.split(g('b'), maxsplit=g(1))",
    "x.rsplit(maxsplit=g(1), sep=g('a'))",
    "x.startswith((g('a'), y))",
    "x.ljust(len(x) + 3, g('*'))",
    "x.upper().lower()",
    "x.strip(y).rstrip(g('b'))",
    "g(x)[g(1):g(4):g(2)]",
    "x[g(1):][::-1]",
    "x[:y]",
    "x[missing:]",
    "g(y) in g(x)",
    "g(y) not in x",
    "y in x or g(x).isalpha()",
    "[c for c in x if c in 'ab']",
    "g(x).expandtabs(2)",
    "x.find(x := y) if x else 0",
    "(lambda z=x: z.title())()",
    "x.translate({97: g('z')})",
    "x.casefold().partition(y)",
]

PROGRAM = """\
said = []

def g(value):
    said.append(value)
    return value

class Text(str):
    def upper(self):
        return g('own upper')

class Loud:
    def __getattr__(self, name):
        said.append(name)
        if name in ('find', 'index', 'split'):
            raise AttributeError(name)
        return lambda *values, **named: (name, values, named)

    def __getitem__(self, key):
        if key == 3:
            raise IndexError
        return g(key)

    def __contains__(self, key):
        return g(key)

def f(x, y):
    try:
        found = EXPRESSION
    except Exception as error:
        found = (type(error), str(error))
    late = 1
    return found, said
"""


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_evaluation_order_is_unchanged(expression: str) -> None:
    # Without its own methods of these names, more of the program is rewritten.
    with_methods = PROGRAM.replace("EXPRESSION", expression)
    without_methods = with_methods.replace("def __getattr__", "def other").replace(
        "def upper", "def other"
    )
    for text in (with_methods, without_methods):
        result = rewrite_strings(text).text
        for value in VALUES.values():
            for other in ("'a'", "1", "None", "['b', 'a']"):
                call = f"f({value}, {other})"
                assert behaviour_of_call(result, call) == behaviour_of_call(text, call), call


def test_the_expressions_are_rewritten() -> None:
    skipped = [
        each for each in EXPRESSIONS if not find_string_operations(f"def f(x, y):\n    {each}\n")
    ]
    assert skipped == ["x.rsplit(maxsplit=g(1), sep=g('a'))"]


def split_programs(text: str) -> list[str]:
    return text.split("---\n")


# A variable may be unbound: the method is looked up before it is read.
UNBOUND_VARIABLES = """\
def f(x):
    found = x.count(late)
    late = 1
    return found
---
def f(x):
    for c in x:
        pass
    return x.count(c)
---
def f(x):
    if x: c = 1
    return x.count(c)
---
def f(x):
    c = 1
    del c
    return x.count(c)
---
def f(x):
    def g():
        return x.count(c)
    found = g()
    c = 1
    return found
---
def f(x):
    return [x.count(c) for b in [1] if x.count(c) for c in [2]]
---
def f(x):
    try: 1 / 0
    except ZeroDivisionError as c: pass
    return x.count(c)
---
def f(x):
    class A:
        c = 1
        d = x.count(c)
    return A.d
---
def f(x):
    return x.count(c)
c = 'a'
"""


@pytest.mark.parametrize("text", split_programs(UNBOUND_VARIABLES))
@pytest.mark.parametrize("value", VALUES)
def test_an_unbound_variable_is_not_read_too_early(text: str, value: str) -> None:
    if "Text" in VALUES[value] or "Loud" in VALUES[value]:
        text += "class Text(str): pass\nclass Loud: pass\n"
    result = rewrite_strings(text)
    assert result.text != text
    call = f"f({VALUES[value]})"
    assert behaviour_of_call(result.text, call) == behaviour_of_call(text, call)


WHOLE = """\
class A:
    upper = 'ab'.upper()
    def f(self): return self.upper[::-1]
def f(): return A().f()
---
def f():
    x = yield 'a'
    yield x.upper()
---
def f(n=4):
    return '' if n == 0 else 'ab'[n % 2:] + f(n - 1)[::-1]
---
import functools
@functools.cache
def g(x): return x.title()
def f(): return g('ab cd'), g('ab cd')
---
def f():
    global text
    text = ' ab '
    text = text.strip()
    return text
---
def f():
    x = 'ab'
    def g():
        nonlocal x
        x = [x.upper()]
    g()
    return x[0:], x.index('AB')
---
import os
def f(): return os.path.join('a', 'b').split(os.sep), os.path.split('a/b')
---
def f(x='ab'):
    match x.upper():
        case 'AB': return x[1:]
---
def f(x='a,b'):
    a, *b = x.split(',')
    x += a.upper()
    return x.replace(',', ''), b
---
async def g(x): return x
async def h(): return (await g('ab')).upper()
def f():
    try: h().send(None)
    except StopIteration as stop: return stop.value[::-1]
"""


@pytest.mark.parametrize("text", split_programs(WHOLE))
def test_rewritten_programs_of_many_forms_behave_the_same(text: str) -> None:
    result = rewrite_strings(text)
    assert result.text != text
    expected = behaviour_of_call(text, "f()")
    assert behaviour_of_call(result.text, "f()") == expected
    assert not expected.result.startswith("raised")
