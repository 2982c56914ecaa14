"""Texts of rewritten expressions, construct by construct, and skipped constructs."""

import textwrap

import pytest

from worldline.languages.python.rewrite import rewrite_expressions

START = "import math\n\n\ndef f(x):\n    return x\n\n\ndef g(x):\n    return x\n\n\n"
# Statements of `def h(a, b, s)`, and the rewritten ones.
GOLD = {
    "calls": ("return f(g(a))", "t1 = g(a)\nreturn f(t1)"),
    "methods": ("return s.strip().split(',')", "t1 = s.strip()\nreturn t1.split(',')"),
    "attributes": ("return a.b.c + 1", "t1 = a.b\nt2 = t1.c\nreturn t2 + 1"),
    "modules": ("return math.floor(a / 2)", "t1 = a / 2\nreturn math.floor(t1)"),
    "operators": ("b = a + b * 0x1F - 1", "t1 = b * 0x1F\nt2 = a + t1\nb = t2 - 1"),
    "not": ("return not f(a)", "t1 = f(a)\nreturn not t1"),
    "minus": ("return -f(a)", "t1 = f(a)\nreturn -t1"),
    "subscripts": (
        "return a[f(1)][2:g(3)]",
        "t1 = f(1)\nt2 = a[t1]\nt3 = g(3)\nreturn t2[2:t3]",
    ),
    "called twice": ("return f(1)(g(2))", "t1 = f(1)\nt2 = g(2)\nreturn t1(t2)"),
    "comparisons": (
        "return a < f(1) < g(2)",
        "t1 = f(1)\nt2 = a < t1\nif t2:\n    t3 = g(2)\n    t2 = t1 < t3\nreturn t2",
    ),
    "and": ("return a and f(1)", "t1 = a\nif t1:\n    t1 = f(1)\nreturn t1"),
    "or": (
        "return f(1) or g(2) or a",
        "t1 = f(1)\nif not t1:\n    t1 = g(2)\n    if not t1:\n        t1 = a\nreturn t1",
    ),
    "conditional": (
        "b = f(1) if g(2) > 1 else a",
        "t1 = g(2)\nif t1 > 1:\n    t2 = f(1)\nelse:\n    t2 = a\nb = t2",
    ),
    "method that is looked up first": (
        "return a.m(f(1))",
        "t1 = a.m\nt2 = f(1)\nreturn t1(t2)",
    ),
    "method of a known type": (
        "out = []\nout.append(f(1))\nreturn ' '.join(f(out))",
        "out = []\nt1 = f(1)\nout.append(t1)\nt2 = f(out)\nreturn ' '.join(t2)",
    ),
    "unpacked alone": (
        "return f(*g(1), x=a[0])",
        "t1 = g(1)\nt2 = a[0]\nreturn f(*t1, x=t2)",
    ),
    "unpacked before others": (
        "return f(a, *g(1), b[0])",
        "t1 = g(1)\nt2 = [*t1]\nt3 = b[0]\nreturn f(a, *t2, t3)",
    ),
    "display": (
        "return [f(a), {s: g(b)}]",
        "t1 = f(a)\nt2 = g(b)\nreturn [t1, {s: t2}]",
    ),
    "list comprehension": (
        "return [f(i) for i in a if i > 1]",
        "t1 = []\nfor i in a:\n    if i > 1:\n        t2 = f(i)\n        t1.append(t2)\nreturn t1",
    ),
    "set comprehension": ("s = {i for i in a}", "t1 = set()\nfor i in a:\n    t1.add(i)\ns = t1"),
    "dict comprehension": (
        "return {i: f(i) for i, _ in f(a)}",
        "t1 = {}\nfor i, _ in f(a):\n    t2 = f(i)\n    t1[i] = t2\nreturn t1",
    ),
    "comprehension with a taken name": (
        "i = 1\nreturn [i + b for i in a], i",
        "i = 1\nt1 = []\nfor i1 in a:\n    t2 = i1 + b\n    t1.append(t2)\nreturn t1, i",
    ),
    "any": (
        "return any(i > j for i in a for j in b)",
        "t1 = False\nfor i in a:\n    for j in b:\n        if i > j:\n            t1 = True\n"
        "            break\n    if t1:\n        break\nreturn t1",
    ),
    "all": (
        "return all(i > 1 for i in a)",
        "t1 = True\nfor i in a:\n    t2 = i > 1\n    if not t2:\n        t1 = False\n"
        "        break\nreturn t1",
    ),
    "sum": (
        "return sum(len(i) for i in a)",
        "t1 = 0\nfor i in a:\n    t2 = len(i)\n    t1 += t2\nreturn t1",
    ),
    "join": (
        'return ",".join(str(i) for i in a)',
        't1 = []\nfor i in a:\n    t2 = str(i)\n    t1.append(t2)\nreturn ",".join(t1)',
    ),
    "sorted": (
        "return sorted((i for i in a), key=f)",
        "t1 = []\nfor i in a:\n    t1.append(i)\nreturn sorted(t1, key=f)",
    ),
    "f-string": (
        "return f'{a} {f(1)!r} {b:>{g(2)}}'",
        "t1 = f'{a}'\nt2 = f(1)\nt3 = f'{t2!r}'\nt4 = g(2)\nreturn f'{t1} {t3} {b:>{t4}}'",
    ),
    "augmented name": ("a += g(2)", "t1 = g(2)\na += t1"),
    "augmented item": (
        "a[f(1)] += g(2)",
        "t1 = f(1)\nt2 = a[t1]\nt3 = g(2)\nt2 += t3\na[t1] = t2",
    ),
    "augmented attribute": ("a.b += f(s)", "t1 = a.b\nt2 = f(s)\nt1 += t2\na.b = t1"),
    "augmented item, plain value": ("a[b + 1] += 2", "t1 = b + 1\na[t1] += 2"),
    "two targets": (
        "a[f(1)] = b = g(2)",
        "t1 = g(2)\nt2 = f(1)\na[t2] = t1\nb = t1",
    ),
    "unpacking": (
        "a[f(1)], *b = g(2)",
        "t1 = g(2)\nt2, *t3 = t1\nt4 = f(1)\na[t4] = t2\nb = t3",
    ),
    "swap": ("a[0], a[1] = a[1], a[0]", "t1 = a[1]\nt2 = a[0]\na[0], a[1] = t1, t2"),
    "annotated": ("b: int = f(g(1))", "t1 = g(1)\nb: int = f(t1)"),
    "raise": (
        "raise ValueError(f(1)) from g(2)",
        "t1 = f(1)\nt2 = ValueError(t1)\nt3 = g(2)\nraise t2 from t3",
    ),
    "assert": (
        "assert f(g(1)), g(f(2))",
        "t1 = g(1)\nt2 = f(t1)\nif not t2:\n    t3 = f(2)\n    assert t2, g(t3)",
    ),
    "delete": ("del a[f(1)], b[g(2)]", "t1 = f(1)\ndel a[t1]\nt2 = g(2)\ndel b[t2]"),
    "while": (
        "while f(1) < a:\n    a += 1\n    continue",
        "while True:\n    t1 = f(1)\n    t2 = t1 < a\n    if not t2:\n        break\n"
        "    a += 1\n    continue",
    ),
    "while not": (
        "while not f(g(1)):  # wait\n    a += 1",
        "while True:  # wait\n    t1 = g(1)\n    if f(t1):\n        break\n    a += 1",
    ),
    "for": (
        "for i in range(len(a)):\n    pass",
        "t1 = len(a)\nfor i in range(t1):\n    pass",
    ),
    "elif": (
        'if a:\n    b = 1\n# why\nelif f(g(1)):\n    b = """1\n  2"""\nelse:\n    b = 3',
        'if a:\n    b = 1\n# why\nelse:\n    t1 = g(1)\n    if f(t1):\n        b = """1\n'
        '  2"""\n    else:\n        b = 3',
    ),
    "with": (
        "with f(g(1)) as a, g(2):\n    pass",
        "t1 = g(1)\nwith f(t1) as a, g(2):\n    pass",
    ),
    "match": (
        "match f(g(1)):\n    case 1:\n        pass",
        "t1 = g(1)\nmatch f(t1):\n    case 1:\n        pass",
    ),
    "walrus": ("if (c := f(1)) > 2:\n    return c", "c = f(1)\nif c > 2:\n    return c"),
    "yield": ("b = yield f(1)", "t1 = f(1)\nb = yield t1"),
    "one line": ("if a: return f(g(1))  # so", "if a:  # so\n    t1 = g(1)\n    return f(t1)"),
    "two on a line": (
        "a = b[0]; b = f(g(1))  # both",
        "a = b[0]\nt1 = g(1)\nb = f(t1)  # both",
    ),
    "many lines": (
        "return f(  # one\n    g(1),\n)  # two",
        "# one\nt1 = g(1)\nreturn f(t1)  # two",
    ),
    "name that may have no value": (
        "if a:\n    b2 = 1\nreturn b2 + f(1)",
        "if a:\n    b2 = 1\nt1 = b2\nt2 = f(1)\nreturn t1 + t2",
    ),
    "global that others change": (
        "global k\nk = 1\nreturn k + f(1)",
        "global k\nk = 1\nt1 = k\nt2 = f(1)\nreturn t1 + t2",
    ),
    "name that is rebound": (
        "return a + (a := f(1))",
        "t1 = a\na = f(1)\nreturn t1 + a",
    ),
}
UNCHANGED = (
    "return f([1, -2], {3: (4,)}, x={5})",
    "return s.strip(',')",
    "return a[1:b]",
    "a[1], b = b, a",
    "a[b] += 1",
    "return a if b else s",
    "return a and b and s",
    "return f'{a!r:>{b}}'",
    "return lambda x: f(g(x))",
    "return f(lambda: g(f(1)))",
    "b = a = f(s)",
    "raise ValueError('x')",
    "assert a, f(s)",
    "while a > 1:\n    a -= 1\nelse:\n    a = 2",
    "try:\n    return f(a)\nfinally:\n    g(a)",
    "def inner(x=f(g(1))):\n    return x",
    "'''text'''",
    "x = 1; y = f(2) # odd  spacing",
)


