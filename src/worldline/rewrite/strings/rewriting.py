"""A program goes in; one that does its operations on strings a character at a time comes out."""

from collections.abc import Collection
from dataclasses import replace

from worldline.rewrite.rewritten import Edit, Rewritten, edited, unchanged
from worldline.rewrite.strings.operation import StringOperation
from worldline.rewrite.strings.planning import Plan, plan_for
from worldline.rewrite.strings.splicing import spliced


def rewrite_strings(text: str, *, lines: Collection[int] | None = None) -> Rewritten:
    """A program that does the same, but whose operations on strings are calls of functions in it
    that go through the characters one by one.

    "def f(x):\\n    return x.upper()\\n" -> "def string_upper(text):\\n …\\n\\ndef f(x):\\n
    return string_upper(x)\\n"

    `lines`: only the operations that stand on these. A function leaves to Python whatever is no
    string, so that it is right for any value. What is left alone is listed with the reason. The
    two programs differ in nothing but time and how deep their stacks grow.
    """
    plan = plan_for(text, lines)
    if plan is None:
        return unchanged(text)
    if not plan.done:
        return replace(unchanged(text), left=plan.left)
    old = plan.layout.lines
    new = spliced(plan.layout.text, plan.splices).split("\n")[:-1]
    edits = [
        Edit(number, number, ((after, number),))
        for number, (before, after) in enumerate(zip(old, new, strict=True), start=1)
        if before != after
    ]
    return edited(text, [_functions(plan), *edits], left=plan.left)


def string_operations(
    text: str, *, lines: Collection[int] | None = None
) -> tuple[StringOperation, ...]:
    """The operations that `rewrite_strings` would do otherwise; an outer one before those in it.

    "def f(x):\\n    return x.upper()\\n" -> StringOperation(2, "upper", "x.upper()")
    """
    plan = plan_for(text, lines)
    if plan is None:
        return ()
    return tuple(
        StringOperation(found.line, found.what, plan.layout.segment(found.node))
        for found in plan.done
    )


def _functions(plan: Plan) -> Edit:
    """All functions, a blank line behind each, and one before them where something stands there."""
    lines = [line for function in plan.functions for line in [*function.splitlines(), ""]]
    if plan.place > 1 and plan.layout.lines[plan.place - 2].strip():
        lines.insert(0, "")
    return Edit(plan.place, plan.place - 1, tuple((line, 0) for line in lines))
