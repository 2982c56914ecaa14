"""JavaScript source: entry point, calls, functions and answers."""

import pytest

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax
from worldline.core.trace import Program
from worldline.languages.javascript import javascript_source as source

SOURCE = "function f(x) {\n  return x;\n}\n"


def test_a_call_is_wrapped_and_split_again() -> None:
    program = Program(SOURCE, "f(1);", language="javascript")
    entry = "function main() { // << START_OF_TRACE\n    return f(1);\n}\n"
    assert program.text == f"{SOURCE}\n{entry}"
    assert program.entry == "main"
    again = Program.from_text(program.text, language="javascript")
    assert again.split_entry() == (SOURCE.rstrip(), "f(1)")
    assert again.hash == program.hash
    # A name that the source uses is not taken.
    assert Program("function main() {}", "main()", language="javascript").entry == "main_"


def test_an_entry_point_that_does_more_is_itself_called() -> None:
    text = f"{SOURCE}function main() {{ // << START_OF_TRACE\n  const y = 1;\n  return f(y);\n}}\n"
    assert Program.from_text(text, language="javascript").split_entry() == (text, "main()")
    assert Program.from_text(SOURCE, language="javascript").split_entry() is None


@pytest.mark.parametrize(
    "call", ["f(1)", "f('a;b')", "new F({a: [1]}).g()", "f(`x${1}`);", "f(/[)]/)"]
)
def test_calls(call: str) -> None:
    source.check_call(call)


@pytest.mark.parametrize("call", ["", "f(1", "f(1))", "let x = 1", "f(); g()", "await f()", "f(]"])
def test_what_is_not_one_expression_is_refused(call: str) -> None:
    with pytest.raises(ProgramError, match="the call"):
        source.check_call(call)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SOURCE, [FunctionSyntax(1, 2, 3, frozenset({"x"}))]),
        (
            "const f = (a, {b, c: d}, ...e) => {\n  return 1;\n};\n",
            [FunctionSyntax(1, 2, 3, frozenset({"a", "b", "d", "e"}))],
        ),
        (
            "class A {\n  m(x = g(1, 2)) {\n    if (x) {\n    }\n  }\n}\n",
            [FunctionSyntax(2, 3, 5, frozenset({"x"}))],
        ),
        (
            "function f<T>(a: number, b: string[] = []): Map<string, T> {\n  return 1;\n}\n",
            [FunctionSyntax(1, 2, 3, frozenset({"a", "b"}))],
        ),
        # Functions within a line, and what only looks like a function.
        ("const f = x => x + 1;\nif (f(1)) {\n  f(2);\n}\nfor (;;) {\n}\n", []),
        (
            "const s = 'function f(x) {';\n// function g() {\n/* => {\n */\nconst t = `=> {\n`;\n",
            [],
        ),
    ],
)
def test_functions(text: str, expected: list[FunctionSyntax]) -> None:
    assert list(source.functions(text)) == expected


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("assert.deepStrictEqual(f([1, 2], 'a,b'), [1, 2]);", "[1, 2]"),
        ("assert.equal(f(1), 2)", "2"),
        ("assert f(1) == 2", "2"),
        ("assert(f(1) === 'a == b');", "'a == b'"),
        ("console.assert(f(1) === 2)", "2"),
        ("f('===') === 2", "2"),
        (" {a: 1}; ", "{a: 1}"),
        ("assert(f(1))", "true"),
        ("assert(!f(1))", "false"),
        ("", None),
    ],
)
def test_answers(answer: str, value: str | None) -> None:
    assert source.parse_answer(answer) == value
