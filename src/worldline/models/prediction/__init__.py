"""Predictions: executions that models predict, generated here or read from a file."""

from worldline.models.prediction.codec_choice import (
    AUTO_CODEC,
    CODEC_PREFERENCE,
    CodecChoice,
    choose_codec,
    suggest_codec,
)
from worldline.models.prediction.codec_tokenizer import CodecTokenizer
from worldline.models.prediction.concurrency import (
    DEFAULT_CONCURRENCY,
    check_unique_ids,
    predict_all,
    predict_questions,
)
from worldline.models.prediction.cost_estimate import CostEstimate, estimate_cost
from worldline.models.prediction.costs import CHARS_PER_TOKEN, CostLimit, CostMeter, Prices
from worldline.models.prediction.engine_from_predictions import load_recorded_engine
from worldline.models.prediction.engine_report import EngineReport, check_engine
from worldline.models.prediction.jsonl_rows import (
    number_lines,
    parse_json_line,
    read_json_lines,
    read_lines,
)
from worldline.models.prediction.malformed_replies import (
    DEFAULT_MAX_MALFORMED,
    LATER_FACTOR,
    MalformedReplyGuard,
    is_malformed,
)
from worldline.models.prediction.old_field_names import (
    OLD_FINISHES,
    OLD_GENERATION_FIELDS,
    rename_fields,
    upgrade_prediction_row,
)
from worldline.models.prediction.on_demand import (
    POLICIES,
    Policy,
    PredictedRow,
    RowDecision,
    RowTrust,
)
from worldline.models.prediction.prediction import (
    Finish,
    GenerationRecord,
    Mode,
    Prediction,
    make_prediction,
)
from worldline.models.prediction.prediction_reader import prediction_from_row, program_from_row
from worldline.models.prediction.prediction_settings import (
    REQUIRED_CAPABILITIES,
    PredictionSettings,
    make_generation_record,
)
from worldline.models.prediction.prediction_writer import prediction_to_row
from worldline.models.prediction.predictor import Predictor
from worldline.models.prediction.question import Question, repeat_id
from worldline.models.prediction.question_reader import (
    parse_row_metadata,
    question_from_row,
    questions_from_rows,
    read_questions,
)
from worldline.models.prediction.recorded_answers import make_recorded_answer
from worldline.models.prediction.recorded_formats import (
    predictions_from_lines,
    read_prediction_file,
)
from worldline.models.prediction.score_mode import StepScore
from worldline.models.prediction.stepwise import StepwisePrediction

__all__ = [
    "AUTO_CODEC",
    "CHARS_PER_TOKEN",
    "CODEC_PREFERENCE",
    "DEFAULT_CONCURRENCY",
    "DEFAULT_MAX_MALFORMED",
    "LATER_FACTOR",
    "OLD_FINISHES",
    "OLD_GENERATION_FIELDS",
    "POLICIES",
    "REQUIRED_CAPABILITIES",
    "CodecChoice",
    "CodecTokenizer",
    "CostEstimate",
    "CostLimit",
    "CostMeter",
    "EngineReport",
    "Finish",
    "GenerationRecord",
    "MalformedReplyGuard",
    "Mode",
    "Policy",
    "PredictedRow",
    "Prediction",
    "PredictionSettings",
    "Predictor",
    "Prices",
    "Question",
    "RowDecision",
    "RowTrust",
    "StepScore",
    "StepwisePrediction",
    "check_engine",
    "check_unique_ids",
    "choose_codec",
    "estimate_cost",
    "is_malformed",
    "load_recorded_engine",
    "make_generation_record",
    "make_prediction",
    "make_recorded_answer",
    "number_lines",
    "parse_json_line",
    "parse_row_metadata",
    "predict_all",
    "predict_questions",
    "prediction_from_row",
    "prediction_to_row",
    "predictions_from_lines",
    "program_from_row",
    "question_from_row",
    "questions_from_rows",
    "read_json_lines",
    "read_lines",
    "read_prediction_file",
    "read_questions",
    "rename_fields",
    "repeat_id",
    "suggest_codec",
    "upgrade_prediction_row",
]
