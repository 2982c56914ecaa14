"""Labels of identifiers."""

from typing import get_args

import pytest

from worldline.analysis.alignment import DivergenceKind
from worldline.analysis.diagnosis import LABELS, ActionKind, CauseName, Outcome, ValueChange, label
from worldline.analysis.interventions import InterventionName
from worldline.evaluation.runs import Verdict

IDENTIFIERS = [
    identifier
    for names in (
        Verdict,
        Outcome,
        CauseName,
        ActionKind,
        DivergenceKind,
        ValueChange,
        InterventionName,
    )
    for identifier in get_args(names)
]


@pytest.mark.parametrize("identifier", sorted(set(IDENTIFIERS)))
def test_every_identifier_has_a_label(identifier: str) -> None:
    words = label(identifier)
    assert words != identifier
    assert "_" not in words
    assert words[0].isupper()


def test_labels_are_unique() -> None:
    assert len(set(LABELS.values())) == len(LABELS)


def test_every_label_has_an_identifier() -> None:
    # Runs of earlier versions have `string_handling`.
    others = {"execution", "reconverged", "string_handling"}
    assert set(LABELS) == {*IDENTIFIERS, *others}


def test_an_unknown_identifier_is_its_own_label() -> None:
    assert label("str") == "str"
    assert label("mutation_while_iterating") == "Mutation while iterating"
    assert label("infra_error") == "Infrastructure error"
