"""Runs: evaluations of a model, stored in a folder, with diagnosis, grades and interventions."""

from worldline.evaluation.runs.cause_confirmation import (
    CauseTests,
    cause_tests,
    sample_name,
    with_tested_cause,
)
from worldline.evaluation.runs.diagnose_predictions import (
    diagnose_file,
    execute_and_diagnose,
    sample_to_json,
)
from worldline.evaluation.runs.evaluate import (
    evaluate_into_run,
    import_predictions,
    missing_samples,
)
from worldline.evaluation.runs.executed_samples import (
    ExecutedSample,
    make_executed_sample,
    read_executed_samples,
)
from worldline.evaluation.runs.intervention_attempts import Attempt, Attempts, read_attempts
from worldline.evaluation.runs.intervention_runs import (
    RESAMPLE_REPEATS,
    intervention_run,
    read_interventions,
    run_intervention,
)
from worldline.evaluation.runs.intervention_selection import (
    Failures,
    find_failures,
    has_cause,
    intervention_questions,
)
from worldline.evaluation.runs.manifest import Manifest, redact_secrets
from worldline.evaluation.runs.prediction_file import PredictionFile
from worldline.evaluation.runs.run_columns import COLUMNS
from worldline.evaluation.runs.run_listing import (
    Checkpoint,
    find_runs,
    parse_checkpoint,
    read_verdicts,
)
from worldline.evaluation.runs.run_reader import (
    StoredPredictions,
    is_run,
    query_runs,
    read_answers,
    read_expected_answers,
    read_manifest,
    read_predictions,
    read_run,
    read_run_table,
    read_run_texts,
    read_scored_samples,
    read_scores,
)
from worldline.evaluation.runs.run_writer import RunWriter
from worldline.evaluation.runs.scored_sample import VERDICTS, ScoredSample, Verdict
from worldline.evaluation.runs.trust_cases import (
    RunCases,
    assess_predictions,
    read_trust_cases,
    rows_to_trust_cases,
)
from worldline.evaluation.runs.trust_file import (
    load_trust_model,
    save_trust_model,
    trust_model_to_json,
)
from worldline.evaluation.runs.verdict import extract_answer, grade_answer, is_expected

__all__ = [
    "COLUMNS",
    "RESAMPLE_REPEATS",
    "VERDICTS",
    "Attempt",
    "Attempts",
    "CauseTests",
    "Checkpoint",
    "ExecutedSample",
    "Failures",
    "Manifest",
    "PredictionFile",
    "RunCases",
    "RunWriter",
    "ScoredSample",
    "StoredPredictions",
    "Verdict",
    "assess_predictions",
    "cause_tests",
    "diagnose_file",
    "evaluate_into_run",
    "execute_and_diagnose",
    "extract_answer",
    "find_failures",
    "find_runs",
    "grade_answer",
    "has_cause",
    "import_predictions",
    "intervention_questions",
    "intervention_run",
    "is_expected",
    "is_run",
    "load_trust_model",
    "make_executed_sample",
    "missing_samples",
    "parse_checkpoint",
    "query_runs",
    "read_answers",
    "read_attempts",
    "read_executed_samples",
    "read_expected_answers",
    "read_interventions",
    "read_manifest",
    "read_predictions",
    "read_run",
    "read_run_table",
    "read_run_texts",
    "read_scored_samples",
    "read_scores",
    "read_trust_cases",
    "read_verdicts",
    "redact_secrets",
    "rows_to_trust_cases",
    "run_intervention",
    "sample_name",
    "sample_to_json",
    "save_trust_model",
    "trust_model_to_json",
    "with_tested_cause",
]
