"""Accuracy by operation: counts, groups, coverage of the intervals, and the fitted model."""

import math

import numpy as np
import pytest

from tests.support.simulated_operations import Simulation, step
from worldline.analysis.diagnosis import OperationStep
from worldline.analysis.stats import logistic_odds_ratios
from worldline.core.errors import InputError
from worldline.evaluation.metrics.operation_accuracy import ClusteredStep, summarize_operations
from worldline.evaluation.metrics.operation_model import (
    NESTING,
    SIZE,
    OperationModel,
    fit_operation_model,
)

needs_statsmodels = pytest.mark.usefixtures("_statsmodels")


@pytest.fixture
def _statsmodels() -> None:
    pytest.importorskip("statsmodels", reason="the extra regression is not installed")


def steps_of(*counts: tuple[str, str, bool, int]) -> list[ClusteredStep]:
    """(program, operations, is_correct, number) -> steps"""
    return [
        ClusteredStep(program, step(is_correct, *names.split()))
        for program, names, is_correct, number in counts
        for _ in range(number)
    ]


def test_a_line_with_several_operations_blames_none_of_them() -> None:
    results = summarize_operations(
        steps_of(("a", "str.strip", True, 9), ("b", "str.strip", False, 1))
        + steps_of(("c", "str.strip str.upper", False, 3), ("d", "str.upper", True, 4))
    )
    rates = {rate.name: rate for rate in results.rates}
    strip, upper = rates["str.strip"], rates["str.upper"]
    assert (strip.single.correct, strip.single.of) == (9, 10)
    assert (strip.shared.correct, strip.shared.of) == (0, 3)
    assert (upper.single.correct, upper.single.of) == (4, 4)
    assert (upper.shared.correct, upper.shared.of) == (0, 3)
    assert (strip.programs, upper.programs, results.programs) == (3, 2, 4)
    # A step is one observation, however many operations it has.
    assert (results.steps.correct, results.steps.of) == (13, 17)


def test_steps_of_one_program_count_less_than_those_of_many() -> None:
    one = summarize_operations(
        steps_of(("a", "op", True, 50), ("b", "op", False, 10), ("c", "op", True, 40))
    )
    many = summarize_operations(
        [
            each
            for number in range(100)
            for each in steps_of((str(number), "op", number % 10 != 0, 1))
        ]
    )
    assert one.steps.value == many.steps.value == 0.9
    widths = [(each.steps.high or 0) - (each.steps.low or 0) for each in (one, many)]
    assert widths[0] > 3 * widths[1]


def test_groups_of_size_and_nesting() -> None:
    steps = [
        ClusteredStep("a", step(True, "op", size=3, nesting=1)),
        ClusteredStep("b", step(False, "op", size=20, nesting=2)),
        ClusteredStep("c", step(True, "op", size=25, nesting=2)),
    ]
    groups = {
        (group.by, group.group): (group.share.correct, group.share.of)
        for group in summarize_operations(steps).groups
    }
    assert groups["argument size", "2–3"] == (1, 1)
    assert groups["argument size", "16–31"] == (1, 2)
    assert groups["nesting", "1"] == (1, 1)
    assert groups["nesting", "2"] == (1, 2)


@pytest.mark.parametrize(
    "simulation",
    [
        Simulation(100, 1.5, 1.0, is_stopped=False),
        Simulation(100, 1.5, 1.0),
        Simulation(300, 3.0, 1.0),
    ],
    ids=str,
)
def test_intervals_hold_their_coverage(simulation: Simulation) -> None:
    """Of 300 intervals with 95% coverage, 91.5 to 98.5% cover: 2.8 standard errors."""
    rng, truth = np.random.default_rng(5), simulation.true_rate()
    shares = [simulation.measured(rng) for _ in range(300)]
    hits = sum((share.low or 0) <= truth <= (share.high or 0) for share in shares)
    assert 0.915 <= hits / 300 <= 0.985


def test_an_interval_that_ignores_programs_would_not_hold() -> None:
    """The simulation can fail: Wilson's interval of all steps is too narrow here."""
    simulation = Simulation(100, 1.5, 1.0, is_stopped=False)
    rng, truth = np.random.default_rng(5), simulation.true_rate()
    hits = 0
    for _ in range(300):
        correct, of = simulation.draw(rng, simulation.programs)
        value, number = correct.sum() / of.sum(), of.sum()
        margin = 1.96 * math.sqrt(value * (1 - value) / number)
        hits += abs(value - truth) <= margin
    assert hits / 300 < 0.8


