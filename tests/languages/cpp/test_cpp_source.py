"""C++ source: entry point, calls, functions, statements and answers."""

import pytest

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax
from worldline.core.trace import Program
from worldline.languages.cpp import cpp_source as source
from worldline.languages.cpp.cpp_statements import loop_lines, statement_lines
from worldline.languages.cpp.cpp_tokens import tokenize

SOURCE = "int f(int x) {\n  return x;\n}\n"


def test_a_call_is_wrapped_and_split_again() -> None:
    program = Program(SOURCE, "f(1);", language="cpp")
    entry = "auto call_main() { // << START_OF_TRACE\n    return f(1);\n}\n"
    assert program.text == f"{SOURCE}\n{entry}"
    assert program.entry == "call_main"
    again = Program.from_text(program.text, language="cpp")
    assert again.split_entry() == (SOURCE.rstrip(), "f(1)")
    assert again.hash == program.hash
    # A name that the source uses is not taken.
    assert Program("int call_main();", "call_main()", language="cpp").entry == "call_main_"


def test_an_entry_point_that_does_more_is_itself_called() -> None:
    text = f"{SOURCE}auto call_main() {{ // << START_OF_TRACE\n  int y = 1;\n  return f(y);\n}}\n"
    assert Program.from_text(text, language="cpp").split_entry() == (text, "call_main()")
    assert Program.from_text(SOURCE, language="cpp").split_entry() is None


@pytest.mark.parametrize("call", ["f(1)", 'f("a;b")', "A<int>{1}.g()", "f({1, 2});", "f(')')"])
def test_calls(call: str) -> None:
    source.check_call(call)


@pytest.mark.parametrize(
    "call", ["", "f(1", "f(1))", "auto x = 1", "f(); g()", "return f()", "f(]"]
)
def test_what_is_not_one_expression_is_refused(call: str) -> None:
    with pytest.raises(ProgramError, match="the call"):
        source.check_call(call)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SOURCE, [FunctionSyntax(1, 2, 3, frozenset({"x"}))]),
        (
            "template <typename T>\nauto f(const std::map<int, T>& a, T b = {1, 2}) -> T\n{\n  return b;\n}\n",
            [FunctionSyntax(2, 4, 5, frozenset({"a", "b"}))],
        ),
        (
            "struct A {\n  A(int a) : x(a), y{a} {\n    x++;\n  }\n  bool operator<(const A& o) const {\n"
            "    return x < o.x;\n  }\n  int x, y;\n};\n",
            [FunctionSyntax(2, 3, 4, frozenset({"a"})), FunctionSyntax(5, 6, 7, frozenset({"o"}))],
        ),
        (
            "void f() {\n  auto g = [&](int q) {\n    return q;\n  };\n  if (g(1)) {\n    g(2);\n  }\n}\n",
            [FunctionSyntax(1, 2, 8, frozenset()), FunctionSyntax(2, 3, 4, frozenset({"q"}))],
        ),
        # A function within a line, a declaration, and what only looks like a function.
        (
            "int f() { return 1; }\nint g(int);\nstruct S {\n  int x{1};\n};\nint v[] = {\n  1};\n",
            [],
        ),
        ('const char* s = R"(int f() {\n})";\n// int f() {\n// }\n', []),
    ],
)
def test_functions(text: str, expected: list[FunctionSyntax]) -> None:
    assert list(source.functions(text)) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = 1 +\n  2;\ny = 3;", {1: 1, 2: 1, 3: 3}),
        ("std::vector<int> v = {\n  1,\n  2\n};", {1: 1, 2: 1, 3: 1, 4: 1}),
        (
            "if (x) {\n  y();\n} else if (z) {\n  w();\n} else {\n  u();\n}",
            {1: 1, 2: 2, 3: 3, 4: 4, 6: 6},
        ),
        ("try {\n  y();\n} catch (...) {\n  z();\n}", {2: 2, 4: 4}),
        ("do {\n  x--;\n} while (x);", {2: 2, 3: 3}),
        ("switch (x) {\n  case 1:\n    y();\n  default: z();\n}", {1: 1, 3: 3, 4: 4}),
        (
            "std::sort(a, b,\n  [](int p, int q) {\n    return p < q;\n  }\n);",
            {1: 1, 2: 1, 3: 3, 4: 1, 5: 1},
        ),
        ("goto end;\nend:\nx = y ? a : b;", {1: 1, 3: 3}),
        ("for (int i = 0;\n     i < 3; i++)\n  f(i);", {1: 1, 2: 1, 3: 3}),
    ],
)
def test_lines_of_statements(body: str, expected: dict[int, int]) -> None:
    text = f"void f() {{\n{body}\n}}\n"
    shifted = {line + 1: start + 1 for line, start in expected.items()}
    assert statement_lines(text) == {1: 1, **shifted}


def test_loops_within_a_line() -> None:
    text = (
        "while (x) x--;\nfor (;;) {\n  x;\n}\ndo x++; while (x);\nfor (;;) { x; }\nfor (;;)\n  x;\n"
    )
    assert loop_lines(text) == {1, 5, 6}


def test_tokens_leave_out_directives_and_comments() -> None:
    text = "#define F(x) \\\n  {\nf(1'000, R\"x(a)\")x\", '\\''); /* { */ // {"
    assert [token.text for token in tokenize(text)] == [
        *("f", "(", "1'000", ",", 'R"x(a)")x"', ",", "'\\''", ")", ";")
    ]
    assert tokenize(text)[0].line == 3


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("assert(candidate((1)) == (2));", "(2)"),
        ('f(1) == std::string("a == b")', 'std::string("a == b")'),
        ("assert(!f(1))", "false"),
        ("assert(f(1));", "true"),
        (" {1, 2}; ", "{1, 2}"),
        ("", None),
    ],
)
def test_answers(answer: str, value: str | None) -> None:
    assert source.parse_answer(answer) == value
