"""Values of all languages as text: any text of a model is a value or not, and never an error."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.core.language import ValueSyntax
from worldline.languages.cpp import cpp_values
from worldline.languages.go import go_values
from worldline.languages.java import java_values
from worldline.languages.javascript import javascript_values
from worldline.languages.rust import rust_values

LANGUAGES: dict[str, ValueSyntax] = {
    "cpp": cpp_values,
    "go": go_values,
    "java": java_values,
    "javascript": javascript_values,
    "rust": rust_values,
}
PARTS = (
    *"[]{}()<>!:;,.-&*=?'\"\\a01|%@#$_`\n ",
    *("::", "..", "&&", "vec", "map", "Some", "None", "nil", "null", "true", "0x", "1e", "1.5"),
    *("new", "std", "struct", "Point", "as", "'a'", '"b"', "'\\u{1}'", "'\\'", "[]int", "func"),
    *("map[string]int", "&Point{", "[2]int{", "errors.New(", "vec!", 'R"(x)"', "0b1", "\u2028"),
)
TEXTS = st.lists(st.sampled_from(PARTS), max_size=9).map("".join)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=150, deadline=None)
@given(TEXTS, TEXTS)
def test_any_two_texts_are_compared(language: str, text: str, other: str) -> None:
    values = LANGUAGES[language]
    assert values.compare_values(text, text).is_same
    values.compare_values(text, other)
    values.first_leaf(text, other)
    assert isinstance(values.value_kind(text), str)


@pytest.mark.parametrize(
    ("language", "text", "kind"),
    [
        ("cpp", "<", "object"),
        ("cpp", "std::vector<int", "object"),
        ("go", "'\\u{1}'", "str"),
        ("rust", "no !container", "object"),
    ],
)
def test_incomplete_values(language: str, text: str, kind: str) -> None:
    assert LANGUAGES[language].value_kind(text) == kind
