"""Texts of rewritten programs: for each kind one that is rewritten and one that is not."""

import ast
import sysconfig
from pathlib import Path

import pytest

from tests.languages.rewrite.undo_string_rewrite import normalize, undo_rewrite
from worldline.languages.python.rewrite import (
    StringOperation,
    find_string_operations,
    rewrite_strings,
)
from worldline.languages.python.rewrite.strings import rewrite_plan

UPPER = """\
def string_upper(text):
    if type(text) is not str:
        return text.upper()
    result = ''
    for character in text:
        result = result + character.upper()
    return result

"""


def body(source: str) -> str:
    """Rewrite a program and return it without the inserted functions."""
    result = rewrite_strings(source)
    lines = result.text.splitlines()
    return "\n".join(line for line, at in zip(lines, result.origins, strict=True) if at)


def returned(expression: str, *, parameters: str = "text, part, i") -> str:
    """Rewrite an expression in a function: "text.upper()" -> "string_upper(text)"."""
    return body(f"def f({parameters}):\n    return {expression}\n").split("return ", 1)[1]


def test_rewrite_of_a_program() -> None:
    source = "def f(x):  # mine\n    return x.upper() # yes\n\nprint(f('a'))\n"
    result = rewrite_strings(source)
    assert result.text == UPPER + source.replace("x.upper()", "string_upper(x)")
    assert result.origins == (0,) * 8 + (1, 2, 3, 4)
    assert result.changed == (2,)
    assert result.left == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("text.index(part)", "string_index(text, part)"),
        ("text.find(part, 1)", "string_find_from(text, part, 1)"),
        ("text.count(part, 1, -1)", "string_count_between(text, part, 1, -1)"),
        ("text.replace('a', part)", "string_replace(text, 'a', part)"),
        ("text.replace('a', '', 1)", "string_replace_at_most(text, 'a', '', 1)"),
        ("text.strip()", "string_strip(text)"),
        ("text.lstrip('ab')", "string_lstrip_of(text, 'ab')"),
        ("text.split()", "string_split(text)"),
        ("text.split(sep=part)", "string_split_at(text, sep=part)"),
        ("text.rsplit(part, maxsplit=1)", "string_rsplit_at_most(text, part, maxsplit=1)"),
        ("text.splitlines()", "string_splitlines(text)"),
        ("', '.join(text)", "string_join(', ', text)"),
        ("''.join(c for c in text)", "string_join_all('', (c for c in text))"),
        ("''.join((c for c in text))", "string_join_all('', (c for c in text))"),
        ("text.partition(part)", "string_partition(text, part)"),
        ("text.startswith(('a', part))", "string_startswith(text, ('a', part))"),
        ("text.removesuffix(part)", "string_removesuffix(text, part)"),
        ("text.title()", "string_title(text)"),
        ("text.isdigit()", "string_isdigit(text)"),
        ("text.translate(part)", "string_translate(text, part)"),
        ("text.center(i, '*')", "string_center_with(text, i, '*')"),
        ("text.zfill(5)", "string_zfill(text, 5)"),
        ("text.expandtabs(tabsize=4)", "string_expandtabs_to(text, tabsize=4)"),
        ("text[1:]", "string_slice(text, 1, None)"),
        ("text[:i + 1]", "string_slice(text, None, i + 1)"),
        ("text[ i : -1 ]", "string_slice(text, i, -1)"),
        ("text[::2]", "string_slice_step(text, None, None, 2)"),
        ("text[i::]", "string_slice(text, i, None)"),
        ("text[ : ]", "string_slice(text, None, None)"),
        ("text[ : : 2 ]", "string_slice_step(text, None, None, 2)"),
        ("text[::-1]", "string_reversed(text)"),
        ("text [ :: -1 ]", "string_reversed(text)"),
        ("text . strip ( )", "string_strip(text)"),
        ("text[{1: 2}[1]:part[0:1]]", "string_slice(text, {1: 2}[1], string_slice(part, 0, 1))"),
        ("part in text", "string_in(part, text)"),
        ("part not in text", "not string_in(part, text)"),
        ("not part in text", "not string_in(part, text)"),
        ("1 if'a'in text else 2", "1 if string_in('a', text) else 2"),
        ("text.strip().lower()", "string_lower(string_strip(text))"),
        ("(text + part).upper()", "string_upper((text + part))"),
        ("'é' in text and text.upper()", "string_in('é', text) and string_upper(text)"),
        (
            "[w.upper() for w in text.split(' ')]",
            "[string_upper(w) for w in string_split_at(text, ' ')]",
        ),
        ("lambda x=text.upper(): x[1:]", "lambda x=string_upper(text): string_slice(x, 1, None)"),
        # Its arguments may raise, but a string has the method, and of others it is asked first.
        (
            "text.find(part[0])",
            "(string_find(text, part[0]) if type(text) is str else text.find(part[0]))",
        ),
        ("'ab'.find(part, i + 1)", "string_find_from('ab', part, i + 1)"),
        ("'ab'.upper().find(part[0])", "string_find(string_upper('ab'), part[0])"),
    ],
)
def test_an_operation_becomes_a_call(before: str, after: str) -> None:
    assert returned(before) == after


