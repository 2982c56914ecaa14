"""docs/how-to/confirm-causes.md agrees with the code."""

import re

from tests.support.paths import DOCS_FOLDER
from worldline.analysis.interventions import INTERVENTIONS, INTERVENTIONS_BY_CAUSE

PAGE = DOCS_FOLDER / "how-to" / "confirm-causes.md"


def test_the_page_lists_the_interventions_of_every_cause() -> None:
    documented = {}
    section = PAGE.read_text(encoding="utf-8").split("## Interventions for each cause")[1]
    for cause, confirmed in re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE):
        documented[cause] = tuple(re.findall(r"`([\w-]+)`", confirmed))
    assert documented == dict(INTERVENTIONS_BY_CAUSE)


def test_the_page_lists_every_intervention() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## What is changed")[1].split("##")[0]
    first = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert {name for cell in first for name in re.findall(r"`([\w-]+)`", cell)} == set(
        INTERVENTIONS
    )
