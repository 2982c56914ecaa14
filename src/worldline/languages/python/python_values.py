"""Values of Python as text, as `repr` writes them; implements `ValueSyntax`."""

from worldline.languages.python.answer_equality import (
    answers_equal,
    is_reference_of,
    parse_literal,
    results_equal,
)
from worldline.languages.python.value_equality import (
    canonical_value,
    compare_values,
    is_opaque,
    may_start_value,
)
from worldline.languages.python.value_kinds import first_leaf, string_items, value_kind

NULL = "None"

__all__ = [
    "NULL",
    "answers_equal",
    "canonical_value",
    "compare_values",
    "first_leaf",
    "is_opaque",
    "is_reference_of",
    "may_start_value",
    "parse_literal",
    "results_equal",
    "string_items",
    "value_kind",
]
