"""Atomic writes: either the old file or the new one, and no temporary file is left."""

import os
from pathlib import Path

import pytest

from worldline.core.util.files import (
    atomic_folder,
    atomic_write,
    foreign_files,
    temporary_path,
    write_file,
)


def test_a_file_is_created_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    write_file(path, b"old")
    write_file(path, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a.json"]


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    with atomic_write(path) as new:
        assert new == temporary_path(path) == tmp_path / ".a.json.new"
        new.write_bytes(b"half")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"half"


@pytest.mark.parametrize("error", [OSError("full"), KeyboardInterrupt(), ValueError()])
def test_a_failed_write_leaves_the_old_file_unchanged(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"old")

    def fail() -> None:
        with atomic_write(path, temporary=tmp_path / "b") as new:
            new.write_bytes(b"half")
            raise error

    with pytest.raises(type(error)):
        fail()
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_a_missing_folder_is_reported_with_the_temporary_path(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path in (tmp_path / "none" / "a", tmp_path / "file" / "a"):
        with pytest.raises(OSError, match=r"\.a\.new"):
            write_file(path, b"")


def test_data_is_flushed_before_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.json"
    synced: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda _: synced.append(path.exists()))
    with atomic_write(path, fsync=True) as new:
        new.write_bytes(b"new")
    assert synced == [False]
    write_file(path, b"newer")
    assert synced == [False]


def test_a_folder_is_created_and_replaced(tmp_path: Path) -> None:
    path = tmp_path / "in" / "export"
    for name in ("old", "new"):
        with atomic_folder(path) as folder:
            (folder / name).touch()
            assert folder.parent == path.parent
        assert os.listdir(path) == [name]
        assert os.listdir(tmp_path / "in") == ["export"]
        assert path.stat().st_mode & 0o777 == 0o755


def test_a_failed_write_leaves_the_old_folder_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "export"
    path.mkdir()
    (path / "old").touch()

    def fail() -> None:
        with atomic_folder(path) as folder:
            (folder / "new").touch()
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert os.listdir(tmp_path) == ["export"]
    assert os.listdir(path) == ["old"]


def test_foreign_files_are_listed_sorted(tmp_path: Path) -> None:
    for name in ("c", "a", "b"):
        (tmp_path / name).touch()
    assert foreign_files(tmp_path, {"b"}) == ["a", "c"]
