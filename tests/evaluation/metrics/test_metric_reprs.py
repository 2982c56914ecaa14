"""Reprs of scored samples and metrics: one short line."""

import pickle

from tests.evaluation.runs.samples import manifest_of
from tests.support.scored_samples import make_scored_sample
from worldline.evaluation.metrics import (
    accuracy,
    accuracy_by_group,
    compare_runs,
    measure_interventions,
    measure_survival,
    pass_at_k_rates,
)
from worldline.evaluation.runs import VERDICTS

MAX_LENGTH = 120
SAMPLES = [
    make_scored_sample(
        f"sample_{number}", verdict, repeat=repeat, cause="mutation_while_iterating",
        facets={"depth": number}, matched_steps=number, step=number, differs_in="exception",
    )
    for number in range(3)
    for repeat, verdict in enumerate(VERDICTS[:2])
]  # fmt: skip
OTHERS = [make_scored_sample(f"sample_{number}", "correct") for number in range(3)]


def test_reprs_are_one_short_line() -> None:
    comparison = compare_runs(SAMPLES, OTHERS)
    survival = measure_survival(SAMPLES)
    objects = [
        *SAMPLES, manifest_of(), accuracy(SAMPLES), accuracy(SAMPLES).of_all, comparison,
        comparison.overall, comparison.overall.difference, *comparison.changes, comparison.steps,
        survival, survival.points[0], survival.risks[0], *accuracy_by_group(SAMPLES),
        *pass_at_k_rates(SAMPLES), measure_interventions(SAMPLES, {"patch": OTHERS}),
    ]  # fmt: skip
    for value in objects:
        assert repr(value).startswith(f"{type(value).__name__}(")
        assert repr(value).isprintable()
        assert len(repr(value)) <= MAX_LENGTH, repr(value)


def test_the_repr_of_a_scored_sample_shows_its_verdict_and_divergence() -> None:
    assert repr(SAMPLES[3]) == (
        "ScoredSample('sample_1' #1, incorrect, diverged at step 1 in exception; "
        "mutation_while_iterating)"
    )


def test_metrics_can_be_compared_and_pickled() -> None:
    for value in (SAMPLES[0], accuracy(SAMPLES), compare_runs(SAMPLES, OTHERS)):
        assert pickle.loads(pickle.dumps(value)) == value
