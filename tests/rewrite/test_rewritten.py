"""Edits of a text, and the way back to the lines it had."""

from worldline.rewrite import Edit, LeftAlone, composed, edited, unchanged

TEXT = "a\nb\nc\n"


def test_lines_in_place_of_others_stand_for_them() -> None:
    found = edited(TEXT, [Edit(2, 2, (("x", 2), ("y", 2)))])
    assert found.text == "a\nx\ny\nc\n"
    assert found.origins == (1, 2, 2, 3)
    assert found.changed == (2,)


def test_lines_put_in_stand_for_none_and_change_none() -> None:
    found = edited(TEXT, [Edit(2, 1, (("new", 0),)), Edit(4, 3, (("end", 0),))])
    assert found.text == "a\nnew\nb\nc\nend\n"
    assert found.origins == (1, 0, 2, 3, 0)
    assert found.changed == ()
    assert [found.origin(line) for line in (0, 2, 3, 9)] == [0, 0, 2, 0]


def test_no_edits_leave_all_lines() -> None:
    assert edited(TEXT, []) == unchanged(TEXT)


def test_two_rewrites_lead_back_to_the_first_text() -> None:
    first = edited(TEXT, [Edit(1, 1, (("a", 1), ("a2", 1)))])
    left = LeftAlone(4, "c", "it is left")
    second = edited(first.text, [Edit(3, 3, (("b1", 3), ("b2", 3)))], left=[left])
    both = composed(first, second)
    assert both.text == "a\na2\nb1\nb2\nc\n"
    assert both.origins == (1, 1, 2, 2, 3)
    assert both.changed == (1, 2)
    assert both.left == (LeftAlone(3, "c", "it is left"),)
