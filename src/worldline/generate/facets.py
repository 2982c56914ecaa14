"""The trace of a program goes in; what it is counted and balanced by comes out."""

import ast
from collections.abc import Mapping, Sequence

from worldline.diagnose import difficulty, value_kind
from worldline.errors import InputError
from worldline.trace import Trace, parse_source

Facets = Mapping[str, str | int]

FACETS = (
    "level", "kind", "steps", "iterations", "call_depth", "nesting", "longest_string", "branches",
)  # fmt: skip
# The last number of each bin; what is larger is in one more.
BINS: Mapping[str, Sequence[int]] = {
    "steps": (8, 16, 32, 64),
    "iterations": (0, 4, 8, 16),
    "call_depth": (2, 3, 5, 8),
    "nesting": (1, 2, 3),
    "longest_string": (0, 4, 8, 16),
}


def facets_of(level: str, trace: Trace) -> dict[str, str | int]:
    """All facets of a program that returned.

    `branches`: which outcomes the tests of its `if`s and `while`s had: none, true, false or both.
    """
    found = difficulty(trace)
    return {
        "level": level,
        "kind": value_kind(trace.result or ""),
        "steps": found.steps,
        "iterations": found.iterations,
        "call_depth": found.call_depth,
        "nesting": found.nesting,
        "longest_string": found.longest_string,
        "branches": _branches(trace),
    }


def bin_of(facet: str, value: str | int) -> str:
    """The name of the bin that a value is in.

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
    """Refuse facets that there are not."""
    for name in names:
        if name not in FACETS:
            raise InputError(
                f"there is no facet {name!r} to balance; there is: {', '.join(FACETS)}"
            )
    if not names or len(set(names)) < len(names):
        raise InputError("name one facet or more to balance, each once, as in --balance level,kind")


def _branches(trace: Trace) -> str:
    bodies = _bodies(trace.program.text)
    waiting: dict[int, int] = {}
    outcomes: set[bool] = set()
    for step in trace.steps:
        if step.event not in ("line", "return"):
            continue
        tested = waiting.pop(step.scope, None)
        if tested is not None:
            outcomes.add(step.event == "line" and step.line in bodies[tested])
        if step.event == "line" and step.line in bodies:
            waiting[step.scope] = step.line
    return "none" if not outcomes else "both" if len(outcomes) == 2 else str(*outcomes).lower()


def _bodies(text: str) -> dict[int, range]:
    """For each line with a test the lines that are executed where it holds."""
    tree = parse_source(text)
    return {
        node.lineno: range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
        for node in ast.walk(tree or ast.Module([], []))
        # Python executes no test for `while True`.
        if isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Constant)
    }
