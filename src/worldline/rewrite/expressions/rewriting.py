"""A program goes in; the same, an operation a line and every value in a variable, comes out."""

import warnings
from collections.abc import Collection
from dataclasses import replace

from worldline.rewrite.expressions.blocks import Blocks
from worldline.rewrite.expressions.facts import facts_of, globals_at
from worldline.rewrite.expressions.lines import layout_of
from worldline.rewrite.expressions.page import Page
from worldline.rewrite.expressions.place import place_of_module
from worldline.rewrite.rewritten import LeftAlone, Rewritten, edited, unchanged
from worldline.trace import parse_source


def rewrite_expressions(text: str, *, lines: Collection[int] | None = None) -> Rewritten:
    """Pull nested calls and operators out into variables, one operation a line."""
    tree = parse_source(text)
    if tree is None:
        return unchanged(text)
    layout = layout_of(text, tree)
    facts = facts_of(text, tree)
    sure = globals_at(tree)
    blocks = Blocks(layout, Page(layout), lines)
    for statement in tree.body:
        place = place_of_module(facts, layout.source, sure[statement], {})
        blocks.block(place, [statement], sure[statement])
    edits = list(blocks.page.edits())
    if not edits:
        return replace(unchanged(text), left=tuple(blocks.left))
    found = edited(text, edits, left=blocks.left)
    if _compiles(found.text):
        return found
    # Python allows 20 loops inside each other, and 100 blocks.
    why = "rewritten, it would have more blocks inside each other than Python allows"
    return replace(unchanged(text), left=(LeftAlone(1, "the program", why),))


def _compiles(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<rewritten>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
