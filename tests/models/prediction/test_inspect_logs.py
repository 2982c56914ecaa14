"""Logs of Inspect are distinguished from other files, and need the extra `inspect`."""

import json
import sys
from pathlib import Path

import pytest

from worldline.core.errors import InputError
from worldline.models.prediction import read_prediction_file
from worldline.models.prediction.inspect_logs import is_inspect_log

ROW = {"id": "a", "code": "def f(): return 1", "call": "f()", "output": "", "codec": "chat"}


def test_json_files_are_logs_if_they_have_the_header(tmp_path: Path) -> None:
    log = tmp_path / "log.json"
    log.write_text(json.dumps({"version": 2, "status": "success", "eval": {"task": "t"}}))
    assert is_inspect_log(log)
    assert is_inspect_log(tmp_path / "absent.eval")
    assert not is_inspect_log(tmp_path / "absent.json")


def test_json_lines_in_a_json_file_are_still_predictions(tmp_path: Path) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(f"{json.dumps(ROW)}\n")
    assert not is_inspect_log(path)
    assert [prediction.id for prediction in read_prediction_file(path)] == ["a"]


def test_without_inspect_the_extra_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    monkeypatch.setitem(sys.modules, "inspect_ai", None)
    with pytest.raises(InputError, match=r"pip install 'worldline\[inspect\]'"):
        list(read_prediction_file(tmp_path / "log.eval"))
