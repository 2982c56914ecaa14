"""Recorded failures whose wrong operation a reader of the traces had named before."""

from pathlib import Path

import pytest

from worldline.analysis.explanations import find_explanations
from worldline.evaluation.runs import execute_and_diagnose
from worldline.languages.python.recorder import Recorder
from worldline.models.prediction import read_prediction_file

pytestmark = pytest.mark.data

EXPLAINED = {
    "sample_245": "`in` ignored upper and lower case",
    "sample_557": "`.rpartition` were `.partition`",
    "sample_627": "`dict` kept the first value",
    "sample_731": "`.replace` replaced only two matches",
    "sample_749": "`.center` were `.rjust`",
}
# Reproduced, but so are many random integers.
NO_BETTER_THAN_CHANCE = {"sample_528": "`.rfind` were `.find`"}
# A slip of single characters, and a value that no single operation yields.
NOT_REPRODUCED = ("sample_149", "sample_553")


def test_operations_that_a_reader_named(recorder: Recorder, recorded_files: list[Path]) -> None:
    names = {*EXPLAINED, *NO_BETTER_THAN_CHANCE, *NOT_REPRODUCED}
    searches = {
        prediction.id: find_explanations(execute_and_diagnose(prediction, recorder), recorder)
        for prediction in read_prediction_file(recorded_files[0])
        if prediction.id in names
    }
    best = {name: search.best.clause for name, search in searches.items() if search.best}
    assert best == EXPLAINED
    for name, clause in NO_BETTER_THAN_CHANCE.items():
        assert searches[name].explanations[0].clause == clause
    for name in NOT_REPRODUCED:
        assert searches[name].explanations == ()