def drawn(
    rng: np.random.Generator, programs: int, *, per_doubling: float, of_method: float
) -> list[tuple[str, OperationStep]]:
    """Steps of `long` on long values and `short` on short ones, with known log-odds."""
    steps = []
    for program in range(programs):
        easiness = 0.7 * rng.standard_normal()
        for _ in range(6):
            is_long = bool(rng.random() < 0.5)
            size = int(2 ** rng.uniform(*((4, 9) if is_long else (1, 6))))
            nesting = int(rng.integers(1, 4))
            odds = 3.5 + easiness + per_doubling * math.log2(1 + size) + of_method * is_long
            is_correct = bool(rng.random() < 1 / (1 + math.exp(-odds)))
            name = "long" if is_long else "short"
            steps.append((str(program), step(is_correct, name, size=size, nesting=nesting)))
    return steps


def fitted(steps: list[tuple[str, OperationStep]]) -> OperationModel:
    model, note = fit_operation_model(steps)
    assert model is not None, note
    return model


@needs_statsmodels
def test_length_explains_it_not_the_method() -> None:
    steps = drawn(np.random.default_rng(1), 400, per_doubling=-0.4, of_method=0.0)
    model = fitted(steps)
    (alone,) = model.alone
    adjusted = {ratio.name: ratio for ratio in model.adjusted}
    assert alone.is_shown
    assert not adjusted[alone.name].is_shown
    assert adjusted[SIZE].low <= math.exp(-0.4) <= adjusted[SIZE].high
    assert not adjusted[NESTING].is_shown
    sentences = model.sentences()
    assert "longer values are harder, with equal operations" in sentences
    assert f"{alone.name}: size and nesting explain it, not the operation" in sentences


@needs_statsmodels
def test_the_method_is_named_where_length_does_not_explain_it() -> None:
    steps = drawn(np.random.default_rng(2), 400, per_doubling=0.0, of_method=-1.5)
    model = fitted(steps)
    adjusted = {ratio.name: ratio for ratio in model.adjusted}
    (name,) = [ratio.name for ratio in model.alone]
    effect = -1.5 if name == "long" else 1.5
    assert adjusted[name].low <= math.exp(effect) <= adjusted[name].high
    assert adjusted[name].is_shown
    assert not adjusted[SIZE].is_shown
    assert any(
        sentence.endswith("also at equal size and nesting") for sentence in model.sentences()
    )


@needs_statsmodels
def test_odds_ratios_hold_their_coverage() -> None:
    """Of 120 intervals with 95% coverage, 89 to 100% cover: three standard errors."""
    rng, truth = np.random.default_rng(3), math.exp(-0.4)
    hits = 0
    for _ in range(120):
        adjusted = fitted(drawn(rng, 120, per_doubling=-0.4, of_method=0.0)).adjusted
        (size,) = [ratio for ratio in adjusted if ratio.name == SIZE]
        hits += size.low <= truth <= size.high
    assert hits / 120 >= 0.89


def test_too_few_data_have_no_model_and_a_reason() -> None:
    model, note = fit_operation_model([("a", step(True, "op")), ("b", step(False, "op"))])
    assert model is None
    assert note.startswith("too few data for a model")
    few = drawn(np.random.default_rng(4), 15, per_doubling=-1.0, of_method=0.0)
    model, note = fit_operation_model(few)
    assert model is None
    assert note.startswith("too few data for a model")


@needs_statsmodels
def test_columns_that_determine_each_other_have_no_odds_ratios() -> None:
    outcomes = [True, False, True, True, False, True]
    one = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]
    twice = [2 * value for value in one]
    assert logistic_odds_ratios(outcomes, {"one": one, "twice": twice}, range(6)) is None
    # The outcome is determined: its odds are infinite.
    assert logistic_odds_ratios(outcomes, {"it": [float(o) for o in outcomes]}, range(6)) is None


def test_without_statsmodels_there_are_rates_and_the_sentence_how_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing(name: str, *, extra: str = "runs") -> None:
        raise InputError(f"needs it: pip install 'worldline[{extra}]'")

    monkeypatch.setattr("worldline.analysis.stats.logistic_regression.lazy_import", missing)
    steps = drawn(np.random.default_rng(1), 100, per_doubling=-0.4, of_method=0.0)
    results = summarize_operations([ClusteredStep(*each) for each in steps])
    assert results.model is None
    assert results.note == "needs it: pip install 'worldline[regression]'"
    assert results.steps.of == 600