def make_function(body: str) -> str:
    return f"{START}def h(a, b, s):\n{textwrap.indent(body, '    ', lambda line: True)}\n"


def make_function_keeping_strings(body: str) -> str:
    """Make a function of a body; lines inside a string keep their indentation."""
    return make_function(body).replace("    " + '  2"""', '  2"""')


@pytest.mark.parametrize("name", GOLD)
def test_expected_text(name: str) -> None:
    before, after = GOLD[name]
    result = rewrite_expressions(make_function_keeping_strings(before))
    assert result.text == make_function_keeping_strings(after)
    assert rewrite_expressions(result.text).text == result.text


@pytest.mark.parametrize("body", UNCHANGED)
def test_a_statement_with_one_operation_is_unchanged(body: str) -> None:
    result = rewrite_expressions(make_function(body))
    assert result.text == make_function(body)
    assert result.changed == ()
    assert result.origins == tuple(range(1, result.text.count("\n") + 1))


SKIPPED = {
    "module": ("K = len(str(1))\n", "would become globals of its module"),
    "class": ("class A:\n    k = len(str(1))\n", "would become attributes of its class"),
    "locals": ("def h(a):\n    return len(str(locals()))\n", "the function may look at its own"),
    "frames": (
        "import inspect\ndef h(a):\n    return len(str(a))\n",
        "the program may look at its frames",
    ),
    "lives": (
        "class A:\n    def __del__(self):\n        print(len(str(1)))\n",
        "the lifetimes of its objects",
    ),
    "generator": (
        "def h(a):\n    return map(len, (i for i in a))\n",
        "when its items are consumed",
    ),
    "sum of anything": ("def h(a):\n    return sum(i for i in a)\n", "when its items are consumed"),
    "stopping": (
        "def h(a):\n    return list(next(i) for i in a)\n",
        "when its items are consumed",
    ),
    "captured": ("def h(a):\n    return [lambda: i for i in a]\n", "captures its variable"),
    "walrus": ("def h(a):\n    return [b := i for i in a]\n", "binds a name with :="),
    "super": (
        "class A:\n    def h(self, a):\n        return [super() for i in a]\n",
        "depends on its scope",
    ),
    "unbound": (
        "def h(a):\n    if a:\n        b = 1\n    return [b for i in a]\n",
        "may have no value yet",
    ),
    "mapping": ("def h(a):\n    return len(dict(**a, b=len(a)))\n", "** has to be unpacked"),
    "merged": ("def h(a):\n    return {**a, 'b': len(str(a))}\n", "it has to be unpacked"),
    "conversion": (
        "def h(a):\n    return f'{a!r:>{len(a)}}'\n",
        "Python 3.13 converts the value",
    ),
    "else": (
        "def h(a):\n    while len(str(a)):\n        pass\n    else:\n        pass\n",
        "its else",
    ),
    "truth": (
        "class A:\n    def __bool__(self):\n        return True\n"
        "def h(a):\n    return a and str(a)\n",
        "would be called more often",
    ),
    "item": (
        "def h(a):\n    with a, open(str(len(a))):\n        pass\n",
        "after the item before it was entered",
    ),
    "guard": (
        "def h(a):\n    match a:\n        case b if len(str(b)):\n            pass\n",
        "its pattern has to match first",
    ),
    "async": (
        "async def h(a):\n    return [i async for i in a]\n",
        "it is asynchronous",
    ),
}


