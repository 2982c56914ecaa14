"""The surprise at every step, as people see it."""

from tests.oracle import ask, engine_of, knowing, prompt_of
from tests.predictions import text_of
from worldline.predict import Settings
from worldline.recorders import PythonRecorder
from worldline.report import score_lines
from worldline.report.scores import bar
from worldline.runs import examine
from worldline.trace import Program

PROGRAM = Program("def f(x):\n    y = x + 1\n    return y\n", "f(3)")


def test_bars() -> None:
    assert [bar(share).rstrip() for share in (0, 0.25, 1, 7)] == ["", "██▌", "█" * 10, "█" * 10]
    assert all(len(bar(n / 100)) == 10 for n in range(101))


def test_a_line_for_every_step_marked_where_the_model_would_do_otherwise(
    recorder: PythonRecorder,
) -> None:
    right = text_of(recorder.record(PROGRAM))
    place = right.index('"y": "4"') + len('"y": "')

    def answer(text: str) -> str:
        written = text.removeprefix(prompt_of(PROGRAM))
        return "9" if len(written) == place else right[len(written) :]

    made = ask(engine_of(answer), recorder, PROGRAM, Settings(mode="score"))
    lines = [line.plain for line in score_lines(examine(made, recorder), width=120)]
    assert lines[0] == "7 of 8 steps are the model's own choice; surprise in nats"
    assert len(lines) == 2 + 8
    marked = [line for line in lines[2:] if "✗" in line]
    assert len(marked) == 1
    assert marked[0].split()[:3] == ["4", "return", "y"]
    assert "10.00 ✗ ██████████" in marked[0]
    assert lines[-1].split()[:3] == ["7", "the", "end"]


def test_nothing_where_nothing_was_scored(recorder: PythonRecorder) -> None:
    engine = engine_of(knowing(recorder.record(PROGRAM)))
    made = ask(engine, recorder, PROGRAM, Settings())
    assert list(score_lines(examine(made, recorder), width=120)) == []
