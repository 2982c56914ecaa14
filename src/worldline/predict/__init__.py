"""Predictions: what models imagined, asked for or read from a file."""

from worldline.predict.ask import NEEDS, Asker, Question, Settings, asked_as, repeat_id
from worldline.predict.check import EngineReport, check_engine
from worldline.predict.many import IN_FLIGHT, ask_all, named_apart, predict
from worldline.predict.prediction import Asked, Finish, Mode, Prediction, make_prediction
from worldline.predict.questions import (
    question_from_row,
    questions_from_rows,
    read_questions,
    said_beside,
)
from worldline.predict.recorded import (
    prediction_from_row,
    read_recorded,
    read_rows,
    row_from_line,
)
from worldline.predict.replay import recorded_engine
from worldline.predict.rows import prediction_to_row
from worldline.predict.score import StepScore
from worldline.predict.vocabulary import Vocabulary, vocabulary_of

__all__ = [
    "IN_FLIGHT",
    "NEEDS",
    "Asked",
    "Asker",
    "EngineReport",
    "Finish",
    "Mode",
    "Prediction",
    "Question",
    "Settings",
    "StepScore",
    "Vocabulary",
    "ask_all",
    "asked_as",
    "check_engine",
    "make_prediction",
    "named_apart",
    "predict",
    "prediction_from_row",
    "prediction_to_row",
    "question_from_row",
    "questions_from_rows",
    "read_questions",
    "read_recorded",
    "read_rows",
    "recorded_engine",
    "repeat_id",
    "row_from_line",
    "said_beside",
    "vocabulary_of",
]
