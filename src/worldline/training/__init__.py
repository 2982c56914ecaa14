"""Recorded traces become examples that any trainer reads, and examples a small code world model."""

from worldline.measures import BUDGETS, Lengths
from worldline.training.examples import LOSSES, Example, Loss, trace_to_example, why_left_out
from worldline.training.export import EXAMPLE_COLUMNS, ExportSettings, export_traces
from worldline.training.folder import Look, Training, read_training
from worldline.training.lengths import Packing, pack
from worldline.training.loop import HeldOut, TrainingStep
from worldline.training.recipe import RECIPES, Recipe, recipe_named
from worldline.training.spelling import Spelling, load_spelling
from worldline.training.summary import ExportSummary, summary_lines
from worldline.training.training import train

__all__ = [
    "BUDGETS",
    "EXAMPLE_COLUMNS",
    "LOSSES",
    "RECIPES",
    "Example",
    "ExportSettings",
    "ExportSummary",
    "HeldOut",
    "Lengths",
    "Look",
    "Loss",
    "Packing",
    "Recipe",
    "Spelling",
    "Training",
    "TrainingStep",
    "export_traces",
    "load_spelling",
    "pack",
    "read_training",
    "recipe_named",
    "summary_lines",
    "trace_to_example",
    "train",
    "why_left_out",
]
