"""Rows are searched, filtered and sorted as the page does it with a file."""

from tests.judged import judged
from worldline.viewer import Query, Table, table_of
from worldline.viewer.rows import Cell, find_rows

ROWS = [
    judged("b", "wrong", outcome="diverged", differs_in="state", kind="str", step=9),
    judged("a", "right", outcome="correct", facets={"depth": 2}),
    judged("c", "wrong", outcome="diverged", differs_in="action", step=10, facets={"depth": 1}),
    judged("a", "wrong", repeat=1, outcome="diverged", differs_in="state", kind="int", step=2),
]


def names(query: Query, table: Table | None = None) -> list[Cell]:
    return [row[0] for row in find_rows(table or table_of(ROWS), query)[1]]


def test_a_row_is_named_as_it_is_asked_for() -> None:
    assert names(Query()) == ["b", "a", "c", "a#1"]


def test_all_that_is_asked_for_must_hold() -> None:
    assert names(Query(facets={"where": "state"})) == ["b", "a#1"]
    assert names(Query(facets={"where": "state", "kind": "int"})) == ["a#1"]
    assert names(Query(facets={"where": ""})) == ["a"]
    assert names(Query(facets={"kind": "-"})) == ["c"]
    assert names(Query(facets={"program_depth": "1"})) == ["c"]


def test_a_search_is_in_any_text_whatever_its_case() -> None:
    assert names(Query(search="ACTION")) == ["c"]
    assert names(Query(search="a#")) == ["a#1"]
    assert names(Query(search="10")) == []


def test_numbers_are_sorted_as_numbers_and_nothing_stands_last() -> None:
    assert names(Query(sort="step")) == ["a#1", "b", "c", "a"]
    assert names(Query(sort="step", is_descending=True)) == ["c", "b", "a#1", "a"]
    assert names(Query(sort="nothing of that name")) == ["b", "a", "c", "a#1"]


def test_equal_ones_stay_in_order() -> None:
    assert names(Query(sort="verdict")) == ["a", "b", "c", "a#1"]
    assert names(Query(sort="verdict", is_descending=True)) == ["b", "c", "a#1", "a"]


def test_a_piece_is_given_and_all_are_counted() -> None:
    total, rows = find_rows(table_of(ROWS), Query(offset=1, limit=2))
    assert total == 4
    assert [row[0] for row in rows] == ["a", "c"]


def test_columns_say_what_can_be_chosen() -> None:
    columns = {column.name: column for column in table_of(ROWS).columns}
    assert columns["verdict"].values == ("right", "wrong")
    assert columns["id"].values is None
    assert columns["step"].type == "number"
    assert columns["step"].values is None
    assert columns["program_depth"].type == "number"
