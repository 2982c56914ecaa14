"""The file that grows while a model is asked: gone on with, never doubled, never mixed."""

import json
from pathlib import Path

import pytest

from worldline.codecs import codec_named
from worldline.errors import InputError
from worldline.predict import Asked, Finish, Prediction, make_prediction, read_recorded
from worldline.runs import PredictionFile
from worldline.trace import Program

PROGRAM = Program("def f(x):\n    return x\n", "f(3)")


def made(id: str, *, error: str | None = None, budget: int = 100, seed: int = 0) -> Prediction:
    asked = Asked("free", "cwm", budget, temperature=0.5, seed=seed, repeat=0)
    finish: Finish = "stop" if error is None else "error"
    return make_prediction(
        id, PROGRAM, "said", codec_named("cwm"), finish=finish, error=error, model="m", asked=asked
    )  # fmt: skip


def test_a_second_run_knows_what_is_done_and_asks_failures_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "p.jsonl"
    with PredictionFile(path) as file:
        assert file.done == set()
        for prediction in (made("a"), made("b", error="down"), made("c")):
            file.add(prediction)
    with PredictionFile(path) as file:
        assert file.done == {"a", "c"}
        file.add(made("b"))
    assert [prediction.id for prediction in read_recorded(path)] == ["a", "c", "b"]
    assert [child.name for child in path.parent.iterdir()] == ["p.jsonl"]


def test_a_line_that_was_cut_by_the_stop_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(made("a"))
        file.add(made("b"))
    whole = path.read_text(encoding="utf-8")
    first = whole.index("\n") + 1
    for cut in range(first + 1, len(whole) - 1):
        path.write_text(whole[:cut], encoding="utf-8")
        with PredictionFile(path) as file:
            assert file.done == {"a"}
        assert path.read_text(encoding="utf-8") == whole[:first]


def test_a_damaged_line_in_the_middle_is_not_dropped_silently(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": \n{"id": "b"}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1 of .* is no prediction"):
        PredictionFile(path)
    assert path.read_text(encoding="utf-8").startswith('{"id": \n')


def test_predictions_asked_for_in_another_way_are_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(made("a"))
        with pytest.raises(InputError, match=r"with budget 100, not 200; .* -o, .* --restart"):
            file.add(made("b", budget=200))
    with PredictionFile(path) as file, pytest.raises(InputError, match="with seed 0, not 1"):
        file.add(made("b", seed=1))
    with PredictionFile(path, is_restarted=True) as file:
        assert file.done == set()
        file.add(made("b", budget=200))
    assert [json.loads(line)["id"] for line in path.read_text().splitlines()] == ["b"]


def test_two_runs_do_not_write_the_same_file(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(made("a"))
        with pytest.raises(InputError, match="being written by another run"):
            PredictionFile(path)
        file.add(made("b"))
    assert len(path.read_text().splitlines()) == 2
