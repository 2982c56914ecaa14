"""Export that the tests train with."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.data.export.small_exports import exported, stored
from worldline.evaluation.store import StoredTrace
from worldline.languages.python.recorder import PythonRecorder


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory, recorder: PythonRecorder) -> Path:
    folder = tmp_path_factory.mktemp("training")
    exported(folder, repeat(stored(recorder), 5), tokenizer="bpe:320")
    return folder / "export"


def repeat(traces: list[StoredTrace], times: int) -> list[StoredTrace]:
    return [replace(t, id=f"{t.id}_{n}") for n in range(times) for t in traces]
