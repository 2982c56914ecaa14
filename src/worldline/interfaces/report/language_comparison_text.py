"""Comparison of two languages on the same problems, as text: is it the logic or the language?"""

from collections.abc import Iterator, Sequence

from worldline.core.language import get_language
from worldline.evaluation.metrics.run_comparison import RunComparison


def language_lines(comparison: RunComparison) -> Iterator[str]:
    """Yield how many problems each language fails at; nothing for runs of one language.

    Python in A and JavaScript in B, the same 700 problems:
        412 (58.9%) correct in both
        150 (21.4%) incorrect in both: the logic is as hard in either language
         90 (12.9%) correct only in Python
         48 ( 6.9%) correct only in JavaScript
    """
    if not comparison.is_across_languages:
        return
    overall = comparison.overall
    a, b = _titles(comparison.languages_a), _titles(comparison.languages_b)
    yield f"{a} in A and {b} in B, the same {overall.samples:,} problems:"
    rows = [
        (overall.both_correct, "correct in both"),
        (overall.both_incorrect, "incorrect in both: the logic is as hard in either language"),
        (overall.lost, f"correct only in {a}"),
        (overall.gained, f"correct only in {b}"),
        (overall.alike, "correct as often in both"),
    ]
    if max(comparison.repeats_a, comparison.repeats_b) > 1:
        rows[2:4] = [
            (overall.lost, f"correct more often in {a}"),
            (overall.gained, f"correct more often in {b}"),
        ]
    width = len(f"{overall.samples:,}")
    for number, text in rows:
        if number or text != "correct as often in both":
            yield f"    {number:{width},} ({number / overall.samples:5.1%}) {text}"


def _titles(languages: Sequence[str]) -> str:
    return " and ".join(get_language(name).title for name in languages)
