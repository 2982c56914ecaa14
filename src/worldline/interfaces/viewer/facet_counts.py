"""Counts of a filter: how many samples each value of a menu would show.

viewer/src/facetCounts.ts counts the same for a report file, which has no server.
"""

from collections import Counter
from collections.abc import Container, Sequence
from operator import itemgetter
from typing import Any

from worldline.interfaces.viewer.sample_table import (
    Cell,
    Query,
    Row,
    Table,
    filter_rows,
)


def count_facets(
    table: Table, query: Query, matching: Container[Cell] = ()
) -> dict[str, dict[str, Any]]:
    """Count the samples that each value of each menu would show, if it were chosen.

    The search and the values chosen in other columns apply; that of the column itself is replaced.

    Args:
        table: All rows.
        query: The search and the facets.
        matching: The names of the samples that contain the searched text, from a `TextIndex`.

    Returns:
        For each column with a menu, `FacetCounts` in viewer/src/api: the number of samples
        without a choice, and with each value that occurs.
    """
    searched: Sequence[Row] = table.rows
    if query.search:
        searched = [row for row in table.rows if row[0] in matching]
    shown = filter_rows(table, searched, query.facets)
    counts: dict[str, dict[str, Any]] = {}
    for index, column in enumerate(table.columns):
        if column.values is None:
            continue
        rows = shown
        if column.name in query.facets:
            others = {name: value for name, value in query.facets.items() if name != column.name}
            rows = filter_rows(table, searched, others)
        cells = Counter(map(itemgetter(index), rows))
        values = {str(cell): count for cell, count in cells.items() if cell is not None}
        counts[column.name] = {"total": len(rows), "values": values}
    return counts
