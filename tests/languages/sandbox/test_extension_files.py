"""Messages about the C extension: why it is missing, and what to do."""

from pathlib import Path

import pytest

from worldline.languages.sandbox.extension_files import (
    explain_missing_extension,
    installed_versions,
    version_of_suffix,
)


def test_versions_are_read_from_file_names(tmp_path: Path) -> None:
    for name in ("312-x86_64-linux-gnu", "39-x86_64-linux-gnu", "311-aarch64-linux-gnu"):
        (tmp_path / f"_sandbox_layers.cpython-{name}.so").touch()
    (tmp_path / "_tracer.cpython-313-x86_64-linux-gnu.so").touch()
    assert installed_versions(tmp_path) == ("3.9", "3.11", "3.12")
    assert version_of_suffix(".pypy311-pp73-x86_64-linux-gnu.so") == ""


@pytest.mark.parametrize(
    ("version", "installed", "expected"),
    [
        ("3.14", ("3.11", "3.13"), "not support Python 3.14 (PY): choose another Python (--python python3.13)"),
        ("3.14", (), "not support Python 3.14 (PY): install worldline in Python 3.11 to 3.13"),
        ("", ("3.11",), "not support Python other than CPython (PY): choose"),
        ("3.11", ("3.12", "3.13"), "installed for Python 3.12 and 3.13, not for 3.11 (PY): choose"),
        ("3.11", ("3.12",), "or install worldline again with python3.11 and its headers on PATH"),
        ("3.12", (), "without its C extensions, which the full sandbox needs (PY): install a C compiler"),
    ],
)  # fmt: skip
def test_the_message_names_the_next_step(
    version: str, installed: tuple[str, ...], expected: str
) -> None:
    assert expected in explain_missing_extension("PY", version, installed)
