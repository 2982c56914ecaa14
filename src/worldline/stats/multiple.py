"""Many p-values go in; the same, adjusted for there being many, come out."""

from collections.abc import Sequence

from worldline.stats.need import need


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's: of what is called a difference below 0.05, 5% is expected to be
    none.

    [0.01, 0.02, 0.9] -> [0.03, 0.03, 0.9]
    """
    if not p_values:
        return []
    return [float(p) for p in need("scipy.stats").false_discovery_control(p_values)]
