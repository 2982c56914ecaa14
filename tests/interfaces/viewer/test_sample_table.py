"""Sample table: search, filters and sorting, the same as in viewer/tests/query.test.ts."""

from tests.support.paths import PROJECT_ROOT
from tests.support.scored_samples import make_scored_sample
from worldline.analysis.diagnosis import label
from worldline.interfaces.viewer import Query, Table, build_table, query_rows
from worldline.interfaces.viewer.sample_table import COLUMN_LABELS, Cell
from worldline.interfaces.viewer.text_index import TextIndex, table_texts

ROWS = [
    make_scored_sample(
        "b",
        "incorrect",
        outcome="diverged",
        differs_in="state",
        variable="x",
        kind="str",
        step=9,
    ),
    make_scored_sample("a", "correct", outcome="correct", facets={"depth": 2}),
    make_scored_sample(
        "c", "incorrect", outcome="diverged", differs_in="action", step=10, facets={"depth": 1}
    ),
    make_scored_sample(
        "a", "incorrect", repeat=1, outcome="diverged", differs_in="state", kind="int", step=2
    ),
]


def names(query: Query, table: Table | None = None) -> list[Cell]:
    table = table or build_table(ROWS)
    found = TextIndex([table_texts(table)]).search(query.search)
    return [row[0] for row in query_rows(table, query, found)[1]]


def test_rows_have_the_name_and_the_repeat_of_their_sample() -> None:
    assert names(Query()) == ["b", "a", "c", "a#1"]


def test_all_facets_must_match() -> None:
    assert names(Query(facets={"where": "state"})) == ["b", "a#1"]
    assert names(Query(facets={"where": "state", "kind": "int"})) == ["a#1"]
    assert names(Query(facets={"where": ""})) == ["a"]
    assert names(Query(facets={"kind": "-"})) == ["c"]
    assert names(Query(facets={"program_depth": "1"})) == ["c"]


def test_search_ignores_case_and_numbers() -> None:
    assert names(Query(search="ACTION")) == ["c"]
    assert names(Query(search="a#")) == ["a#1"]
    assert names(Query(search="10")) == []


def test_numbers_sort_by_size_and_empty_cells_come_last() -> None:
    assert names(Query(sort="step")) == ["a#1", "b", "c", "a"]
    assert names(Query(sort="step", is_descending=True)) == ["c", "b", "a#1", "a"]
    assert names(Query(sort="no such column")) == ["b", "a", "c", "a#1"]


def test_columns_that_are_empty_in_all_samples_are_left_out() -> None:
    samples = [
        make_scored_sample("a", "correct", outcome="correct"),
        make_scored_sample("b", "incorrect", outcome="diverged", differs_in="return"),
    ]
    columns = {column.name for column in build_table(samples).columns}
    assert columns.isdisjoint({"cause", "variable", "tokens"})
    assert {"predicted", "actual", "kind"} <= columns
    caused = make_scored_sample("c", "incorrect", outcome="diverged", cause="copy_error")
    columns = {column.name for column in build_table([*samples, caused]).columns}
    assert "cause" in columns
    assert "variable" not in columns


def test_sorting_is_stable() -> None:
    assert names(Query(sort="verdict")) == ["a", "b", "c", "a#1"]
    assert names(Query(sort="verdict", is_descending=True)) == ["b", "c", "a#1", "a"]


def test_names_sort_by_the_numbers_in_them() -> None:
    samples = [make_scored_sample(name, "correct") for name in ("s26", "s3", "s03", "t1", "s")]
    table = build_table(samples)
    assert names(Query(sort="id"), table) == ["s", "s3", "s03", "s26", "t1"]
    assert names(Query(sort="id", is_descending=True), table) == ["t1", "s26", "s3", "s03", "s"]


def test_the_labels_of_outcomes_are_searched() -> None:
    # "correct" is a verdict; the outcome of that name has another label.
    assert names(Query(search="same exec")) == ["a"]
    assert names(Query(search="ends too early")) == []


def test_columns_of_the_first_divergence_are_adjacent() -> None:
    columns = [column.name for column in build_table(ROWS).columns]
    grouped = ["actual", "predicted", "where", "variable", "step", "kind"]
    start = columns.index("actual")
    assert columns[start : start + len(grouped)] == grouped


def test_a_page_of_rows_has_the_total_of_all_pages() -> None:
    total, rows = query_rows(build_table(ROWS), Query(offset=1, limit=2))
    assert total == 4
    assert [row[0] for row in rows] == ["a", "c"]


def test_columns_with_few_values_have_a_menu() -> None:
    columns = {column.name: column for column in build_table(ROWS).columns}
    assert columns["verdict"].values == (("correct", 1), ("incorrect", 3))
    assert columns["id"].values is None
    assert columns["step"].type == "number"
    assert columns["step"].values is None
    assert columns["program_depth"].type == "number"


def test_the_labels_of_outcomes_are_documented() -> None:
    page = (PROJECT_ROOT / "docs" / "reference" / "diagnosis.md").read_text(encoding="utf-8")
    cells = [
        [cell.strip(" `") for cell in line.split("|")[1:-1]]
        for line in page.split("## Outcomes")[1].split("\n\n")[1].splitlines()[2:]
    ]
    words = COLUMN_LABELS["outcome"]
    assert {code: shown for code, _, shown in cells} == {
        code: words.get(code, label(code)) for code, *_ in cells
    }
    assert words.keys() <= {code for code, *_ in cells}
