"""Training of small code world models on an export."""

from worldline.data.training.checkpoints import EvalPoint, TrainingLog, read_training_log
from worldline.data.training.fine_tuning import TRACKERS, fine_tune
from worldline.data.training.fine_tuning_folder import (
    FineTuningLog,
    FineTuningStep,
    read_fine_tuning_log,
)
from worldline.data.training.fine_tuning_settings import FineTuning
from worldline.data.training.recipe import RECIPES, Recipe, get_recipe
from worldline.data.training.train_model import train
from worldline.data.training.trainer import HeldOutMetrics, TrainingStep

__all__ = [
    "RECIPES",
    "TRACKERS",
    "EvalPoint",
    "FineTuning",
    "FineTuningLog",
    "FineTuningStep",
    "HeldOutMetrics",
    "Recipe",
    "TrainingLog",
    "TrainingStep",
    "fine_tune",
    "get_recipe",
    "read_fine_tuning_log",
    "read_training_log",
    "train",
]
