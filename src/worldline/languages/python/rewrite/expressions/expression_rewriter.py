"""Rewrite of a program to one operation per line, with every value in a variable."""

import warnings
from collections.abc import Collection
from dataclasses import replace

from worldline.core.trace import START_MARK, parse_source, source_lines
from worldline.languages.python.rewrite.expressions.block_rewriter import BlockRewriter
from worldline.languages.python.rewrite.expressions.output_buffer import OutputBuffer
from worldline.languages.python.rewrite.expressions.parameter_types import infer_parameter_types
from worldline.languages.python.rewrite.expressions.program_facts import (
    bound_globals_at,
    collect_facts,
)
from worldline.languages.python.rewrite.expressions.scope_context import module_context
from worldline.languages.python.rewrite.source_layout import parse_layout
from worldline.languages.python.rewrite.source_map import (
    RewriteResult,
    SkippedRewrite,
    apply_edits,
    unchanged,
)
from worldline.languages.python.rewrite.type_inference import TypeInference


def rewrite_expressions(text: str, *, lines: Collection[int] | None = None) -> RewriteResult:
    """Move nested calls and operators into temporary variables, one operation per line.

    "def f(s):\\n    return len(s.strip())\\n" ->
    "def f(s):\\n    t1 = s.strip()\\n    return len(t1)\\n", origins 1, 2, 2

    The new program does the same as the old one, in the same order: values, output, exceptions and
    their messages. Constructs that cannot be rewritten safely are left alone and listed with the
    reason: statements of modules and classes, whose variables are visible to others; functions that
    inspect their own variables; programs that inspect their frames; and others. Lambdas,
    decorators, defaults and annotations stay as they are, and so does a statement with one
    operation, character by character. Rewriting the new text again changes nothing.

    A method is looked up before its arguments are evaluated (`t1 = x.m`), as Python does, unless x
    certainly has a built-in type. The types of variables are inferred from the function's
    assignments and, in a program with a marked entry point, from all calls in the text. Without a
    mark, its functions may be called with any arguments.

    Only these may differ: the lifetimes of objects (a temporary variable keeps a value longer), the
    recursion depth (a comprehension needs a frame, the loop for it does not), the lines and texts
    in a traceback, whether the test of an `assert` is evaluated under `python -O`, and what other
    threads do in between.

    Args:
        text: the source of the program.
        lines: rewrite only statements on these lines; None for all.

    Returns:
        The new program; the unchanged text if it is not a valid program.
    """
    tree = parse_source(text)
    # Some text parses but does not compile, like a `return` outside of a function.
    if tree is None or not _compiles(text):
        return unchanged(text)
    layout = parse_layout(source_lines(text), tree)
    if layout is None:
        return unchanged(text)
    facts = collect_facts(text, tree)
    bound = bound_globals_at(tree)
    # If the program marks its entry point, its functions are called only from its own text.
    parameters = infer_parameter_types(facts) if START_MARK in text else {}
    inference = TypeInference(facts.scopes, facts.assumptions, parameters)
    rewriter = BlockRewriter(layout, OutputBuffer(layout), lines)
    for statement in tree.body:
        context = module_context(facts, layout.lines, bound[statement], inference)
        rewriter.rewrite_block(context, [statement], bound[statement])
    edits = list(rewriter.output.make_edits())
    if not edits:
        return replace(unchanged(text), left=tuple(rewriter.skipped))
    result = apply_edits(text, edits, left=rewriter.skipped)
    if _compiles(result.text):
        return result
    # Python allows 20 nested loops and 100 nested blocks.
    why = "rewritten, it would have more blocks nested than Python allows"
    return replace(unchanged(text), left=(SkippedRewrite(1, "the program", why),))


def _compiles(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(text, "<rewritten>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True
