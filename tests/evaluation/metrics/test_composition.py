"""Accuracy on compositions, compared with their baselines."""

import math
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.scored_samples import composed
from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.composition import composition
from worldline.evaluation.metrics.composition import (
    CompositionCell,
    VerdictCounts,
    measure_composition,
)
from worldline.evaluation.runs.scored_sample import VERDICTS, ScoredSample, Verdict
from worldline.models.prediction import Question


def atoms(name: str, *verdicts: Verdict) -> list[ScoredSample]:
    return [composed(name, verdict, form="atom") for verdict in verdicts]


ATOMS = [
    *atoms("string_a", "correct", "correct", "correct", "incorrect"),
    # 2 of 5 of all, 2 of 3 of answered; the infrastructure error is in neither.
    *atoms("string_b", "correct", "correct", "incorrect", "truncated", "no_answer", "infra_error"),
    # Predicted alone, but always truncated.
    *atoms("string_c", "truncated", "truncated"),
    *atoms("string_d", "infra_error"),
]


def the_cell(samples: list[ScoredSample]) -> CompositionCell:
    (cell,) = measure_composition(ATOMS + samples).cells
    return cell


def test_baselines_use_the_denominators_of_the_observed_shares() -> None:
    cell = the_cell(
        [composed("string_a string_b", v) for v in ("correct", "incorrect", "truncated")]
    )
    assert (cell.of_all.samples, cell.of_all.correct) == (3, 1)
    assert cell.of_all.baseline == pytest.approx(3 / 4 * 2 / 5)
    assert (cell.of_answered.samples, cell.of_answered.correct) == (2, 1)
    assert cell.of_answered.baseline == pytest.approx(3 / 4 * 2 / 3)
    assert (cell.of_all.observed, cell.of_answered.observed) == (1 / 3, 1 / 2)


def test_the_answered_baseline_uses_only_answered_samples() -> None:
    """Truncated samples may have had the harder functions."""
    cell = the_cell(
        [composed("string_a string_a", "correct"), composed("string_b string_b", "truncated")]
    )
    assert cell.of_answered.baseline == pytest.approx((3 / 4) ** 2)
    assert cell.of_all.baseline == pytest.approx(((3 / 4) ** 2 + (2 / 5) ** 2) / 2)


def test_samples_with_a_function_without_atoms_are_left_out() -> None:
    """The observed share, too, is only of samples with a baseline."""
    cell = the_cell(
        [
            composed("string_a string_b", "incorrect"),
            composed("string_a string_d", "correct"),
            composed("string_e string_a", "correct"),
            composed("string_c string_a", "correct"),
        ]
    )
    # string_c was predicted alone: its share of all is 0, and that of answered is unknown.
    assert (cell.of_all.samples, cell.of_all.left_out, cell.of_all.correct) == (2, 2, 1)
    assert cell.of_all.baseline == pytest.approx((3 / 4 * 2 / 5 + 0) / 2)
    assert (cell.of_answered.samples, cell.of_answered.left_out) == (1, 3)
    assert (cell.of_answered.correct, cell.of_answered.observed) == (0, 0.0)
    assert (cell.tally.correct, cell.tally.all) == (3, 4)


def test_an_empty_share_has_no_value() -> None:
    cell = the_cell([composed("string_a", "infra_error")])
    assert (cell.tally.infra_error, cell.tally.all, cell.tally.answered) == (1, 0, 0)
    for paired in (cell.of_all, cell.of_answered):
        assert (paired.observed, paired.baseline, paired.left_out) == (None, None, 0)
    empty = measure_composition([])
    assert (empty.cells, empty.atoms) == ((), {})


def test_truncations_are_distinguished_from_divergences() -> None:
    cell = the_cell(
        [
            composed("string_a", "truncated"),
            composed("string_a", "truncated", step=4),
            composed("string_a", "incorrect"),
        ]
    )
    assert cell.tally == VerdictCounts(
        correct=0,
        incorrect=1,
        no_answer=0,
        truncated=2,
        infra_error=0,
        diverged_before_truncation=1,
    )


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["string_a", "string_b string_a", "list_z"]),
            st.sampled_from(VERDICTS),
            st.sampled_from(["nested", "flat", "atom"]),
        ).map(lambda drawn: composed(drawn[0], drawn[1], form=drawn[2])),
        max_size=60,
    )
)
def test_every_sample_is_counted_once(samples: list[ScoredSample]) -> None:
    result = measure_composition(samples)
    verdicts = Counter(sample.verdict for sample in samples)
    tallies = [*result.atoms.values(), *(cell.tally for cell in result.cells)]
    for verdict in VERDICTS:
        assert sum(getattr(tally, verdict) for tally in tallies) == verdicts[verdict]
    by_type = result.atoms_by_type.values()
    assert sum(t.all for t in by_type) == sum(t.all for t in result.atoms.values())
    for cell in result.cells:
        assert cell.tally.all == cell.of_all.samples + cell.of_all.left_out
        assert cell.tally.answered == cell.of_answered.samples + cell.of_answered.left_out
    assert measure_composition(samples[::-1]) == result


def test_a_model_with_independent_errors_meets_its_baseline() -> None:
    """A simulated model with an independent probability for each function."""
    questions = composition(
        types=["integer", "string"], depths=[1, 3, 6], per_depth=400, atoms=80, forms=["flat"]
    ).questions
    random = Random(0)
    chances = {name: random.uniform(0.6, 1.0) for name in sorted(_names(questions))}
    samples = [
        ScoredSample(
            question.id,
            0,
            "correct"
            if _is_lucky(random, chances, str(question.facets["functions"]))
            else "incorrect",
            "",
            facets=question.facets,
        )
        for question in questions
    ]
    result = measure_composition(samples)
    assert [(c.data_type, c.depth) for c in result.cells] == [
        (name, depth) for name in ("integer", "string") for depth in (1, 3, 6)
    ]
    for cell in result.cells:
        assert cell.of_all.baseline is not None
        assert cell.of_all.observed is not None
        # Three standard errors of 400 samples, and of the atoms.
        assert cell.of_all.baseline == pytest.approx(cell.of_all.observed, abs=0.09)
        assert cell.of_all == cell.of_answered


def _names(questions: Sequence[Question]) -> set[str]:
    return {name for q in questions for name in str(q.facets["functions"]).split()}


def _is_lucky(random: Random, chances: dict[str, float], functions: str) -> bool:
    return random.random() < math.prod(chances[name] for name in functions.split())


def test_runs_of_other_benchmarks_are_rejected() -> None:
    with pytest.raises(InputError, match="s5_l0008_n0 has no data_type, depth, form, functions"):
        measure_composition([ScoredSample("s5_l0008_n0", 0, "correct", "", facets={"length": 8})])
