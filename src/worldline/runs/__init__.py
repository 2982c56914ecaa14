"""Predictions asked for and put to the test, many at a time."""

from worldline.runs.accuracy import Accuracy, accuracy
from worldline.runs.breakdown import GroupAccuracy, breakdown
from worldline.runs.compare import RunComparison, compare_runs
from worldline.runs.predictions import PredictionFile
from worldline.runs.replay import Sample, diagnose_recorded, examine, sample_to_json

__all__ = [
    "Accuracy",
    "GroupAccuracy",
    "PredictionFile",
    "RunComparison",
    "Sample",
    "accuracy",
    "breakdown",
    "compare_runs",
    "diagnose_recorded",
    "examine",
    "sample_to_json",
]