@pytest.mark.parametrize("name", SKIPPED)
def test_skipped_constructs_are_listed_with_the_reason(name: str) -> None:
    text, reason = SKIPPED[name]
    result = rewrite_expressions(text)
    assert result.text == text
    assert any(reason in skipped.why for skipped in result.left), result.left


def test_only_the_given_lines_are_rewritten() -> None:
    text = "def h(a):\n    b = str(len(a))\n    if len(str(a)):\n        c = str(len(b))\n"
    result = rewrite_expressions(text, lines={4})
    assert result.text == text.replace("c = str(len(b))", "t1 = len(b)\n        c = str(t1)")
    assert result.changed == (4,)
    assert rewrite_expressions(text, lines=[3]).changed == (3,)
    assert rewrite_expressions(text, lines=[]).text == text
    assert rewrite_expressions(text).changed == (2, 3, 4)


def test_new_lines_have_the_origin_of_their_expression() -> None:
    text = "def h(a):\n    return max(\n        len(a),\n        len(str(a)),\n    )\n"
    result = rewrite_expressions(text)
    assert result.text.splitlines()[1:] == [
        "    t1 = len(a)",
        "    t2 = str(a)",
        "    t3 = len(t2)",
        "    return max(t1, t3)",
    ]
    assert result.origins == (1, 3, 4, 4, 2)
    assert result.changed == (2, 3, 4, 5)


