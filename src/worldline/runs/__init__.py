"""Predictions asked for and put to the test, many at a time, and kept."""

from worldline.runs.asking import ask_into, keep_recorded, missing
from worldline.runs.columns import COLUMNS
from worldline.runs.intervening import (
    DRAWS,
    Attempt,
    Attempts,
    Failures,
    confirmed_causes,
    find_failures,
    intervene_into,
    intervention_run,
    is_explained,
    read_attempts,
    read_interventions,
    sample_name,
    wanted,
    with_confirmed,
)
from worldline.runs.judged import VERDICTS, Judged, Verdict
from worldline.runs.manifest import Manifest, without_secrets
from worldline.runs.predictions import PredictionFile
from worldline.runs.reading import (
    StoredPredictions,
    is_run,
    query_runs,
    read_judged,
    read_manifest,
    read_predictions,
    read_run,
    read_scores,
)
from worldline.runs.replay import diagnose_recorded, examine, sample_to_json
from worldline.runs.run import Run
from worldline.runs.verdict import answer_of, expects, judge
from worldline.runs.workers import start_worker, usable_cores

__all__ = [
    "COLUMNS",
    "DRAWS",
    "VERDICTS",
    "Attempt",
    "Attempts",
    "Failures",
    "Judged",
    "Manifest",
    "PredictionFile",
    "Run",
    "StoredPredictions",
    "Verdict",
    "answer_of",
    "ask_into",
    "confirmed_causes",
    "diagnose_recorded",
    "examine",
    "expects",
    "find_failures",
    "intervene_into",
    "intervention_run",
    "is_explained",
    "is_run",
    "judge",
    "keep_recorded",
    "missing",
    "query_runs",
    "read_attempts",
    "read_interventions",
    "read_judged",
    "read_manifest",
    "read_predictions",
    "read_run",
    "read_scores",
    "sample_name",
    "sample_to_json",
    "start_worker",
    "usable_cores",
    "wanted",
    "with_confirmed",
    "without_secrets",
]
