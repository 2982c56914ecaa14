"""One-step accuracy, compared with counts by hand."""

import pytest

from worldline.evaluation.metrics import measure_one_step_accuracy
from worldline.interfaces.report import one_step_accuracy_lines
from worldline.models.prediction import StepScore

RIGHT = StepScore(2, 0.2, True, 4, 0.4, True)
WRONG_STATE = StepScore(2, 0.2, True, 4, 3.6, False)
WRONG_ACTION = StepScore(2, 4.2, False, 4, 0.4, True)
# The end of a trace has no state.
END = StepScore(1, 0.0, True, 0, 0.0, True)


def test_actions_states_and_steps_are_counted_separately() -> None:
    result = measure_one_step_accuracy(
        [("a", (RIGHT, WRONG_STATE, END)), ("b", (WRONG_ACTION, RIGHT, END))]
    )
    assert result is not None
    assert result.samples == 2
    assert (result.actions.correct, result.actions.of) == (5, 6)
    assert (result.states.correct, result.states.of) == (3, 4)
    assert (result.steps.correct, result.steps.of) == (4, 6)
    assert result.action_surprise == pytest.approx((0.2 * 3 + 4.2) / 10)
    assert result.state_surprise == pytest.approx((0.4 * 3 + 3.6) / 16)


def test_correlated_steps_widen_the_interval() -> None:
    together = measure_one_step_accuracy([("a", (RIGHT,) * 50), ("b", (WRONG_STATE,) * 50)])
    apart = measure_one_step_accuracy(
        [(f"a{n}", (RIGHT,)) for n in range(50)] + [(f"b{n}", (WRONG_STATE,)) for n in range(50)]
    )
    assert together is not None
    assert apart is not None
    assert together.states.correct == apart.states.correct == 50

    def width(low: float | None, high: float | None) -> float:
        assert low is not None
        assert high is not None
        return high - low

    assert width(together.states.low, together.states.high) > 2 * width(
        apart.states.low, apart.states.high
    )


def test_without_scores_there_is_no_accuracy() -> None:
    assert measure_one_step_accuracy([]) is None
    assert measure_one_step_accuracy([("a", ())]) is None


def test_text_of_the_report() -> None:
    result = measure_one_step_accuracy([("a", (RIGHT, WRONG_STATE, END))])
    assert result is not None
    lines = [line.plain for line in one_step_accuracy_lines(result)]
    assert lines[1].startswith("actions            3 of 3: 100.0%")
    assert lines[2].startswith("states             1 of 2: 50.0%")
    assert lines[4] == "NLL per token      0.0800 nats in actions, 0.5000 in states"