def test_names_of_the_program_are_not_used_for_temporaries() -> None:
    text = "t1 = 1\n\n\ndef h(t2):\n    return t2.t3(t1), len(str(t2))\n"
    result = rewrite_expressions(text).text
    assert "t4 = t2.t3(t1)\n    t5 = str(t2)\n    t6 = len(t5)\n    return t4, t6" in result


def test_a_rebound_builtin_name_has_no_known_type() -> None:
    rest = "def h(a):\n    return len(str(a).upper(g()))\n"
    rebound = f"def i():\n    global str\n    str = 1\n\n\n{rest}"
    # A method of a string can be looked up at any time; any other only before the argument.
    assert "t1 = str(a)\n    t2 = g()" in rewrite_expressions(rest).text
    assert "t2 = t1.upper\n    t3 = g()" in rewrite_expressions(rebound).text


def test_a_program_that_does_not_compile_is_unchanged() -> None:
    result = rewrite_expressions("def f(:\n    return g(h(1))\n")
    assert result.text == "def f(:\n    return g(h(1))\n"
    assert result.left == ()
    inside = "def f(a):\n    return [i for i in (b := a)]\n"
    assert rewrite_expressions(inside).text == inside


def test_too_many_nested_blocks_are_not_generated() -> None:
    arms = "".join(f"    elif len(str(a)) == {n}:\n        return {n}\n" for n in range(120))
    text = f"def h(a):\n    if a:\n        return 0\n{arms}"
    result = rewrite_expressions(text)
    assert result.text == text
    assert "more blocks" in result.left[0].why


def test_tabs_and_other_line_ends() -> None:
    text = "def h(a):\r\n\tif a and len(a):\r\n\t\treturn str(len(a))\r\n"
    assert rewrite_expressions(text).text.splitlines() == [
        "def h(a):",
        "\tt1 = a",
        "\tif t1:",
        "\t\tt1 = len(a)",
        "\tif t1:",
        "\t\tt2 = len(a)",
        "\t\treturn str(t2)",
    ]
