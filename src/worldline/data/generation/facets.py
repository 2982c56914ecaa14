"""Facets of a generated program, measured on its trace, and their bins."""

import ast
from collections.abc import Mapping, Sequence

from worldline.analysis.diagnosis import measure_difficulty, value_kind
from worldline.core.errors import InputError
from worldline.core.trace import Trace, parse_source

Facets = Mapping[str, str | int]

FACETS = (
    "level", "kind", "steps", "iterations", "call_depth", "nesting", "longest_string", "branches",
)  # fmt: skip
# Upper end of each bin; larger values are in one more bin.
BINS: Mapping[str, Sequence[int]] = {
    "steps": (8, 16, 32, 64),
    "iterations": (0, 4, 8, 16),
    "call_depth": (2, 3, 5, 8),
    "nesting": (1, 2, 3),
    "longest_string": (0, 4, 8, 16),
}


def measure_facets(level: str, trace: Trace) -> dict[str, str | int]:
    """Measure all facets of a program that returned.

    `branches` says which outcomes the conditions of its `if` and `while` statements had: none,
    true, false or both.
    """
    measured = measure_difficulty(trace)
    return {
        "level": level,
        "kind": value_kind(trace.result or ""),
        "steps": measured.steps,
        "iterations": measured.iterations,
        "call_depth": measured.call_depth,
        "nesting": measured.nesting,
        "longest_string": measured.longest_string,
        "branches": _branch_outcomes(trace),
    }


def facet_bin(facet: str, value: str | int) -> str:
    """Name of the bin that contains a value.

    "steps", 12 -> "9-16"; "steps", 70 -> "65-"; "kind", "int" -> "int"
    """
    if facet not in BINS or not isinstance(value, int):
        return str(value)
    first: int = 1 if facet in ("steps", "call_depth") else 0
    for last in BINS[facet]:
        if value <= last:
            return str(last) if first == last else f"{first}-{last}"
        first = last + 1
    return f"{first}-"


def check_facets(names: Sequence[str]) -> None:
    """Check the facets of a balance.

    Raises:
        InputError: A facet does not exist or is repeated, or there is none.
    """
    for name in names:
        if name not in FACETS:
            raise InputError(f"there is no facet {name!r} to balance; use: {', '.join(FACETS)}")
    if not names or len(set(names)) < len(names):
        raise InputError("name one facet or more to balance, each once, as in --balance level,kind")


def _branch_outcomes(trace: Trace) -> str:
    bodies = _conditional_bodies(trace.program.text)
    pending: dict[int, int] = {}  # scope -> line of the condition that was just evaluated
    outcomes: set[bool] = set()
    for step in trace.steps:
        if step.event not in ("line", "return"):
            continue
        condition = pending.pop(step.scope, None)
        if condition is not None:
            outcomes.add(step.event == "line" and step.line in bodies[condition])
        if step.event == "line" and step.line in bodies:
            pending[step.scope] = step.line
    return "none" if not outcomes else "both" if len(outcomes) == 2 else str(*outcomes).lower()


def _conditional_bodies(text: str) -> dict[int, range]:
    """Map the line of each condition to the lines that are executed if it is true."""
    tree = parse_source(text)
    return {
        node.lineno: range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
        for node in ast.walk(tree or ast.Module([], []))
        # Python does not evaluate the condition of `while True`.
        if isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Constant)
    }
