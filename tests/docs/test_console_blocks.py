"""Commands in `console` blocks of the README and the quickstart run and print what is shown."""

import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.paths import PROJECT_ROOT

PAGES = ("README.md", "docs/quickstart.md")


@dataclass(frozen=True)
class Command:
    """A command as typed, and the lines that are shown after it; `…` stands for any text."""

    text: str
    shown: tuple[str, ...]


def commands(page: str) -> Iterator[Command]:
    text = (PROJECT_ROOT / page).read_text(encoding="utf-8")
    for block in re.findall(r"^```console\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            end = lines.index("EOF") + 1 if "<<'EOF'" in lines[0] else 1
            yield Command("\n".join(lines[:end]), tuple(lines[end:]))


def matches(shown: tuple[str, ...], printed: list[str]) -> bool:
    """Whether the shown lines stand in the printed ones, in order."""
    patterns = [
        ".*" if line.strip() == "…" else ".*".join(map(re.escape, line.rstrip().split("…")))
        for line in shown
    ]
    position = 0
    for pattern in (p for p in patterns if p != ".*"):
        result = [n for n in range(position, len(printed)) if re.fullmatch(pattern, printed[n])]
        if not result:
            return False
        position = result[0] + 1
    return True


@pytest.mark.parametrize("page", PAGES)
def test_commands_print_what_is_shown(page: str, tmp_path: Path) -> None:
    environment = {**os.environ, "COLUMNS": "90", "NO_COLOR": "1"}
    run = list(commands(page))
    assert run
    for command in run:
        done = subprocess.run(
            ["bash", "-c", command.text],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, (command.text, done.stderr)
        printed = [line.rstrip() for line in done.stdout.splitlines()]
        assert matches(command.shown, printed), (command, done.stdout)


@pytest.mark.parametrize(
    ("shown", "is_matched"),
    [(("a", "…", "c"), True), (("a … c",), False), (("b",), True), (("c", "a"), False)],
)
def test_shown_lines_are_found_in_order(shown: tuple[str, ...], is_matched: bool) -> None:
    assert matches(shown, ["a", "b", "c"]) is is_matched
