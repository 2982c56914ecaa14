"""Predictions asked for and put to the test, many at a time, and kept."""

from worldline.runs.accuracy import Accuracy, accuracy
from worldline.runs.asking import ask_into, keep_recorded, missing
from worldline.runs.breakdown import GroupAccuracy, breakdown
from worldline.runs.columns import COLUMNS
from worldline.runs.compare import RunComparison, compare_runs
from worldline.runs.composition import CompositionResult, measure_composition
from worldline.runs.horizon import Horizon, measure_horizon
from worldline.runs.judged import VERDICTS, Judged, Verdict
from worldline.runs.manifest import Manifest, without_secrets
from worldline.runs.predictions import PredictionFile
from worldline.runs.replay import Sample, diagnose_recorded, examine, sample_to_json
from worldline.runs.run import (
    Run,
    is_run,
    query_runs,
    read_judged,
    read_manifest,
    read_predictions,
    read_run,
)
from worldline.runs.verdict import answer_of, judge

__all__ = [
    "COLUMNS",
    "VERDICTS",
    "Accuracy",
    "CompositionResult",
    "GroupAccuracy",
    "Horizon",
    "Judged",
    "Manifest",
    "PredictionFile",
    "Run",
    "RunComparison",
    "Sample",
    "Verdict",
    "accuracy",
    "answer_of",
    "ask_into",
    "breakdown",
    "compare_runs",
    "diagnose_recorded",
    "examine",
    "is_run",
    "judge",
    "keep_recorded",
    "measure_composition",
    "measure_horizon",
    "missing",
    "query_runs",
    "read_judged",
    "read_manifest",
    "read_predictions",
    "read_run",
    "sample_to_json",
    "without_secrets",
]
