"""Explanations: the smallest change of a program whose execution yields a wrong prediction."""

from worldline.analysis.explanations.catalogue import MISCONCEPTIONS
from worldline.analysis.explanations.explanation import (
    MAX_CHANCE,
    Explanation,
    ExplanationSearch,
    Occurrence,
    explanation_to_json,
)
from worldline.analysis.explanations.explanation_chance import chance_of_explanation
from worldline.analysis.explanations.explanation_search import MAX_CHANGES, find_explanations
from worldline.analysis.explanations.misconception import Change, Example, Misconception

__all__ = [
    "MAX_CHANCE",
    "MAX_CHANGES",
    "MISCONCEPTIONS",
    "Change",
    "Example",
    "Explanation",
    "ExplanationSearch",
    "Misconception",
    "Occurrence",
    "chance_of_explanation",
    "explanation_to_json",
    "find_explanations",
]
