"""Edits of a text, and the original lines of the new text."""

from worldline.languages.python.rewrite import (
    Edit,
    SkippedRewrite,
    apply_edits,
    compose_rewrites,
    unchanged,
)

TEXT = "a\nb\nc\n"


def test_new_lines_have_the_origin_of_the_lines_they_replace() -> None:
    result = apply_edits(TEXT, [Edit(2, 2, (("x", 2), ("y", 2)))])
    assert result.text == "a\nx\ny\nc\n"
    assert result.origins == (1, 2, 2, 3)
    assert result.changed == (2,)


def test_inserted_lines_have_no_origin_and_change_no_line() -> None:
    result = apply_edits(TEXT, [Edit(2, 1, (("new", 0),)), Edit(4, 3, (("end", 0),))])
    assert result.text == "a\nnew\nb\nc\nend\n"
    assert result.origins == (1, 0, 2, 3, 0)
    assert result.changed == ()
    assert [result.origin(line) for line in (0, 2, 3, 9)] == [0, 0, 2, 0]


def test_no_edits_change_nothing() -> None:
    assert apply_edits(TEXT, []) == unchanged(TEXT)


def test_composed_rewrites_map_to_the_original_text() -> None:
    first = apply_edits(TEXT, [Edit(1, 1, (("a", 1), ("a2", 1)))])
    left = SkippedRewrite(4, "c", "it is not safe")
    second = apply_edits(first.text, [Edit(3, 3, (("b1", 3), ("b2", 3)))], left=[left])
    both = compose_rewrites(first, second)
    assert both.text == "a\na2\nb1\nb2\nc\n"
    assert both.origins == (1, 1, 2, 2, 3)
    assert both.changed == (1, 2)
    assert both.left == (SkippedRewrite(3, "c", "it is not safe"),)