@pytest.mark.parametrize(
    "expression",
    [
        "text[i]",
        "text + part",
        "text * 2",
        "text % part",
        "text.append(part)",
        "text.index",
        "text.index()",
        "text.join(part, i)",
        "text.upper(i)",
        "text.count(x=part)",
        "text == part",
        "[1, 2].index(i)",
        "[1, 2][i:]",
        "part in ('a', 'b')",
        "i in {1: 2}",
        "i in range(5)",
        "1 in text",
        "'a'.isalpha()",
        "chr(i).upper()",
        "[c.upper() for c in 'abc']",
        "str.upper(text)",
        "text[i:, 1]",
        "text[part]",
    ],
)
def test_other_operations_stay_and_are_not_listed(expression: str) -> None:
    source = f"def f(text, part, i):\n    return {expression}\n"
    result = rewrite_strings(source)
    assert (result.text, result.left) == (source, ())


@pytest.mark.parametrize(
    ("source", "what", "reason"),
    [
        ("print(f'{x.upper()}')", "upper", "f-string"),
        ("x.count(*y)", "count", "unpacked"),
        ("x.split(**y)", "split", "unpacked"),
        ("x.startswith('a', 1)", "startswith", "no replacement"),
        ("x.split(maxsplit=1)", "split", "no replacement"),
        ("x.isidentifier()", "isidentifier", "no replacement"),
        ("x[0].find(y[0])", "find", "may fail"),
        ("x.y.find(z)", "find", "may fail"),
        ("a in b in c", "in", "chained comparison"),
        ("x[(lambda: 1)():]", "slice", "lambda"),
        ("(x.upper)()", "upper", "layout is not supported"),
        ("len = max\nx.count('a')", "count", "its own len"),
        ("def f():\n    global str; str = 1\nx.upper()", "upper", "its own str"),
        ("from os import type\nx.upper()", "upper", "its own type"),
        ("class A:\n    def find(self, x): pass\nx.find('a')", "find", "a method of this name"),
        ("x.find = 1\nx.find('a')", "find", "a method of this name"),
        ("from os import *\nx.upper()", "upper", "all names from os"),
        ("print(globals())\nx.upper()", "upper", "uses globals"),
        ("print(dir())\nx.upper()", "upper", "uses dir"),
        ("print([locals() for _ in x])\nx.upper()", "upper", "uses locals"),
        ("print(list(map(vars, [])))\nx.upper()", "upper", "uses vars"),
        ("eval('1')\nx.upper()", "upper", "uses eval"),
        ("import inspect\nx.upper()", "upper", "uses inspect"),
        ("from sys import _getframe\nx.upper()", "upper", "uses _getframe"),
        ("import sys\nsys.setrecursionlimit(50)\nx.upper()", "upper", "setrecursionlimit"),
        ("try: f()\nexcept RecursionError: x.upper()", "upper", "uses RecursionError"),
        ("x.upper() is x", "upper", "identity"),
        ("id(x.upper())", "upper", "identity"),
        ("'doc'; x.upper()", "upper", "docstring"),
        ("from __future__ import annotations; x.upper()", "upper", "future"),
    ],
)
def test_unsafe_operations_stay_and_are_listed(source: str, what: str, reason: str) -> None:
    result = rewrite_strings(source)
    line = source.count("\n") + 1
    assert [(each.line, each.what) for each in result.left if reason in each.why] == [(line, what)]
    assert find_string_operations(source) == ()


def test_operations_inside_a_skipped_one_are_rewritten() -> None:
    source = "def f(x, y):\n    return x[0].find(y.upper())\n"
    assert "return x[0].find(string_upper(y))" in rewrite_strings(source).text


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    return locals()\nx.upper()",
        "def f(y):\n    return dir(y)\nx.upper()",
        "def f(str, len, type):\n    return str.upper()\n",
        "x.upper()\nif x is None or type(x) is int: pass",
        "class A:\n    def len(self): pass\nx.upper()",
    ],
)
def test_programs_that_observe_nothing_are_rewritten(source: str) -> None:
    assert [each.what for each in find_string_operations(source)] == ["upper"]
    assert rewrite_strings(source).left == ()


def test_an_operation_is_skipped_if_str_is_shadowed() -> None:
    """If `str` is a variable, `type(x) is str` cannot be tested."""
    result = rewrite_strings("def f(str, i):\n    return str.find('a', i + 1)\n")
    assert result.changed == ()
    assert [each.what for each in result.left] == ["find"]


