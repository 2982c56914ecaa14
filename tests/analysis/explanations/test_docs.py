"""docs/reference/explanations.md agrees with the code."""

import re

from tests.support.paths import DOCS_FOLDER
from worldline.analysis.explanations import MAX_CHANCE, MAX_CHANGES, MISCONCEPTIONS
from worldline.analysis.explanations.changed_program import BATCH_SIZE
from worldline.analysis.explanations.explanation_chance import DRAWS, ERROR_RATE

PAGE = (DOCS_FOLDER / "reference" / "explanations.md").read_text(encoding="utf-8")


def test_the_page_lists_the_catalogue() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \| ", PAGE, re.MULTILINE)
    assert dict(rows) == {name: each.sentence for name, each in MISCONCEPTIONS.items()}


def test_the_page_states_the_settings() -> None:
    assert f"At most {MAX_CHANGES} changes" in PAGE
    assert f"executed {BATCH_SIZE} at a time" in PAGE
    assert f"at most 1 in {1 / MAX_CHANCE:.0f}" in PAGE
    assert f"{DRAWS:,} random wrong values" in PAGE
    assert f"multiplies the chance by {ERROR_RATE}" in PAGE
