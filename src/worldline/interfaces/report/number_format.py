"""Shares, differences and p-values as text; numbers within names."""

import re

from worldline.analysis.stats import Difference, Share


def share_text(share: Share) -> str:
    """ "493 of 796: 61.9% (95% interval 58.5 to 65.2)" """
    if share.value is None or share.low is None or share.high is None:
        return f"{share.correct} of {share.of}"
    return (
        f"{share.correct:,} of {share.of:,}: {100 * share.value:.1f}% (95% interval "
        f"{100 * share.low:.1f} to {100 * share.high:.1f})"
    )


def share_cell(share: Share) -> str:
    """A share as a table cell, with its 95% interval: "493/796 61.9 (58–65)"."""
    counts = f"{share.correct:,}/{share.of:,}"
    if share.value is None or share.low is None or share.high is None:
        return f"{counts} –"
    return f"{counts} {100 * share.value:.1f} ({100 * share.low:.0f}–{100 * share.high:.0f})"


def part_cell(part: int, whole: int, *, digits: int = 1) -> str:
    """A percentage as a table cell, with its counts: 3, 4 -> "75.0 (3/4)"; 0, 0 -> "– (0/0)" """
    return f"{percent(part / whole if whole else None, digits=digits)} ({part}/{whole})"


def percent(value: float | None, *, digits: int = 1) -> str:
    """0.75 -> "75.0"; None -> "–" """
    return "–" if value is None else f"{100 * value:.{digits}f}"


def points(one: float | None, other: float | None) -> str:
    """The difference of two shares in percentage points: 0.5, 0.75 -> "-25.0"; 0.5, None -> "–" """
    return "–" if one is None or other is None else signed(100 * (one - other))


def signed(number: float) -> str:
    """A number with its sign: 2.94 -> "+2.9"; -0.01 -> "0.0" """
    text = f"{number:+,.1f}"
    return text[1:] if text in ("+0.0", "-0.0") else text


def interval_text(difference: Difference, *, scale: float = 1.0) -> str:
    """ "+0.6 to +5.2"; "none" if there is no interval."""
    if difference.low is None or difference.high is None:
        return "none"
    return f"{signed(scale * difference.low)} to {signed(scale * difference.high)}"


def p_text(p: float) -> str:
    """A p-value with its relation: 0.0041 -> "= 0.004"; 0.00004 -> "< 0.001"; 1.0 -> "= 1" """
    if p < 0.001:
        return "< 0.001"
    return f"= {p:.3f}" if p < 0.1 else f"= {p:.2f}" if p < 0.995 else "= 1"


def natural_key(name: str) -> list[tuple[int, str]]:
    """Sort key that orders the numbers within names by their value.

    sorted(["s10", "s9"], key=natural_key) -> ["s9", "s10"]
    """
    parts = re.split(r"([0-9]+)", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
