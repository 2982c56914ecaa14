"""Files of the cache: the oldest are removed, also if another process removes them, too."""

import os
from pathlib import Path

import pytest

from worldline.core.util.cache_folder import remove_oldest


def make_files(folder: Path, count: int) -> None:
    for number in range(count):
        file = folder / str(number)
        file.write_text("")
        os.utime(file, (number, number))


def test_the_files_that_were_not_used_for_the_longest_time_are_removed(tmp_path: Path) -> None:
    make_files(tmp_path, 5)
    remove_oldest(tmp_path, keep=2)
    assert {file.name for file in tmp_path.iterdir()} == {"3", "4"}
    remove_oldest(tmp_path, keep=2)
    assert {file.name for file in tmp_path.iterdir()} == {"3", "4"}


def test_files_that_another_process_removes_are_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_files(tmp_path, 3)
    listed = [*tmp_path.iterdir(), tmp_path / "removed"]
    monkeypatch.setattr(Path, "iterdir", lambda _: iter(listed))
    remove_oldest(tmp_path, keep=1)
    assert sorted(os.listdir(tmp_path)) == ["2"]
