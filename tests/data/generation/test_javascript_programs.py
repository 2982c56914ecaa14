"""Generated programs in JavaScript: the same results as in Python."""

import ast
import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

import worldline as wl
from tests.support.neutral_values import encode_python, evaluate_javascript
from worldline.core.errors import InputError, RecorderError
from worldline.core.trace import Program
from worldline.data.generation import LEVELS, generate_programs
from worldline.data.generation.javascript import (
    TranslationError,
    translate_literal,
    translate_program,
)
from worldline.interfaces.cli import main
from worldline.languages.javascript.node_runtime import find_node


@pytest.fixture(scope="module", autouse=True)
def node() -> None:
    try:
        find_node()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))


def test_200_programs_of_all_levels_have_equal_results() -> None:
    levels = list(LEVELS)
    python = list(generate_programs(count=200, seed=5, levels=levels))
    javascript = {
        each.id: each
        for each in generate_programs(count=200, seed=5, levels=levels, language="javascript")
    }
    both = [each for each in python if each.id in javascript]
    assert len(javascript) == 200
    # A few programs have no translation; others take their place.
    assert len(both) > 180
    assert {each.facets["level"] for each in both} == set(levels)
    programs = [javascript[each.id].program for each in both]
    assert {each.language for each in programs} == {"javascript"}
    results = evaluate_javascript([(each.source, each.call or "") for each in programs])
    for question, result in zip(both, results, strict=True):
        expected = encode_python(ast.literal_eval(question.expected or ""))
        assert result == expected, javascript[question.id].program.source


# Expressions of x with their values: what differs between the languages.
CASES = [
    ("x // 4", "-7"),
    ("x % 4", "-7"),
    ("x % -4", "7"),
    ("-x", "0"),
    ("round(x)", "2.5"),
    ("round(x)", "-3.5"),
    ("round(x, 1)", "0.25"),
    ("round(x, 1)", "0.15"),
    ("round(x, 1)", "-2.75"),
    ("int(x)", "-2.7"),
    ("sorted(x)", "[10, 9, -1]"),
    ("sorted(x, reverse=True)", "['b', 'B', 'a']"),
    ("x[::-1]", "'abc'"),
    ("x[-2:]", "[1, 2, 3]"),
    ("x[1::2]", "'abcde'"),
    ("x.title()", "'ab-cd EF'"),
    ("x.capitalize()", "'aBC'"),
    ("x.swapcase()", "'aBc1'"),
    ("x.strip('-]')", "'-]a-b]-'"),
    ("x.split()", "'  a b '"),
    ("x.replace('a', '$&')", "'banana'"),
    ("x.count('an')", "'banana'"),
    ("x.islower()", "'a1'"),
    ("x.isupper()", "'12'"),
    ("x.isalpha()", "''"),
    ("x.removeprefix('a')", "'aab'"),
    ("x * 2", "[1, 2]"),
    ("x + [3]", "[1]"),
    ("x == x[::-1]", "[1, 2, 1]"),
    ("x.get('b', 7)", "{'a': 0}"),
    ("{**x, 'b': 2}", "{'b': 1, 'a': 3}"),
    ("len(x) if x else 9", "[]"),
    ("1 < x < 3", "2"),
    ("x in 'abc'", "'bc'"),
    ("list(range(x))", "-1"),
    ("x & {1, 2}", "{1, 3}"),
    ("max(x) - min(x)", "[4, 9, 2]"),
    ("(x == 'a') + 1", "'a'"),
]


@pytest.mark.parametrize(("expression", "argument"), CASES)
def test_expressions_have_equal_values(expression: str, argument: str) -> None:
    source = f"def f(x):\n    return {expression}\n"
    translated = translate_program(Program(source, f"f({argument})"))
    (result,) = evaluate_javascript([(translated.source, translated.call or "")])
    assert result == encode_python(eval(expression, {"x": ast.literal_eval(argument)}))


STATEMENTS = [
    ("total = 0\nfor i in range(x):\n    total += i\nreturn total", "4"),
    ("for i in range(3):\n    if i == x:\n        y = i\nreturn y", "1"),
    ("x += [4]\nx[-1] = 7\ndel x[0]\nx.insert(0, 9)\nreturn x", "[1, 2]"),
    ("x['b'] = x.get('b', 0) + 1\nx['a'] += 2\nreturn x", "{'a': 1}"),
    ("out = []\nfor k, v in x.items():\n    out.append(k * v)\nreturn out", "{'a': 2}"),
    ("t = 0\nfor i, c in enumerate(x):\n    if c == 'b':\n        continue\n    t += i\nreturn t",
     "'abc'"),
    ("while x:\n    x = x[1:]\n    if len(x) == 1:\n        break\nreturn x", "'abc'"),
    ("a, b = x, 1\na, b = b, a\nreturn a, b", "3"),
    ("for i in range(x, 0, -2):\n    z = i\nreturn z", "5"),
    ("t = 0\nfor a, b in zip(x, [1, 2]):\n    t += a * b\nreturn t", "[3, 4, 5]"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "argument"), STATEMENTS)
def test_statements_have_equal_results(body: str, argument: str) -> None:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    source = f"def f(x):\n{lines}"
    translated = translate_program(Program(source, f"f({argument})"))
    (result,) = evaluate_javascript([(translated.source, translated.call or "")])
    scope: dict[str, object] = {}
    exec(source, scope)
    assert result == encode_python(eval(f"f({argument})", scope))


def test_a_translation_is_plain_javascript() -> None:
    program = Program(
        "def f(xs):\n    n = 0\n    for x in xs:\n        if x > 1:\n            n += x\n"
        "    return n // 2\n",
        "f([1, 2])",
    )
    assert translate_program(program).source == (
        "function f(xs) {\n  let n = 0;\n  for (const x of xs) {\n    if (x > 1) {\n"
        "      n += x;\n    }\n  }\n  return Math.floor(n / 2);\n}\n"
    )


@pytest.mark.parametrize(
    "body",
    ["return [y for y in x]", "import os", "return 2**100", "return {1: x}[1] is x", "new = x"],
)
def test_what_has_no_translation_is_an_error(body: str) -> None:
    source = f"def f(x):\n    {body}\n    return x\n"
    with pytest.raises(TranslationError):
        translate_program(Program(source, "f([1])"))


def test_literals() -> None:
    assert translate_literal("{'a': (1, None)}") == "new Map([['a', [1, null]]])"
    assert translate_literal('"it\'s"') == r"'it\'s'"
    assert translate_literal("{2, 1}") == "new Set([1, 2])"
    assert translate_literal("True") == "true"


def test_a_language_that_is_not_generated() -> None:
    with pytest.raises(InputError, match="python or javascript, not in 'java'"):
        list(generate_programs(count=1, language="java"))


def test_a_file_of_programs_is_recorded(tmp_path: Path) -> None:
    file = tmp_path / "programs.jsonl"
    arguments = ["generate", "-o", str(file), "--count", "4", "--levels", "loops,containers"]
    result = CliRunner().invoke(main, [*arguments, "--language", "javascript", "--workers", "1"])
    assert result.exit_code == 0, result.output
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["language"] for row in rows] == ["javascript"] * 4
    for row in rows:
        trace = wl.record(row["code"], row["call"], language="javascript")
        assert trace.result is not None
        assert trace.program.values.answers_equal(row["expected"], trace.result), row
