"""The documentation lists the columns that there are."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from worldline.store import TRACE_COLUMNS, Column
from worldline.training import EXAMPLE_COLUMNS

PAGE = Path(__file__).parent.parent.parent / "docs" / "export.md"


@pytest.mark.parametrize(
    ("mark", "columns"), [("traces", TRACE_COLUMNS), ("examples", EXAMPLE_COLUMNS)]
)
def test_every_column_is_documented_as_it_is(mark: str, columns: Sequence[Column]) -> None:
    table = PAGE.read_text(encoding="utf-8").split(f"<!-- {mark} -->")[1]
    found = re.findall(r"^\| `(\w+)` \| (.+) \|$", table, re.MULTILINE)
    assert found == [(column.name, column.about) for column in columns]
