"""Shares, differences and p-values go in; words and cells for them come out."""

from worldline.stats import Difference, Share


def share_text(share: Share) -> str:
    """ "493 of 796: 61.9% (95% interval 58.5 to 65.2)" """
    if share.value is None or share.low is None or share.high is None:
        return f"{share.right} of {share.of}"
    return (
        f"{share.right:,} of {share.of:,}: {100 * share.value:.1f}% (95% interval "
        f"{100 * share.low:.1f} to {100 * share.high:.1f})"
    )


def share_cell(share: Share) -> str:
    """The same for a table, with its interval: "493/796 61.9 (58–65)"."""
    counts = f"{share.right:,}/{share.of:,}"
    if share.value is None or share.low is None or share.high is None:
        return f"{counts} –"
    return f"{counts} {100 * share.value:.1f} ({100 * share.low:.0f}–{100 * share.high:.0f})"


def part_cell(part: int, whole: int, *, digits: int = 1) -> str:
    """The same of counts alone: 3, 4 -> "75.0 (3/4)"; 0, 0 -> "– (0/0)" """
    return f"{percent(part / whole if whole else None, digits=digits)} ({part}/{whole})"


def percent(value: float | None, *, digits: int = 1) -> str:
    """0.75 -> "75.0"; nothing -> "–" """
    return "–" if value is None else f"{100 * value:.{digits}f}"


def points(one: float | None, other: float | None) -> str:
    """The difference of two shares: 0.5, 0.75 -> "-25.0"; without one of them -> "–" """
    return "–" if one is None or other is None else signed(100 * (one - other))


def signed(number: float) -> str:
    """2.94 -> "+2.9"; -0.01 -> "0.0" """
    text = f"{number:+,.1f}"
    return text[1:] if text in ("+0.0", "-0.0") else text


def interval_text(difference: Difference, *, scale: float = 1.0) -> str:
    """ "+0.6 to +5.2", or that there is none."""
    if difference.low is None or difference.high is None:
        return "none"
    return f"{signed(scale * difference.low)} to {signed(scale * difference.high)}"


def p_text(p: float) -> str:
    """0.0041 -> "= 0.004"; 0.00004 -> "< 0.001"; 1.0 -> "= 1" """
    if p < 0.001:
        return "< 0.001"
    return f"= {p:.3f}" if p < 0.1 else f"= {p:.2f}" if p < 0.995 else "= 1"
