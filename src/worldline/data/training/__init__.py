"""Training of small code world models on an export."""

from worldline.data.training.checkpoints import EvalPoint, TrainingLog, read_training_log
from worldline.data.training.recipe import RECIPES, Recipe, get_recipe
from worldline.data.training.train_model import train
from worldline.data.training.trainer import HeldOutMetrics, TrainingStep

__all__ = [
    "RECIPES",
    "EvalPoint",
    "HeldOutMetrics",
    "Recipe",
    "TrainingLog",
    "TrainingStep",
    "get_recipe",
    "read_training_log",
    "train",
]
