"""The real and the imagined execution side by side, up to where they part."""

from worldline.align.alignment import Alignment, align, align_result
from worldline.align.divergence import Difference, Divergence, Where
from worldline.align.equality import RULES, Comparison, canonical, compare, is_opaque
from worldline.align.literals import is_same_value, literal
from worldline.align.recovery import REACH, Recovery

__all__ = [
    "REACH",
    "RULES",
    "Alignment",
    "Comparison",
    "Difference",
    "Divergence",
    "Recovery",
    "Where",
    "align",
    "align_result",
    "canonical",
    "compare",
    "is_opaque",
    "is_same_value",
    "literal",
]
