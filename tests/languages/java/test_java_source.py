"""Java source: entry point, calls, functions and answers."""

import pytest

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax
from worldline.core.trace import Program
from worldline.languages.java import java_source as source

SOURCE = "class A {\n    static int f(int x) {\n        return x;\n    }\n}\n"
ENTRY = (
    "\n    static Object main() throws Throwable { // << START_OF_TRACE\n"
    "        return f(1);\n    }\n}\n"
)


def test_a_call_is_wrapped_and_split_again() -> None:
    program = Program(SOURCE, "f(1);", language="java")
    assert program.text == SOURCE.removesuffix("}\n") + ENTRY
    assert program.entry == "main"
    again = Program.from_text(program.text, language="java")
    assert again.split_entry() == (SOURCE.rstrip(), "f(1)")
    assert again.hash == program.hash
    assert Program(*(again.split_entry() or ("", "")), language="java").text == program.text
    assert source.entry_lines(program.text, "main") == (6, 7, 8)


@pytest.mark.parametrize(
    ("text", "call", "head"),
    [
        # The class that has the method, whether it is static, and whether it returns something.
        ("class A {}\nclass B {\n  int f() { return 1; }\n}", "f()", "    Object main()"),
        ("class A {\n  static void f() { g(); }\n}", "f()", "    static void main()"),
        ("class A {\n  int f() { return 1; }\n}", "new A().f()", "    static Object main()"),
        # A name that the source uses is not taken.
        (
            "class A {\n  public static void main(String[] a) { f(); }\n}",
            "f()",
            "    static Object main_()",
        ),
        # Methods without a class.
        ("int f(int x) {\n  return x;\n}", "f(1)", "Object main()"),
        # A method of an inner class is not one of the class.
        (
            "class A {\n  class B {\n    int f() { return 1; }\n  }\n}",
            "f()",
            "    static Object main()",
        ),
        ("interface I { int n(); }\nclass A { }", "1 + 1", "    static Object main()"),
    ],
)
def test_the_entry_point_is_a_method_of_the_class_that_is_called(
    text: str, call: str, head: str
) -> None:
    lines = Program(text, call, language="java").lines
    assert f"{head} throws Throwable {{ // << START_OF_TRACE" in lines
    if "class B" in text and "class A {}" in text:
        assert lines[-1] == "}"
        assert lines[1] == "class B {"


def test_methods_without_a_class_keep_their_lines() -> None:
    text = "import java.util.*;\nint f(int x) {\n  return x;\n}\n"
    unit = source.complete_unit(text)
    assert unit == "import java.util.*; class Program { \nint f(int x) {\n  return x;\n}\n}"
    assert source.complete_unit(SOURCE) == SOURCE


def test_an_entry_point_that_does_more_is_itself_called() -> None:
    head = "static Object main() { // << START_OF_TRACE"
    text = f"class A {{\n  {head}\n    int y = 1;\n    return f(y);\n  }}\n}}\n"
    assert Program.from_text(text, language="java").split_entry() == (text, "main()")
    assert Program.from_text(SOURCE, language="java").split_entry() is None


@pytest.mark.parametrize(
    "call",
    [
        "f(1)",
        'f("a;b")',
        "new F<>(List.of(1)).g()",
        "f('(');",
        "A.f(x -> x + 1)",
        "f(new int[]{1})",
    ],
)
def test_calls(call: str) -> None:
    source.check_call(call)


@pytest.mark.parametrize(
    "call", ["", "f(1", "f(1))", "int x = 1", "f(); g()", "return 1", "String s", "f(]"]
)
def test_what_is_not_one_expression_is_refused(call: str) -> None:
    with pytest.raises(ProgramError, match="the call"):
        source.check_call(call)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (SOURCE, [FunctionSyntax(2, 3, 4, frozenset({"x"}))]),
        # Annotations, type parameters, `throws`, and parameters with type arguments.
        (
            "class A {\n  @Override\n  public <T> Map<K, T> f(\n      Map<String, T[]> m, int... n)"
            "\n      throws IOException {\n    return 1;\n  }\n}\n",
            [FunctionSyntax(3, 6, 7, frozenset({"m", "n"}))],
        ),
        # A constructor, a lambda with a block, and a method of an anonymous class.
        (
            "class A {\n  A(int x) {\n    g((a, b) -> {\n      return 1;\n    });\n"
            "    new B(1) {\n      void h() {\n      }\n    };\n  }\n}\n",
            [
                FunctionSyntax(2, 3, 10, frozenset({"x"})),
                FunctionSyntax(3, 4, 5, frozenset({"a", "b"})),
                FunctionSyntax(7, 8, 8, frozenset()),
            ],
        ),
        # Functions within a line, and what only looks like a function.
        ("class A {\n  int f() { return 1; }\n  F g = x -> x + 1;\n  abstract int h();\n}\n", []),
        ("record P(int x) {\n}\n", []),
        ('class A {\n  String s = "void f() {";\n  // int g() {\n  /* void h() {\n  */\n}\n', []),
        (
            "class A {\n  int f(int x) {\n    switch (x) {\n      case 1 -> {\n      }\n    }\n"
            "    if (x > 1) {\n    }\n    return x;\n  }\n}\n",
            [FunctionSyntax(2, 3, 10, frozenset({"x"}))],
        ),
    ],
)
def test_functions(text: str, expected: list[FunctionSyntax]) -> None:
    assert list(source.functions(text)) == expected


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("assert f(1).equals(List.of(2));", "List.of(2)"),
        ('assert(f("a").equals(("b")));', '("b")'),
        ("assert f(1) == 2", "2"),
        ('assertEquals(2, f("a, b"))', "2"),
        ('f("==") == 2', "2"),
        ("(1 + 2)", "(1 + 2)"),
        (' {"a"=1}; ', '{"a"=1}'),
        ("assert f(1)", "true"),
        ("assert !f(1)", "false"),
        ("", None),
    ],
)
def test_answers(answer: str, value: str | None) -> None:
    assert source.parse_answer(answer) == value
