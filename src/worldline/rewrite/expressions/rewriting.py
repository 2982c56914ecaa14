"""A program goes in; the same, an operation a line and every value in a variable, comes out."""

import warnings
from collections.abc import Collection
from dataclasses import replace

from worldline.rewrite.expressions.arguments import parameter_kinds
from worldline.rewrite.expressions.blocks import Blocks
from worldline.rewrite.expressions.facts import facts_of, globals_at
from worldline.rewrite.expressions.lines import layout_of
from worldline.rewrite.expressions.page import Page
from worldline.rewrite.expressions.place import place_of_module
from worldline.rewrite.rewritten import LeftAlone, Rewritten, edited, unchanged
from worldline.trace import START_MARK, parse_source


def rewrite_expressions(text: str, *, lines: Collection[int] | None = None) -> Rewritten:
    """Pull nested calls and operators out into variables, one operation a line.

    "def f(s):\\n    return len(s.strip())\\n" ->
    "def f(s):\\n    t1 = s.strip()\\n    return len(t1)\\n", origins 1, 2, 2

    With `lines`, only statements that stand on these. The new program does what the old one did, in
    the same order: values, output, exceptions and their messages. What cannot be taken apart so is
    left alone, and listed: statements of modules and classes, whose variables others see; functions
    that look at their own variables, programs that look at their frames; and more, with the reason.
    Lambdas, decorators, defaults and annotations stay as they are. So does a statement of one
    operation, to the letter. Rewriting the new text again changes nothing.

    A method is looked up before its arguments are worked out (`t1 = x.m`), as Python does, unless
    x surely has a built-in type: by what the function binds it to or, in a program whose start is
    marked, by all calls in the text. Without a mark, anyone may call its functions with anything.

    Only these may differ: how long objects live (a variable keeps what was dropped at once), how
    deep a program may call itself (a loop needs no frame where a comprehension does), the lines and
    texts that a traceback shows, whether an `assert`'s test is evaluated under `python -O`, and
    what other threads do in between.
    """
    tree = parse_source(text)
    # Some of what parses is no program, like a `return` outside of functions.
    if tree is None or not _compiles(text):
        return unchanged(text)
    layout = layout_of(text, tree)
    facts = facts_of(text, tree)
    sure = globals_at(tree)
    # Where the program says how it starts, nothing but the text calls its functions.
    parameters = parameter_kinds(facts) if START_MARK in text else {}
    blocks = Blocks(layout, Page(layout), lines)
    for statement in tree.body:
        place = place_of_module(facts, layout.source, sure[statement], parameters)
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
