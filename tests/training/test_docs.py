"""The documentation lists the columns that there are."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from worldline.store import OUTCOME_COLUMNS, TRACE_COLUMNS, Column
from worldline.training import EXAMPLE_COLUMNS

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.mark.parametrize(
    ("page", "mark", "columns"),
    [
        ("export.md", "traces", TRACE_COLUMNS),
        ("export.md", "examples", EXAMPLE_COLUMNS),
        ("scale.md", "outcomes", OUTCOME_COLUMNS),
    ],
)
def test_every_column_is_documented_as_it_is(
    page: str, mark: str, columns: Sequence[Column]
) -> None:
    table = (DOCS / page).read_text(encoding="utf-8").split(f"<!-- {mark} -->")[1]
    found = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE)
    assert found == [(column.name, column.about) for column in columns]
