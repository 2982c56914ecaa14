"""Rust source: tokens, functions, statements, entry points and answers."""

import pytest

from worldline.core.errors import ProgramError
from worldline.languages.rust import rust_source
from worldline.languages.rust.rust_moves import copied_types
from worldline.languages.rust.rust_structure import function_bodies, statement_lines
from worldline.languages.rust.rust_tokens import tokenize


def test_tokens() -> None:
    text = "let r#x: &'a str = r#\"a\"b\"#; /* a /* b */ c */ 'x' '\\'' b'\\n' 1..2 1.5e3f32 0xff_u8 // e"
    assert [(token.kind, token.text) for token in tokenize(text)] == [
        *(("name", "let"), ("name", "r#x"), ("mark", ":"), ("mark", "&"), ("lifetime", "'a")),
        *(("name", "str"), ("mark", "="), ("string", 'r#"a"b"#'), ("mark", ";"), ("char", "'x'")),
        *(("char", "'\\''"), ("char", "b'\\n'"), ("number", "1"), ("mark", ".."), ("number", "2")),
        *(("number", "1.5e3f32"), ("number", "0xff_u8")),
    ]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("let a = 1;\nlet b = a +\n    2;", {2: 2, 3: 3, 4: 3}),
        # Blocks of expressions have their own statements; lines of braces have none.
        ("let x = if a {\n1\n} else if b {\n2\n} else {\n3\n};", {2: 2, 3: 3, 4: 4, 5: 5, 7: 7, 8: 2}),
        ("if a {\nb();\n} else {\nc();\n}\nd()", {2: 2, 3: 3, 5: 5, 7: 7}),
        # The arms of a match: those with a block have statements only in the block.
        ("match x {\nSome(y) => y,\nNone => {\n0\n}\n}", {2: 2, 3: 3, 5: 5}),
        # The fields of a struct and the arguments of a macro are not statements.
        ("let p = Point {\nx: 1,\n};\nvec![\n1,\n]", {2: 2, 3: 2, 4: 2, 5: 5, 6: 5, 7: 5}),
        # A chain is one statement; a closure in it is a function of its own.
        ("v.iter()\n.map(|x| x + 1)\n.sum()", {2: 2, 3: 2, 4: 2}),
        ("v.map(|x| {\nx\n})", {2: 2, 4: 2}),
        ("for i in 0..3 {\ng(i);\n}\n#[allow(unused)]\nlet c = 'a: loop {\nbreak 'a 1;\n};", {2: 2, 3: 3, 6: 6, 7: 7, 8: 6}),
    ],
)  # fmt: skip
def test_statements_of_a_function(body: str, lines: dict[int, int]) -> None:
    assert function_bodies(f"fn f() {{\n{body}\n}}")[0].statements == lines


def test_functions_and_closures() -> None:
    text = (
        "impl<T> A<T> {\n    pub fn get<'a>(&'a self, (a, b): (i32, i32), m: HashMap<A, B>) -> T\n"
        "    where T: Copy {\n        let k = move |x: i32, &y| -> i32 { x + y };\n"
        "        g(|| 1)\n    }\n    fn declared();\n}\nconst fn h() {}\n"
    )
    found = [
        (each.line, each.last_line, each.parameters, each.is_closure)
        for each in function_bodies(text)
    ]
    assert found == [
        (2, 6, ("self", "a", "b", "m"), False),
        (4, 4, ("x", "y"), True),
        (5, 5, (), True),
        (9, 9, (), False),
    ]
    assert [each.line for each in rust_source.functions(text)] == [2]


def test_or_is_not_a_closure() -> None:
    assert (
        len(function_bodies("fn f(a: u8, b: bool) -> bool {\n    (a | 1) > 0 || b || g(a | 2)\n}"))
        == 1
    )


def test_moves_and_assignments() -> None:
    text = (
        "fn f(a: String, b: String, c: String, d: String) {\n    let late;\n    g(a, &b);\n"
        '    println!("{}", b);\n    late = c;\n    if x { g(d); }\n    for e in b {\n    }\n}\n'
    )
    (function,) = function_bodies(text)
    assert function.deferred == ((2, "late"),)
    assert function.assigned == {"late": (5,)}
    assert function.moved == {"a": (3,), "c": (5,), "b": (7,)}


def test_types_that_are_copied() -> None:
    text = (
        "#[derive(Clone, Copy)]\npub struct A;\n#[derive(Clone)]\nstruct B;\nimpl Copy for C {}\n"
    )
    assert copied_types(text) == ["A", "C"]


def test_statement_lines_are_those_of_all_functions() -> None:
    assert statement_lines("fn f() {\n    g();\n}\nfn h() {\n    1\n}\n") == {2: 2, 5: 5}


def test_a_call_is_wrapped_and_split() -> None:
    source = "fn f(x: i32) -> i32 {\n    x\n}\n"
    text = rust_source.wrap_call(source, "f(1);")
    assert text.endswith("\n\nfn call_main() -> impl Sized { // << START_OF_TRACE\n    f(1)\n}\n")
    assert rust_source.find_entry(text) == "call_main"
    assert rust_source.split_entry(text, "call_main") == (source.rstrip(), "f(1)")
    assert rust_source.entry_lines(text, "call_main") == (5, 6, 7)
    assert rust_source.find_entry(source) is None
    assert "fn call_main_()" in rust_source.wrap_call("fn call_main() {}", "f()")


@pytest.mark.parametrize(
    "call", ["f(1)", "f(vec![1; 3])", "f(|x| { x })", "A::new(1).get()", "f(1);"]
)
def test_an_expression_is_a_call(call: str) -> None:
    rust_source.check_call(call)


@pytest.mark.parametrize(
    "call", ["", "f(", "f(1); g()", "let x = 1", "fn f() {}", "} fn g() {", "use a"]
)
def test_other_text_is_not_a_call(call: str) -> None:
    with pytest.raises(ProgramError, match="not one Rust expression"):
        rust_source.check_call(call)


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("assert_eq!(f(1, 2), vec![1, 2]);", "vec![1, 2]"),
        ("assert!(f(1) == 2)", "2"),
        ("assert!(f(1))", "true"),
        ("assert!(!f(1));", "false"),
        ("f(1) == (2, 3)", "(2, 3)"),
        (" [1] ; ", "[1]"),
        ("", None),
    ],
)
def test_answers(answer: str, value: str | None) -> None:
    assert rust_source.parse_answer(answer) == value
