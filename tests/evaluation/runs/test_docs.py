"""The documentation lists all columns."""

import re

from tests.support.paths import DOCS_FOLDER
from worldline.evaluation.runs import COLUMNS

PAGE = DOCS_FOLDER / "reference" / "runs.md"


def test_every_column_is_documented() -> None:
    table = PAGE.read_text(encoding="utf-8").split("<!-- columns -->")[1]
    documented = re.findall(r"^\| `(\w+)` \| (\w+) \| (.+) \|$", table, re.MULTILINE)
    assert documented == [(column.name, column.type, column.description) for column in COLUMNS]
