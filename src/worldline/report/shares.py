"""Counts go in; percentages that say of how many come out."""


def share(part: int, whole: int, *, digits: int = 1) -> str:
    """3, 4 -> "75.0 (3/4)"; 0, 0 -> "– (0/0)" """
    found = part / whole if whole else None
    return f"{percent(found, digits=digits)} ({part}/{whole})"


def percent(found: float | None, *, digits: int = 1) -> str:
    """0.75 -> "75.0"; nothing -> "–" """
    return "–" if found is None else f"{100 * found:.{digits}f}"


def difference_of_shares(one: float | None, other: float | None) -> str:
    """In points: 0.5, 0.75 -> "-25.0"; without one of them -> "–" """
    if one is None or other is None:
        return "–"
    # Rounded first: a negative nothing is nothing.
    return f"{round(100 * (one - other), 1) + 0.0:+.1f}"
