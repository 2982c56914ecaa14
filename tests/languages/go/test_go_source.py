"""Syntax of Go programs: entry points, calls, functions and answers."""

from pathlib import Path

import pytest

from worldline.core.errors import ProgramError
from worldline.core.trace import Program
from worldline.languages.go import go_source
from worldline.languages.go.go_declarations import functions_of

EVENTS = (Path(__file__).parents[2] / "programs" / "go" / "events.go").read_text()
SOURCE = """package main
func one(n int) int { return n }
func two(a, b int) (sum int, err error) { return a + b, nil }
func none() {}
func list() map[string]interface{} { return nil }
func pick[T any](xs []T) T { return xs[0] }
type S struct{}
func (s S) Size(x int) (int, bool) { return 1, true }
func (s *S) Clear() {}
"""


@pytest.mark.parametrize(
    ("call", "entry"),
    [
        ("one(1)", "func call_main() int { // << START_OF_TRACE\n\treturn one(1)\n}\n"),
        ("two(1, 2)", "func call_main() (int, error) { // << START_OF_TRACE\n\treturn two(1, 2)\n}\n"),
        ("none();", "func call_main() { // << START_OF_TRACE\n\tnone()\n}\n"),
        ("list()", "func call_main() map[string]interface{} { // << START_OF_TRACE\n\treturn list()\n}\n"),
        ("pick([]int{1})", "func call_main() any { // << START_OF_TRACE\n\treturn pick([]int{1})\n}\n"),
        ("S{}.Size(1)", "func call_main() (any, any) { // << START_OF_TRACE\n\treturn S{}.Size(1)\n}\n"),
        ("new(S).Clear()", "func call_main() { // << START_OF_TRACE\n\tnew(S).Clear()\n}\n"),
        ("one(1) + 2", "func call_main() any { // << START_OF_TRACE\n\treturn one(1) + 2\n}\n"),
        ('strings.ToUpper("a")', 'func call_main() any { // << START_OF_TRACE\n\treturn strings.ToUpper("a")\n}\n'),
    ],
)  # fmt: skip
def test_a_call_is_wrapped_and_split_again(call: str, entry: str) -> None:
    program = Program(SOURCE, call, language="go")
    assert program.text == f"{SOURCE}\n{entry}"
    assert go_source.find_entry(program.text) == "call_main"
    rest, found = go_source.split_entry(program.text, "call_main")
    assert (rest.rstrip(), found) == (SOURCE.rstrip(), call.rstrip(";"))
    count = SOURCE.count("\n")
    assert go_source.entry_lines(program.text, "call_main") == (count + 2, count + 3, count + 4)


def test_an_entry_point_has_a_name_of_its_own() -> None:
    text = go_source.wrap_call("func call_main() {}", "call_main()")
    assert go_source.find_entry(text) == "call_main_"
    body = "func g() { // << START_OF_TRACE\n\tx := 1\n\tprintln(x)\n}\n"
    assert go_source.split_entry(body, "g") == (body, "g()")
    assert go_source.find_entry(SOURCE) is None


@pytest.mark.parametrize(
    "call", ["f(1)", "a.b(2)[0]", "f(func(x int) int { return x; }, 1)", "[]int{1}"]
)
def test_expressions_are_calls(call: str) -> None:
    go_source.check_call(call)


@pytest.mark.parametrize(
    "call",
    ["", "f(1); g()", "return f(1)", "x := 1", "x = 2", "f(1), f(2)", "f(1", "go f()", "x++"],
)
def test_statements_are_not(call: str) -> None:
    with pytest.raises(ProgramError, match="not one Go expression"):
        go_source.check_call(call)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("f(1) == 2", "2"),
        ("assert.Equal(t, []int{1, 2}, f(1))", "[]int{1, 2}"),
        (" 4; ", "4"),
        ('"a == b"', '"a == b"'),
        ("", None),
    ],
)
def test_answers(answer: str, value: str | None) -> None:
    assert go_source.parse_answer(answer) == value


def test_functions_have_their_lines_and_parameters() -> None:
    found = {each.name: each for each in functions_of(EVENTS)}
    twice, push = found["twice"].syntax, found["Push"].syntax
    assert (twice.line, twice.first_line, twice.last_line) == (9, 10, 12)
    assert twice.parameters == {"n"}
    assert push.parameters == {"s", "n"}
    assert found["results"].results == ("int", "error")
    assert found["First"].is_generic
    assert 14 not in {each.line for each in go_source.functions(EVENTS)}
    literals = [each for each in functions_of(EVENTS) if not each.name]
    assert [each.syntax.line for each in literals] == [80, 93, 158]


def test_types_and_comments_are_not_functions() -> None:
    text = "// func a() {\ntype F func(int) string\nvar g func()\ntype I interface {\n\tM(x int) int\n}\n"
    assert functions_of(text) == ()


def test_a_text_without_a_package_gets_one_on_its_line() -> None:
    assert go_source.complete_source("func f() {}") == "package main; func f() {}"
    assert go_source.complete_source("// a\npackage x\n") == "// a\npackage x\n"
    assert go_source.source_lines("a\r\nb\n") == ("a", "b")
