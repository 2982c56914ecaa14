"""Plurals, truncation and common prefixes."""

from hypothesis import given
from hypothesis import strategies as st

from worldline.core.util.text import common_prefix_length, pluralize, truncate_text


def test_a_noun_is_plural_except_after_one() -> None:
    assert [pluralize(n, "step") for n in (0, 1, 1234)] == ["0 steps", "1 step", "1,234 steps"]


def test_text_is_truncated_at_both_ends() -> None:
    assert truncate_text("abcdefghij", 10) == "abcdefghij"
    assert truncate_text("abcdefghij", 5) == "abcd…"
    assert truncate_text("abcdefghij", 5, around=6) == "…fgh…"
    assert truncate_text("a\n", 5) == "a\\n"


@given(st.text(), st.text(), st.text())
def test_the_common_prefix_is_the_longest_one(start: str, a: str, b: str) -> None:
    length = common_prefix_length(start + a, start + b)
    assert length >= len(start)
    assert (start + a)[:length] == (start + b)[:length]
    assert (start + a)[: length + 1] != (start + b)[: length + 1] or length == min(
        len(start + a), len(start + b)
    )
