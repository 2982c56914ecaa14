"""docs/interventions.md says what the code does."""

import re
from pathlib import Path

from worldline.intervene import CALLED_FOR, INTERVENTIONS

PAGE = Path(__file__).parent.parent.parent / "docs" / "interventions.md"


def test_the_page_has_every_cause_and_what_it_calls_for() -> None:
    told = {}
    section = PAGE.read_text(encoding="utf-8").split("## Which cause calls for which")[1]
    for cause, confirmed in re.findall(r"^\| `(\w+)` \| (.*) \|$", section, re.MULTILINE):
        told[cause] = tuple(re.findall(r"`([\w-]+)`", confirmed))
    assert told == dict(CALLED_FOR)


def test_the_page_has_every_intervention() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## What is changed")[1].split("##")[0]
    first = re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
    assert {name for cell in first for name in re.findall(r"`([\w-]+)`", cell)} == set(
        INTERVENTIONS
    )