def test_docstring_and_future_imports_stay_first() -> None:
    source = (
        '"""Doc."""\nfrom __future__ import annotations\n# on f\ndef f(x):\n    return x.upper()\n'
    )
    result = rewrite_strings(source)
    head = '"""Doc."""\nfrom __future__ import annotations\n\n'
    assert result.text == head + UPPER + "# on f\ndef f(x):\n    return string_upper(x)\n"
    assert result.origins[:4] == (1, 2, 0, 0)


def test_special_comments_stay_first() -> None:
    source = "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\nx = input().upper()\n"
    assert rewrite_strings(source).text.startswith(
        "#!/usr/bin/env python3\n# -*- coding: utf-8 -*-\n\ndef string_upper(text):\n"
    )


def test_names_that_occur_in_the_text_are_not_used() -> None:
    source = "def f(x, string_upper_):\n    return x.upper()  # not string_upper\n"
    assert "return string_upper__(x)" in rewrite_strings(source).text


def test_each_form_of_a_call_has_its_own_function() -> None:
    result = rewrite_strings("a = x.split(y, 1)\nb = x.split(y, maxsplit=1)\nc = x.split(y, 2)\n")
    assert result.text.count("def string_split_at_most(") == 1
    assert result.text.count("def string_split_at_most_(") == 1
    assert "return text.split(sep, maxsplit=maxsplit)" in result.text


def test_a_second_rewrite_changes_nothing() -> None:
    source = "def f(x, y):\n    return x.upper()[y:], x.split(y), x.find(y[0]), x.split(sep=y)\n"
    once = rewrite_strings(source).text
    assert rewrite_strings(once).text == once
    assert find_string_operations(once) == ()
    # A different function of that name is rewritten as any other.
    other = "def string_upper(text):\n    return text.upper()\n"
    assert "return string_upper_(text)" in rewrite_strings(other).text


def test_multi_line_expressions_keep_their_lines_and_comments() -> None:
    source = """\
def f(text):
    return (text  # first
            .strip()
            # then
            .replace('a',  # old
                     'b')[
                1:   # all but one
            ])
"""
    assert (
        body(source)
        == """\
def f(text):
    return (string_slice(string_replace(string_strip(text  # first
            )
            # then
            , 'a',  # old
                     'b'),
                1, None   # all but one
            ))"""
    )


def test_the_entry_point_is_not_rewritten() -> None:
    source = (
        "def f(x):\n    return x\n\ndef main(): # << START_OF_TRACE\n    return f('a'.upper())\n"
    )
    assert rewrite_strings(source).text == source
    assert find_string_operations(source) == ()


def test_annotations_are_not_rewritten() -> None:
    source = "def f(x: 'ab'[1:]) -> 'ab'[1:]:\n    y: 'ab'[:1] = x\n    return y\n"
    assert rewrite_strings(source).text == source


def test_only_the_given_lines_are_rewritten() -> None:
    source = "a = x.upper()\nb = x.upper()\nc = f'{x.upper()}'\n"
    result = rewrite_strings(source, lines=[2])
    assert result.text == f"{UPPER}a = x.upper()\nb = string_upper(x)\nc = f'{{x.upper()}}'\n"
    assert (result.changed, result.left) == ((2,), ())
    assert find_string_operations(source, lines=[2]) == (StringOperation(2, "upper", "x.upper()"),)
    assert rewrite_strings(source, lines=[]).text == source


def test_text_that_is_not_python_stays() -> None:
    for source in ("x.upper(", "\0", "", "if x:\n\ty.upper()\n        z\n", "((" * 500):
        assert rewrite_strings(source).text == source
        assert find_string_operations(source) == ()


def test_a_too_deeply_nested_program_is_skipped() -> None:
    source = "x = " + " + ".join(["y.upper()"] * 900) + "\n"
    result = rewrite_strings(source)
    assert result.text == source
    assert [each.why for each in result.left] == ["the program is nested too deeply to be analyzed"]


STDLIB = Path(sysconfig.get_path("stdlib"))


@pytest.mark.parametrize(
    "path", ["textwrap", "shlex", "difflib", "urllib/parse", "http/cookies", "email/header", "cgi"]
)
def test_undoing_the_rewrite_gives_the_original_program(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules of the standard library, rewritten without the check for introspection."""
    monkeypatch.setattr(rewrite_plan, "rejection_reason", lambda tree, scopes: None)
    file = STDLIB / f"{path}.py"
    if not file.exists():
        pytest.skip(f"this Python has no {path}")
    text = file.read_text(encoding="utf-8")
    result = rewrite_strings(text)
    assert len(result.changed) >= 5
    new = ast.parse(result.text)
    functions = [node for node in new.body if isinstance(node, ast.FunctionDef)]
    inserted = {node.name for node in functions if result.origin(node.lineno) == 0}
    assert ast.dump(undo_rewrite(new, inserted)) == ast.dump(normalize(ast.parse(text)))
