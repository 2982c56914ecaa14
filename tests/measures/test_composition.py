"""What compositions reached beside their baseline: every count and every product."""

import math
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.judged import composed
from worldline.benchmarks.composition import composition
from worldline.errors import InputError
from worldline.measures.composition import Cell, Tally, measure_composition
from worldline.predict import Question
from worldline.runs.judged import VERDICTS, Judged, Verdict


def atoms(name: str, *verdicts: Verdict) -> list[Judged]:
    return [composed(name, verdict, form="atom") for verdict in verdicts]


ATOMS = [
    *atoms("string_a", "right", "right", "right", "wrong"),
    # Of all 2 of 5, of answered 2 of 3; the failed one is in neither.
    *atoms("string_b", "right", "right", "wrong", "cut", "no_answer", "failed"),
    # Asked about, and nothing came of it but cuts.
    *atoms("string_c", "cut", "cut"),
    *atoms("string_d", "failed"),
]


def the_cell(samples: list[Judged]) -> Cell:
    (cell,) = measure_composition(ATOMS + samples).cells
    return cell


def test_baselines_have_the_denominators_of_what_they_stand_beside() -> None:
    cell = the_cell([composed("string_a string_b", v) for v in ("right", "wrong", "cut")])
    assert (cell.of_all.samples, cell.of_all.right) == (3, 1)
    assert cell.of_all.baseline == pytest.approx(3 / 4 * 2 / 5)
    assert (cell.of_answered.samples, cell.of_answered.right) == (2, 1)
    assert cell.of_answered.baseline == pytest.approx(3 / 4 * 2 / 3)
    assert (cell.of_all.observed, cell.of_answered.observed) == (1 / 3, 1 / 2)


def test_the_baseline_of_answered_is_that_of_the_samples_that_answered() -> None:
    """Not of all: those that were cut may have had the harder functions."""
    cell = the_cell([composed("string_a string_a", "right"), composed("string_b string_b", "cut")])
    assert cell.of_answered.baseline == pytest.approx((3 / 4) ** 2)
    assert cell.of_all.baseline == pytest.approx(((3 / 4) ** 2 + (2 / 5) ** 2) / 2)


def test_a_function_without_atoms_leaves_its_samples_out() -> None:
    """On both sides of the pair: what is observed is of the samples that have a baseline."""
    cell = the_cell(
        [
            composed("string_a string_b", "wrong"),
            composed("string_a string_d", "right"),
            composed("string_e string_a", "right"),
            composed("string_c string_a", "right"),
        ]
    )
    # string_c was asked about, so it has a share of all (none), but none of answered.
    assert (cell.of_all.samples, cell.of_all.left_out, cell.of_all.right) == (2, 2, 1)
    assert cell.of_all.baseline == pytest.approx((3 / 4 * 2 / 5 + 0) / 2)
    assert (cell.of_answered.samples, cell.of_answered.left_out) == (1, 3)
    assert (cell.of_answered.right, cell.of_answered.observed) == (0, 0.0)
    assert (cell.tally.right, cell.tally.all) == (3, 4)


def test_nothing_has_no_share() -> None:
    cell = the_cell([composed("string_a", "failed")])
    assert (cell.tally.failed, cell.tally.all, cell.tally.answered) == (1, 0, 0)
    for paired in (cell.of_all, cell.of_answered):
        assert (paired.observed, paired.baseline, paired.left_out) == (None, None, 0)
    empty = measure_composition([])
    assert (empty.cells, empty.atoms) == ((), {})


def test_cuts_are_told_from_wrong_states() -> None:
    cell = the_cell(
        [
            composed("string_a", "cut"),
            composed("string_a", "cut", step=4),
            composed("string_a", "wrong"),
        ]
    )
    assert cell.tally == Tally(
        right=0, wrong=1, no_answer=0, cut=2, failed=0, diverged_before_cut=1
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
def test_every_sample_is_counted_once(samples: list[Judged]) -> None:
    found = measure_composition(samples)
    verdicts = Counter(sample.verdict for sample in samples)
    tallies = [*found.atoms.values(), *(cell.tally for cell in found.cells)]
    for verdict in VERDICTS:
        assert sum(getattr(tally, verdict) for tally in tallies) == verdicts[verdict]
    by_type = found.atoms_by_type.values()
    assert sum(t.all for t in by_type) == sum(t.all for t in found.atoms.values())
    for cell in found.cells:
        assert cell.tally.all == cell.of_all.samples + cell.of_all.left_out
        assert cell.tally.answered == cell.of_answered.samples + cell.of_answered.left_out
    assert measure_composition(samples[::-1]) == found


def test_a_model_that_composes_as_it_computes_meets_its_baseline() -> None:
    """A made-up model with a chance of its own for each function, independent of all else."""
    questions = composition(
        types=["integer", "string"], depths=[1, 3, 6], per_depth=400, atoms=80, forms=["flat"]
    ).questions
    random = Random(0)
    chances = {name: random.uniform(0.6, 1.0) for name in sorted(_names(questions))}
    samples = [
        Judged(
            question.id,
            0,
            "right" if _is_lucky(random, chances, str(question.facets["functions"])) else "wrong",
            "",
            facets=question.facets,
        )
        for question in questions
    ]
    found = measure_composition(samples)
    assert [(c.data_type, c.depth) for c in found.cells] == [
        (name, depth) for name in ("integer", "string") for depth in (1, 3, 6)
    ]
    for cell in found.cells:
        assert cell.of_all.baseline is not None
        assert cell.of_all.observed is not None
        # Three standard errors of 400 samples, and of atoms that are samples themselves.
        assert cell.of_all.baseline == pytest.approx(cell.of_all.observed, abs=0.09)
        assert cell.of_all == cell.of_answered


def _names(questions: Sequence[Question]) -> set[str]:
    return {name for q in questions for name in str(q.facets["functions"]).split()}


def _is_lucky(random: Random, chances: dict[str, float], functions: str) -> bool:
    return random.random() < math.prod(chances[name] for name in functions.split())


def test_other_runs_are_refused() -> None:
    with pytest.raises(InputError, match="s5_l0008_n0 has no data_type, depth, form, functions"):
        measure_composition([Judged("s5_l0008_n0", 0, "right", "", facets={"length": 8})])
