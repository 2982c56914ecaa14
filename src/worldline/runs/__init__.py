"""Predictions asked for and put to the test, many at a time."""

from worldline.runs.predictions import PredictionFile
from worldline.runs.replay import Sample, diagnose_recorded, examine, sample_to_json

__all__ = ["PredictionFile", "Sample", "diagnose_recorded", "examine", "sample_to_json"]
