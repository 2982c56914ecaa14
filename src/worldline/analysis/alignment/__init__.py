"""Alignment of a predicted execution with the actual one, up to the first divergence."""

from worldline.analysis.alignment.alignment import Alignment, align, align_result
from worldline.analysis.alignment.answer_equality import answers_equal, parse_literal, results_equal
from worldline.analysis.alignment.divergence import Divergence, DivergenceKind, VariableDifference
from worldline.analysis.alignment.reconvergence import MAX_SKIPPED_STEPS, Reconvergence
from worldline.analysis.alignment.value_equality import (
    EQUALITY_RULES,
    STRING_LITERAL,
    Comparison,
    canonical_value,
    compare_values,
    is_opaque,
)

Where = DivergenceKind  # old name
canonical = canonical_value  # old name
compare = compare_values  # old name
literal = parse_literal  # old name

__all__ = [
    "EQUALITY_RULES",
    "MAX_SKIPPED_STEPS",
    "STRING_LITERAL",
    "Alignment",
    "Comparison",
    "Divergence",
    "DivergenceKind",
    "Reconvergence",
    "VariableDifference",
    "Where",  # old name
    "align",
    "align_result",
    "answers_equal",
    "canonical",  # old name
    "canonical_value",
    "compare",  # old name
    "compare_values",
    "is_opaque",
    "literal",  # old name
    "parse_literal",
    "results_equal",
]
