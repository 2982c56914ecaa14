"""Predictions: what models imagined, asked for or read from a file."""

from worldline.predict.prediction import Finish, Prediction, make_prediction
from worldline.predict.recorded import prediction_from_row, read_recorded, read_rows

__all__ = [
    "Finish",
    "Prediction",
    "make_prediction",
    "prediction_from_row",
    "read_recorded",
    "read_rows",
]
