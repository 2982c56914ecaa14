"""The documentation lists the columns that there are."""

import re
from pathlib import Path

from worldline.runs import COLUMNS

PAGE = Path(__file__).parent.parent.parent / "docs" / "runs.md"


def test_every_column_is_documented_as_it_is() -> None:
    table = PAGE.read_text(encoding="utf-8").split("<!-- columns -->")[1]
    found = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", table, re.MULTILINE)
    assert found == [(column.name, column.kind, column.about) for column in COLUMNS]
