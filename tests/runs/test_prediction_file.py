"""The file that grows while a model is asked: gone on with, never doubled, never mixed."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.codecs import codec_named
from worldline.errors import InputError
from worldline.predict import (
    Asked,
    Finish,
    Prediction,
    Question,
    Settings,
    make_prediction,
    read_recorded,
)
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
            file.add(made("b"))
        assert path.read_text(encoding="utf-8") == whole


def test_a_run_that_asks_for_nothing_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(made("a"))
        file.add(made("b", error="down"))
    before = path.read_text(encoding="utf-8")
    with PredictionFile(path, is_restarted=True):
        pass
    assert path.read_text(encoding="utf-8") == before


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
        with pytest.raises(InputError, match="being written by another process"):
            PredictionFile(path)
        file.add(made("b"))
    assert len(path.read_text().splitlines()) == 2


def test_going_on_in_another_way_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    settings = Settings(budget=100, temperature=0.5)
    with PredictionFile(path) as file:
        file.expect(Settings(budget=1))
        file.add(made("a"))
    with PredictionFile(path) as file:
        file.expect(settings)
        for other in ({"budget": 7}, {"mode": "guided"}, {"temperature": 0.0}, {"seed": 1}):
            with pytest.raises(InputError, match=f"holds predictions with {next(iter(other))}"):
                file.expect(replace(settings, **other))


def test_another_program_of_the_same_name_is_not_taken_for_done(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    with PredictionFile(path) as file:
        file.add(made("a"))
    with PredictionFile(path) as file:
        assert file.has(Question("a", PROGRAM), 0)
        assert not file.has(Question("a", PROGRAM), 1)
        assert not file.has(Question("b", PROGRAM), 0)
        with pytest.raises(InputError, match="of another program by the name of 'a'"):
            file.has(Question("a", Program("def f(x):\n    return x\n", "f(4)")), 0)


def test_a_file_that_is_refused_is_let_go_of(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": \n{"id": "b"}\n', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        PredictionFile(path)
    assert [child.name for child in tmp_path.iterdir()] == ["p.jsonl"]
    # A notebook keeps the error, and with it all that its frames hold.
    assert refused.value.__traceback__ is not None
    PredictionFile(path, is_restarted=True).close()


@pytest.mark.parametrize("name", [".", "/dev/null"])
def test_what_is_no_file_is_not_replaced_by_one(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is not a file"):
        PredictionFile(tmp_path / name)
    assert list(tmp_path.iterdir()) == []
