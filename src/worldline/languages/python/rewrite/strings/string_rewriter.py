"""Rewrite of a program to one whose string operations go character by character."""

from collections.abc import Collection
from dataclasses import replace

from worldline.languages.python.rewrite.source_map import (
    Edit,
    RewriteResult,
    apply_edits,
    unchanged,
)
from worldline.languages.python.rewrite.strings.discovery import StringOperation
from worldline.languages.python.rewrite.strings.rewrite_plan import RewritePlan, make_plan
from worldline.languages.python.rewrite.strings.text_edits import apply_text_edits


def rewrite_strings(text: str, *, lines: Collection[int] | None = None) -> RewriteResult:
    """Replace string operations by calls of inserted functions that loop over the characters.

    "def f(x):\\n    return x.upper()\\n" -> "def string_upper(text):\\n …\\n\\ndef f(x):\\n
    return string_upper(x)\\n"

    An inserted function leaves values that are not strings to Python, so it is correct for any
    value. The two programs differ only in time and in the depth of their stacks.

    Args:
        text: the source of the program.
        lines: replace only operations on these lines; None for all.

    Returns:
        The new program. Operations that could not be replaced are listed with the reason.
    """
    plan = make_plan(text, lines)
    if plan is None:
        return unchanged(text)
    if not plan.replaced:
        return replace(unchanged(text), left=plan.skipped)
    old = plan.layout.lines
    new = apply_text_edits(plan.layout.text, plan.edits).split("\n")[:-1]
    edits = [
        Edit(number, number, ((after, number),))
        for number, (before, after) in enumerate(zip(old, new, strict=True), start=1)
        if before != after
    ]
    return apply_edits(text, [_insert_functions(plan), *edits], left=plan.skipped)


def find_string_operations(
    text: str, *, lines: Collection[int] | None = None
) -> tuple[StringOperation, ...]:
    """Find the operations that `rewrite_strings` replaces, outer ones before inner ones.

    "def f(x):\\n    return x.upper()\\n" -> StringOperation(2, "upper", "x.upper()")

    Args:
        text: the source of the program.
        lines: only operations on these lines; None for all.
    """
    plan = make_plan(text, lines)
    if plan is None:
        return ()
    return tuple(
        StringOperation(each.line, each.what, plan.layout.segment(each.node))
        for each in plan.replaced
    )


def _insert_functions(plan: RewritePlan) -> Edit:
    """Insert all functions, each followed by a blank line, and one before them if needed."""
    lines = [line for function in plan.functions for line in [*function.splitlines(), ""]]
    if plan.insertion_line > 1 and plan.layout.lines[plan.insertion_line - 2].strip():
        lines.insert(0, "")
    return Edit(plan.insertion_line, plan.insertion_line - 1, tuple((line, 0) for line in lines))
