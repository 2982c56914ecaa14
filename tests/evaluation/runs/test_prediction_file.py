"""Prediction files: resuming them, without duplicates or mixed settings."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.runs import PredictionFile
from worldline.models.codecs import get_codec
from worldline.models.prediction import (
    Finish,
    GenerationRecord,
    Prediction,
    PredictionSettings,
    Question,
    make_prediction,
    read_prediction_file,
)

PROGRAM = Program("def f(x):\n    return x\n", "f(3)")


def make_test_prediction(
    id: str, *, error: str | None = None, max_tokens: int = 100, seed: int = 0
) -> Prediction:
    asked = GenerationRecord("free", "cwm", max_tokens, temperature=0.5, seed=seed, repeat=0)
    finish: Finish = "stop" if error is None else "infra_error"
    return make_prediction(
        id,
        PROGRAM,
        "said",
        get_codec("cwm"),
        finish=finish,
        error=error,
        model="m",
        generation=asked,
    )  # fmt: skip


def test_resuming_keeps_predictions_and_retries_errors(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "p.jsonl"
    with PredictionFile(path) as file:
        assert file.done == set()
        for prediction in (
            make_test_prediction("a"),
            make_test_prediction("b", error="down"),
            make_test_prediction("c"),
        ):
            file.add(prediction)
    with PredictionFile(path) as file:
        assert file.done == {"a", "c"}
        file.add(make_test_prediction("b"))
    assert [prediction.id for prediction in read_prediction_file(path)] == ["a", "c", "b"]
    assert [child.name for child in path.parent.iterdir()] == ["p.jsonl"]


def test_an_incomplete_last_line_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(make_test_prediction("a"))
        file.add(make_test_prediction("b"))
    whole = path.read_text(encoding="utf-8")
    first = whole.index("\n") + 1
    for cut in range(first + 1, len(whole) - 1):
        path.write_text(whole[:cut], encoding="utf-8")
        with PredictionFile(path) as file:
            assert file.done == {"a"}
            file.add(make_test_prediction("b"))
        assert path.read_text(encoding="utf-8") == whole


def test_opening_without_adding_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(make_test_prediction("a"))
        file.add(make_test_prediction("b", error="down"))
    before = path.read_text(encoding="utf-8")
    with PredictionFile(path, restart=True):
        pass
    assert path.read_text(encoding="utf-8") == before


def test_a_damaged_line_in_the_middle_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": \n{"id": "b"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1 of .* is not a prediction"):
        PredictionFile(path)
    assert path.read_text(encoding="utf-8").startswith('{"id": \n')


def test_predictions_with_different_settings_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(make_test_prediction("a"))
        with pytest.raises(InputError, match=r"with max_tokens 100, not 200; .* -o, .* --restart"):
            file.add(make_test_prediction("b", max_tokens=200))
    with PredictionFile(path) as file, pytest.raises(InputError, match="with seed 0, not 1"):
        file.add(make_test_prediction("b", seed=1))
    with PredictionFile(path, restart=True) as file:
        assert file.done == set()
        file.add(make_test_prediction("b", max_tokens=200))
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["b"]


def test_two_processes_cannot_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(make_test_prediction("a"))
        with pytest.raises(InputError, match="being written by another process"):
            PredictionFile(path)
        file.add(make_test_prediction("b"))
    assert len(path.read_text().splitlines()) == 2


def test_resuming_with_different_settings_is_rejected_early(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    settings = PredictionSettings(max_tokens=100, temperature=0.5)
    with PredictionFile(path) as file:
        file.expect(PredictionSettings(max_tokens=1))
        file.add(make_test_prediction("a"))
    with PredictionFile(path) as file:
        file.expect(settings)
        for other in ({"max_tokens": 7}, {"mode": "guided"}, {"temperature": 0.0}, {"seed": 1}):
            with pytest.raises(InputError, match=f"holds predictions with {next(iter(other))}"):
                file.expect(replace(settings, **other))


def test_a_different_program_of_the_same_name_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(make_test_prediction("a"))
    with PredictionFile(path) as file:
        assert file.has(Question("a", PROGRAM), 0)
        assert not file.has(Question("a", PROGRAM), 1)
        assert not file.has(Question("b", PROGRAM), 0)
        with pytest.raises(InputError, match="named 'a' of a different program"):
            file.has(Question("a", Program("def f(x):\n    return x\n", "f(4)")), 0)


def test_a_rejected_file_is_unlocked(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": \n{"id": "b"}\n', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        PredictionFile(path)
    assert [child.name for child in tmp_path.iterdir()] == ["p.jsonl"]
    # A notebook keeps the error, and with it the objects of its frames.
    assert refused.value.__traceback__ is not None
    PredictionFile(path, restart=True).close()


@pytest.mark.parametrize("name", [".", "/dev/null"])
def test_a_path_that_is_not_a_file_is_rejected(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is not a file"):
        PredictionFile(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
