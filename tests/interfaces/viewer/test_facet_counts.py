"""Counts of a filter: what each value of a menu would show, the same as in facetCounts.test.ts."""

from tests.interfaces.viewer.test_sample_table import ROWS
from worldline.interfaces.viewer import Query, build_table, query_rows
from worldline.interfaces.viewer.facet_counts import count_facets
from worldline.interfaces.viewer.text_index import TextIndex, table_texts

TABLE = build_table(ROWS)
INDEX = TextIndex([table_texts(TABLE)])


def test_counts_are_the_numbers_of_rows_that_a_choice_shows() -> None:
    for query in (
        Query(),
        Query(search="state"),
        Query(facets={"verdict": "incorrect"}),
        Query(facets={"verdict": "incorrect", "where": "state"}),
        Query(facets={"kind": ""}),
        Query(search="a", facets={"where": "state"}),
    ):
        found = INDEX.search(query.search)
        counts = count_facets(TABLE, query, found)
        menus = [column for column in TABLE.columns if column.values is not None]
        assert set(counts) == {column.name for column in menus}
        for column in menus:
            others = {name: value for name, value in query.facets.items() if name != column.name}
            total, _ = query_rows(TABLE, Query(search=query.search, facets=others), found)
            assert counts[column.name]["total"] == total
            for value, _ in column.values or ():
                chosen = Query(search=query.search, facets={**others, column.name: value})
                expected, _ = query_rows(TABLE, chosen, found)
                assert counts[column.name]["values"].get(value, 0) == expected


def test_a_chosen_value_does_not_hide_the_others_of_its_column() -> None:
    counts = count_facets(TABLE, Query(facets={"where": "state"}))
    assert counts["where"] == {"total": 4, "values": {"state": 2, "action": 1}}
    assert counts["verdict"] == {"total": 2, "values": {"incorrect": 2}}


def test_the_texts_of_samples_are_searched_too() -> None:
    counts = count_facets(TABLE, Query(search="no such cell"), {"c"})
    assert counts["verdict"] == {"total": 1, "values": {"incorrect": 1}}
