"""Alignment of a predicted execution with the actual one, up to the first divergence."""

from worldline.analysis.alignment.alignment import (
    Alignment,
    align,
    align_result,
    first_divergence,
    has_result,
)
from worldline.analysis.alignment.divergence import Divergence, DivergenceKind, VariableDifference
from worldline.analysis.alignment.gaps import MAX_SKIPPED_STEPS, Gap, GapKind
from worldline.analysis.alignment.reconvergence import Reconvergence
from worldline.core.language import Comparison
from worldline.languages.python.answer_equality import (
    answers_equal,
    is_reference_of,
    parse_literal,
    results_equal,
)
from worldline.languages.python.value_equality import (
    EQUALITY_RULES,
    STRING_LITERAL,
    canonical_value,
    compare_values,
    is_opaque,
)

__all__ = [
    "EQUALITY_RULES",
    "MAX_SKIPPED_STEPS",
    "STRING_LITERAL",
    "Alignment",
    "Comparison",
    "Divergence",
    "DivergenceKind",
    "Gap",
    "GapKind",
    "Reconvergence",
    "VariableDifference",
    "align",
    "align_result",
    "answers_equal",
    "canonical_value",
    "compare_values",
    "first_divergence",
    "has_result",
    "is_opaque",
    "is_reference_of",
    "parse_literal",
    "results_equal",
]
