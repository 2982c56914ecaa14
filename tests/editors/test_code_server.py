"""Starting code-server: what the other tests of this folder rely on."""

import time
from pathlib import Path

import pytest

from tests.editors.code_server import START_LIMIT, start_editor


def test_a_broken_command_fails_at_once(tmp_path: Path) -> None:
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="does not answer"):
        start_editor(["false"], tmp_path)
    assert time.monotonic() - start < START_LIMIT / 2
