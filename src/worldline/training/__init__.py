"""Traces become training data, and training data a small code world model."""

from worldline.training.loop import HeldOut, Progress
from worldline.training.recipe import RECIPES, Recipe, recipe_named
from worldline.training.train import Look, Training, read_training, train

__all__ = [
    "RECIPES",
    "HeldOut",
    "Look",
    "Progress",
    "Recipe",
    "Training",
    "read_training",
    "recipe_named",
    "train",
]
