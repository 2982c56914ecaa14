"""The negative log-likelihood of every step as text."""

from tests.support.predictions import text_of
from tests.support.scripted_models import ask, continue_actual_trace, engine_of, prompt_of
from worldline.core.trace import Program
from worldline.evaluation.runs import execute_and_diagnose
from worldline.interfaces.report import step_score_lines
from worldline.interfaces.report.step_score_text import bar
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import PredictionSettings

PROGRAM = Program("def f(x):\n    y = x + 1\n    return y\n", "f(3)")


def test_bars_have_ten_cells() -> None:
    assert [bar(share).rstrip() for share in (0, 0.25, 1, 7)] == ["", "██▌", "█" * 10, "█" * 10]
    assert all(len(bar(n / 100)) == 10 for n in range(101))


def test_a_step_that_is_not_the_models_choice_is_marked(
    recorder: PythonRecorder,
) -> None:
    correct = text_of(recorder.record(PROGRAM))
    position = correct.index('"y": "4"') + len('"y": "')

    def answer(text: str) -> str:
        written = text.removeprefix(prompt_of(PROGRAM))
        return "9" if len(written) == position else correct[len(written) :]

    prediction = ask(engine_of(answer), recorder, PROGRAM, PredictionSettings(mode="score"))
    lines = [
        line.plain
        for line in step_score_lines(execute_and_diagnose(prediction, recorder), width=120)
    ]
    assert lines[0] == "7 of 8 steps are the model's own choice; NLL in nats"
    assert len(lines) == 2 + 8
    marked = [line for line in lines[2:] if "✗" in line]
    assert len(marked) == 1
    assert marked[0].split()[:3] == ["4", "return", "y"]
    assert "10.00 ✗ ██████████" in marked[0]
    assert lines[-1].split()[:3] == ["7", "the", "end"]


def test_a_sample_without_scores_has_no_lines(recorder: PythonRecorder) -> None:
    engine = engine_of(continue_actual_trace(recorder.record(PROGRAM)))
    prediction = ask(engine, recorder, PROGRAM, PredictionSettings())
    assert list(step_score_lines(execute_and_diagnose(prediction, recorder), width=120)) == []
