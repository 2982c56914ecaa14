"""Markdown tables of the pages in docs/findings, and the figures in them."""

from collections.abc import Iterable, Sequence
from statistics import fmean

from worldline.analysis.stats import Difference, Share, mean_difference


def points(difference: Difference) -> str:
    """ "+3.0 points (+1.0 to +5.0), p = 0.003" """
    ends = (difference.value, difference.low, difference.high)
    value, low, high = (100 * (end or 0.0) for end in ends)
    return f"{value:+.1f} points ({low:+.1f} to {high:+.1f}), p = {difference.p:.2g}"


def cell(share: Share, *, digits: int = 0) -> str:
    """ "31/40 78% (62–88)" """
    if share.value is None or share.low is None or share.high is None:
        return "–"
    low, high = (f"{100 * end:.{digits}f}" for end in (share.low, share.high))
    return f"{share.correct:,}/{share.of:,} {100 * share.value:.{digits}f}% ({low}–{high})"


def table(head: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """Format a Markdown table."""
    rule = ["---", *["--:"] * (len(head) - 1)]
    rows = [head, rule, *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows).replace("| --- |", "|---|") + "\n"


def spread(values: Sequence[float], *, digits: int = 0) -> str:
    """[0.5, 0.6, 0.7] -> "60% (50–70)": mean, lowest and highest of several seeds"""
    low, high = (f"{100 * each:.{digits}f}" for each in (min(values), max(values)))
    return f"{100 * fmean(values):.{digits}f}% ({low}–{high})"


def seed_difference(differences: Sequence[float], *, digits: int = 0) -> str:
    """Mean of the differences of several seeds in points, with its 95% interval."""
    mean = mean_difference(differences)
    if mean.value is None or mean.low is None or mean.high is None:
        return "–"
    value, low, high = (f"{100 * each:+.{digits}f}" for each in (mean.value, mean.low, mean.high))
    return f"{value} ({low} to {high})"
