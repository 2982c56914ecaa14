"""Diagnosis of the example predictions, from the stored trace of their program."""

import json
from collections.abc import Iterator
from pathlib import Path

from worldline.analysis.diagnosis import Sample
from worldline.core.trace import trace_from_json
from worldline.evaluation.runs import execute_and_diagnose
from worldline.interfaces.demo import PREDICTIONS
from worldline.languages.python.recorder import StoredTraceRecorder
from worldline.models.prediction import read_prediction_file

# Written by `worldline record --format json`; a test records it again.
TRACE = Path(__file__).parent / "trace.json"


def diagnose_demo() -> Iterator[Sample]:
    """Diagnose the example predictions; nothing is executed."""
    trace = trace_from_json(json.loads(TRACE.read_text(encoding="utf-8")))
    recorder = StoredTraceRecorder([trace])
    for prediction in read_prediction_file(PREDICTIONS):
        yield execute_and_diagnose(prediction, recorder)
