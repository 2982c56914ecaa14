"""Commands in configurations of a machine: the documented table is true.

`scripts/bench matrix` runs all of it; here are cells of every configuration whose result differs.
"""

import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.configurations import (
    CONFIGURATIONS,
    USERS,
    Result,
    Workbench,
    table_of_matrix,
)
from tests.support.paths import DOCS_FOLDER

PAGE = DOCS_FOLDER / "installation.md"


def documented_cells() -> dict[tuple[str, str], dict[str, str]]:
    """The table of the documentation, with the sentences in place of their numbers."""
    text = PAGE.read_text(encoding="utf-8").partition("## What works where")[2]
    sentences = dict(re.findall(r"^(\d+)\. (.+)$", text, re.MULTILINE))
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    commands = rows[0][1:]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for name, *shown in rows[1:]:
        configuration, _, user = name.rpartition(", ")
        texts = [sentences[each.strip("()")] if each != "works" else each for each in shown]
        cells[configuration, user] = dict(zip(commands, texts, strict=True))
    return cells


def test_the_table_has_all_configurations_and_no_traceback() -> None:
    cells = documented_cells()
    assert cells.keys() == {(name, user) for name in CONFIGURATIONS for user in USERS}
    for row in cells.values():
        assert row.keys() == {"demo", "diagnose", "trace", "show RUN", "report -o"}
        assert not any("raceback" in cell for cell in row.values())
        # They execute nothing.
        assert row["demo"] == row["show RUN"] == row["report -o"] == "works"


@pytest.fixture(scope="module")
def workbench() -> Iterator[Workbench]:
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Workbench(Path(folder))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can imitate a configuration")
@pytest.mark.parametrize(
    ("configuration", "user", "command"),
    [
        ("full", "root", "diagnose"),
        ("no user namespaces", "root", "diagnose"),
        ("Docker", "user", "trace"),
        ("no bubblewrap", "user", "diagnose"),
        ("no libseccomp", "user", "diagnose"),
        ("no compiler", "root", "diagnose"),
        ("read-only HOME and /tmp", "root", "trace"),
        ("LC_ALL=C", "user", "diagnose"),
        ("restricted pod", "user", "demo"),
    ],
)
def test_cells_are_as_documented(
    workbench: Workbench, configuration: str, user: str, command: str
) -> None:
    result = workbench.run(configuration, USERS[user], workbench.commands()[command])
    assert result.cell == documented_cells()[configuration, user][command], result


def test_cells_of_results() -> None:
    assert Result(0, "fine", "").cell == "works"
    assert (
        Result(2, "", "a warning\nworldline: it is not installed\n").cell == "it is not installed"
    )
    assert Result(1, "", "Traceback (most recent call last):\nKeyError").cell == "a traceback"
    assert Result(0, "", "Traceback (most recent call last):\nKeyError").cell == "a traceback"


def test_sentences_of_the_table_are_numbered() -> None:
    cells = {
        ("full", "root"): {"demo": "works", "trace": "works"},
        ("Docker", "root"): {"demo": "works", "trace": "forbidden"},
        ("Docker", "user"): {"demo": "missing", "trace": "forbidden"},
    }
    assert table_of_matrix(cells) == [
        "| configuration | demo | trace |",
        "|---|---|---|",
        "| full, root | works | works |",
        "| Docker, root | works | (1) |",
        "| Docker, user | (2) | (1) |",
        "",
        "1. forbidden",
        "2. missing",
    ]
