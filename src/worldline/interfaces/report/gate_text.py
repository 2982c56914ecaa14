"""Result of a gate as one line, as JSON, as JUnit XML and as Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from worldline.core.trace import printable
from worldline.evaluation.metrics import (
    Change,
    ConditionResult,
    GateResult,
    RunComparison,
)
from worldline.interfaces.report.comparison_text import comparison_headline
from worldline.interfaces.report.number_format import p_text, share_text, signed

# Samples that the summary lists.
_LISTED_SAMPLES = 10


def gate_line(result: GateResult) -> str:
    """The result in one line: the conditions that made the gate fail, or all that it passed.

    failed: accuracy<-2:significant (-5.6 points, 95% interval -7.4 to -3.9, p < 0.001, 750 samples
    that both runs answered); not compared: 3 infrastructure errors
    """
    shown = [each for each in result.results if each.has_failed] or list(result.results)
    conditions = "; ".join(f"{each.condition.text} ({change_text(each)})" for each in shown)
    word = "passed" if result.has_passed else "failed"
    notes = "".join(f"; {note}" for note in _notes(result))
    return printable(f"{word}: {conditions}{notes}")


def change_text(result: ConditionResult) -> str:
    """A measured change with its interval, test and denominator."""
    change, unit = result.change, result.condition.unit
    if change.value is None:
        return f"cannot be measured: no {change.noun}"
    if result.condition.measure == "samples":
        return f"{change.of:,} {change.noun}"
    parts = [f"{signed(change.value)}{'' if unit == '%' else ' '}{unit}"]
    interval = _interval(change)
    if interval:
        parts.append(f"95% interval {interval}")
    if change.p is not None:
        parts.append(f"p {p_text(change.p)}")
    return ", ".join([*parts, f"{change.of:,} {change.noun}"])


def _interval(change: Change) -> str:
    if change.low is None or change.high is None:
        return ""
    return f"{signed(change.low)} to {signed(change.high)}"


def _notes(result: GateResult) -> Iterator[str]:
    """Yield what accuracy does not contain, and the samples that were not compared."""
    if result.not_answered and any(r.condition.measure == "accuracy" for r in result.results):
        yield f"not answered by one of the runs: {result.not_answered:,} of {result.samples:,}"
    parts = [
        f"{number:,} {reason}"
        for number, reason in (
            (result.infra_errors, "with an infrastructure error"),
            (result.only_a, "only in A"),
            (result.only_b, "only in B"),
        )
        if number
    ]
    if parts:
        yield f"not compared: {', '.join(parts)}"


def gate_to_json(result: GateResult) -> dict[str, Any]:
    """Return the result as plain JSON data."""
    return {
        "has_passed": result.has_passed,
        "line": gate_line(result),
        "conditions": [
            {
                **asdict(each.condition),
                "unit": each.condition.unit,
                "change": asdict(each.change),
                "has_failed": each.has_failed,
            }
            for each in result.results
        ],
        "samples": result.samples,
        "not_answered": result.not_answered,
        "infra_errors": result.infra_errors,
        "only_a": result.only_a,
        "only_b": result.only_b,
    }


def gate_to_junit(result: GateResult, *, base: str, new: str) -> str:
    """Return the result as JUnit XML, with one test case for each condition."""
    failures = sum(each.has_failed for each in result.results)
    name = quoteattr(printable(f"worldline compare {base} {new}"))
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites tests="{len(result.results)}" failures="{failures}">',
        f'<testsuite name={name} tests="{len(result.results)}" failures="{failures}" errors="0">',
    ]
    for each in result.results:
        lines.append(
            f"<testcase classname={quoteattr('worldline.compare')} "
            f"name={quoteattr(printable(each.condition.text))}>"
        )
        text = printable(change_text(each))
        if each.has_failed:
            lines.append(f"<failure message={quoteattr(text)}>{escape(text)}</failure>")
        else:
            lines.append(f"<system-out>{escape(text)}</system-out>")
        lines.append("</testcase>")
    return "\n".join([*lines, "</testsuite>", "</testsuites>", ""])


def comparison_markdown(
    comparison: RunComparison, *, base: str, new: str, gate: GateResult | None = None
) -> str:
    """Return a comparison as Markdown, such as for the summary page of a GitHub job.

    Args:
        comparison: The comparison.
        base: The name of the first run.
        new: The name of the second run.
        gate: The result of the gate, if there are conditions.
    """
    title = "comparison" if gate is None else "passed" if gate.has_passed else "failed"
    lines = [f"### Worldline: {title}", "", f"{code(base)} (A) and {code(new)} (B)", ""]
    if gate is not None:
        lines += _condition_table(gate)
    lines += [plain(comparison_headline(comparison)), ""]
    lines += _accuracy_table(comparison)
    for word, samples in (
        ("Lost", comparison.lost_samples),
        ("Gained", comparison.gained_samples),
    ):
        if samples:
            names = ", ".join(map(code, samples[:_LISTED_SAMPLES]))
            rest = len(samples) - _LISTED_SAMPLES
            lines += [f"{word}: {names}{f' and {rest:,} more' if rest > 0 else ''}", ""]
    return "\n".join([*lines, ""])


def _condition_table(gate: GateResult) -> list[str]:
    rows = [
        (
            code(each.condition.text),
            "**failed**" if each.has_failed else "passed",
            plain(change_text(each)),
        )
        for each in gate.results
    ]
    notes = [plain("; ".join(_notes(gate))), ""] if any(_notes(gate)) else []
    return [*_table(("Fail if", "Result", "Change from A to B"), rows), "", *notes]


def _accuracy_table(comparison: RunComparison) -> list[str]:
    rows = [
        ("Correct of answered", comparison.answered),
        ("Correct of all", comparison.overall),
    ]
    cells = [
        (f"{name}, {accuracy.samples:,} samples", share_text(accuracy.a), share_text(accuracy.b))
        for name, accuracy in rows
        if accuracy.samples
    ]
    return [*_table(("", "A", "B"), cells), ""] if cells else []


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = [titles, ["---"] * len(titles), *rows]
    return ["| " + " | ".join(cells) + " |" for cells in lines]


def plain(text: str) -> str:
    """A text in Markdown without any markup: "a*b" -> "a\\*b" """
    escaped = "".join(f"\\{c}" if c in "\\`*_{}[]<>#|~!&" else c for c in printable(text))
    # GitHub links what begins like an address or a user's name.
    return escaped.replace("@", "&#64;").replace("://", ":&#47;/")


def code(text: str) -> str:
    """A text as a code span, also within a table: "a`b" -> "``a`b``" """
    shown = printable(text).replace("|", "\\|")
    longest = max(map(len, re.findall("`+", shown)), default=0)
    marks = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{marks}{pad}{shown}{pad}{marks}"
