"""How many true steps are a model's own choice, counted by hand and by the code."""

import pytest

from worldline.measures import measure_scores
from worldline.predict import StepScore
from worldline.report import scored_lines

RIGHT = StepScore(2, 0.2, True, 4, 0.4, True)
WRONG_STATE = StepScore(2, 0.2, True, 4, 3.6, False)
WRONG_ACTION = StepScore(2, 4.2, False, 4, 0.4, True)
# The end of a trace has no state.
END = StepScore(1, 0.0, True, 0, 0.0, True)


def test_steps_are_counted_by_what_is_wrong_in_them() -> None:
    found = measure_scores([("a", (RIGHT, WRONG_STATE, END)), ("b", (WRONG_ACTION, RIGHT, END))])
    assert found is not None
    assert found.samples == 2
    assert (found.actions.right, found.actions.of) == (5, 6)
    assert (found.states.right, found.states.of) == (3, 4)
    assert (found.steps.right, found.steps.of) == (4, 6)
    assert found.action_surprise == pytest.approx((0.2 * 3 + 4.2) / 10)
    assert found.state_surprise == pytest.approx((0.4 * 3 + 3.6) / 16)


def test_steps_of_one_sample_are_alike_and_the_interval_is_wider_for_it() -> None:
    together = measure_scores([("a", (RIGHT,) * 50), ("b", (WRONG_STATE,) * 50)])
    apart = measure_scores(
        [(f"a{n}", (RIGHT,)) for n in range(50)] + [(f"b{n}", (WRONG_STATE,)) for n in range(50)]
    )
    assert together is not None
    assert apart is not None
    assert together.states.right == apart.states.right == 50

    def width(low: float | None, high: float | None) -> float:
        assert low is not None
        assert high is not None
        return high - low

    assert width(together.states.low, together.states.high) > 2 * width(
        apart.states.low, apart.states.high
    )


def test_nothing_scored_is_no_measure() -> None:
    assert measure_scores([]) is None
    assert measure_scores([("a", ())]) is None


def test_as_people_read_it() -> None:
    found = measure_scores([("a", (RIGHT, WRONG_STATE, END))])
    assert found is not None
    lines = [line.plain for line in scored_lines(found)]
    assert lines[1].startswith("actions            3 of 3: 100.0%")
    assert lines[2].startswith("states             1 of 2: 50.0%")
    assert lines[4] == "surprise a token   0.0800 nats in actions, 0.5000 in states"
