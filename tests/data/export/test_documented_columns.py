"""The documentation lists all columns of traces, outcomes and examples."""

import re
from collections.abc import Sequence

import pytest

from tests.support.paths import DOCS_FOLDER
from worldline.data.export import EXAMPLE_COLUMNS
from worldline.evaluation.store import OUTCOME_COLUMNS, TRACE_COLUMNS, Column

DOCS = DOCS_FOLDER


@pytest.mark.parametrize(
    ("page", "mark", "columns"),
    [
        ("how-to/export-training-data.md", "traces", TRACE_COLUMNS),
        ("how-to/export-training-data.md", "examples", EXAMPLE_COLUMNS),
        ("how-to/trace-at-scale.md", "outcomes", OUTCOME_COLUMNS),
    ],
)
def test_documentation_lists_every_column(page: str, mark: str, columns: Sequence[Column]) -> None:
    table = (DOCS / page).read_text(encoding="utf-8").split(f"<!-- {mark} -->")[1]
    result = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE)
    assert result == [(column.name, column.description) for column in columns]
