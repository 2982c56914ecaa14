"""Misconceptions about positions: indexes, slices and ranges."""

import ast
from collections.abc import Iterator

from worldline.analysis.explanations.misconception import (
    Change,
    Example,
    Misconception,
    Source,
    any_of,
    call_becomes,
)


def _slice_text(
    source: Source, node: ast.Subscript, lower: str | None, upper: str | None, step: str | None
) -> str:
    bounds = f"{lower or ''}:{upper or ''}" + (f":{step}" if step else "")
    return f"{source.text(node.value)}[{bounds}]"


def _parts(source: Source, bounds: ast.Slice) -> list[str | None]:
    return [
        None if part is None else source.text(part)
        for part in (bounds.lower, bounds.upper, bounds.step)
    ]


def _shifted(bound: ast.expr | None, text: str | None, by: int) -> str | None:
    """A bound that is moved; one that would pass the end is left out."""
    match bound:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)) if by == 1:
            return None
    return f"{text} {'+' if by > 0 else '-'} {abs(by)}"


def _slices(node: ast.AST) -> Iterator[tuple[ast.Subscript, ast.Slice]]:
    match node:
        case ast.Subscript(slice=ast.Slice() as bounds, ctx=ast.Load()):
            yield node, bounds


def _inclusive_slice(node: ast.AST, source: Source) -> Iterator[Change]:
    for subscript, bounds in _slices(node):
        lower, upper, step = _parts(source, bounds)
        if upper is not None:
            end = _shifted(bounds.upper, upper, 1)
            text = _slice_text(source, subscript, lower, end, step)
            clause = f"`{source.segment(subscript)}` included its end"
            yield Change(subscript, text, "slice", clause)


def _slice_off_by_one(node: ast.AST, source: Source) -> Iterator[Change]:
    for subscript, bounds in _slices(node):
        lower, upper, step = _parts(source, bounds)
        name = source.segment(subscript)
        is_backwards = step is not None and step.lstrip("(").startswith("-")
        if lower is not None:
            for by, word in ((1, "later"), (-1, "earlier")):
                start = _shifted(bounds.lower, lower, by)
                text = _slice_text(source, subscript, start, upper, step)
                yield Change(subscript, text, "slice", f"`{name}` started one {word}")
        elif not is_backwards:
            text = _slice_text(source, subscript, "1", upper, step)
            yield Change(subscript, text, "slice", f"`{name}` started one later")
        if upper is not None:
            end = _shifted(bounds.upper, upper, -1)
            text = _slice_text(source, subscript, lower, end, step)
            yield Change(subscript, text, "slice", f"`{name}` ended one earlier")
        elif not is_backwards:
            text = _slice_text(source, subscript, lower, "-1", step)
            yield Change(subscript, text, "slice", f"`{name}` ended one earlier")


def _step_ignored(node: ast.AST, source: Source) -> Iterator[Change]:
    for subscript, bounds in _slices(node):
        lower, upper, step = _parts(source, bounds)
        if step is not None:
            text = _slice_text(source, subscript, lower, upper, None)
            clause = f"the step of `{source.segment(subscript)}` were ignored"
            yield Change(subscript, text, "slice", clause)


def _reversed_after_slice(node: ast.AST, source: Source) -> Iterator[Change]:
    for subscript, bounds in _slices(node):
        lower, upper, step = _parts(source, bounds)
        if step is not None and (lower is not None or upper is not None):
            text = f"{_slice_text(source, subscript, lower, upper, None)}[::{step}]"
            clause = f"`{source.segment(subscript)}` applied its step after its bounds"
            yield Change(subscript, text, "slice", clause)


def _slice_as_length(node: ast.AST, source: Source) -> Iterator[Change]:
    for subscript, bounds in _slices(node):
        lower, upper, step = _parts(source, bounds)
        if lower is not None and upper is not None:
            text = _slice_text(source, subscript, lower, f"{lower} + {upper}", step)
            clause = f"the end of `{source.segment(subscript)}` were a length"
            yield Change(subscript, text, "slice", clause)


def _negative_position(node: ast.AST, source: Source) -> Iterator[Change]:
    for subscript, bounds in _slices(node):
        lower, upper, step = _parts(source, bounds)
        for word, function in (("0", "max(0, {})"), ("counted from the start", "abs({})")):
            start = lower and function.format(lower)
            end = upper and function.format(upper)
            text = _slice_text(source, subscript, start, end, step)
            clause = f"negative bounds of `{source.segment(subscript)}` were {word}"
            if (start, end) != (None, None):
                yield Change(subscript, text, "slice", clause)
    for subscript, index in _indexes(node):
        name = source.segment(subscript)
        for word, function in (("0", "max(0, {})"), ("counted from the start", "abs({})")):
            text = f"{source.text(subscript.value)}[{function.format(source.segment(index))}]"
            yield Change(subscript, text, "index", f"a negative index in `{name}` were {word}")


def _indexes(node: ast.AST) -> Iterator[tuple[ast.Subscript, ast.expr]]:
    match node:
        case ast.Subscript(slice=index, ctx=ast.Load()) if not isinstance(
            index, ast.Slice | ast.Tuple
        ):
            is_text = isinstance(index, ast.Constant) and isinstance(index.value, str)
            if not is_text:
                yield node, index


def _index_off_by_one(node: ast.AST, source: Source) -> Iterator[Change]:
    for subscript, index in _indexes(node):
        for sign, word in (("+", "next"), ("-", "previous")):
            text = f"{source.text(subscript.value)}[{source.text(index)} {sign} 1]"
            clause = f"`{source.segment(subscript)}` were the {word} item"
            yield Change(subscript, text, "index", clause)


def _item_side(node: ast.AST, source: Source) -> Iterator[Change]:
    for subscript, index in _indexes(node):
        name, other = source.segment(subscript), None
        match index:
            case ast.Constant(value=0):
                other = "-1"
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=1)):
                other = "0"
        if other is not None:
            text = f"{source.text(subscript.value)}[{other}]"
            yield Change(subscript, text, "index", f"`{name}` were at the other end")


POSITION_MISCONCEPTIONS = (
    Misconception(
        "inclusive_bound",
        "The end of a slice or a range is included.",
        any_of(
            _inclusive_slice,
            call_becomes("range", 1, "range({0} + 1)", "{name} included its end"),
            call_becomes("range", 2, "range({0}, {1} + 1)", "{name} included its end"),
            call_becomes("range", 3, "range({0}, {1} + {2}, {2})", "{name} included its end"),
        ),
        Example("s='abcdef'", "return s[1:3]", "'bcd'"),
        Example("s='abcdef'", "return s[1:3]", "'abcd'"),
    ),
    Misconception(
        "slice_off_by_one",
        "A slice starts one item early or late, or ends one early.",
        _slice_off_by_one,
        Example("s='abcdef'", "return s[2:4]", "'bcd'"),
        Example("s='abcdef'", "return s[2:4]", "'bcde'"),
    ),
    Misconception(
        "range_off_by_one",
        "A range starts or ends one number early or late.",
        any_of(
            call_becomes("range", 1, "range({0} - 1)", "{name} ended one earlier"),
            call_becomes("range", 1, "range(1, {0})", "{name} started at 1"),
            call_becomes("range", 1, "range(1, {0} + 1)", "{name} counted from 1"),
            call_becomes("range", 2, "range({0} + 1, {1})", "{name} started one later"),
            call_becomes("range", 2, "range({0} - 1, {1})", "{name} started one earlier"),
            call_becomes("range", 2, "range({0}, {1} - 1)", "{name} ended one earlier"),
            call_becomes("range", 3, "range({0} + {2}, {1}, {2})", "{name} started one later"),
            call_becomes("range", 3, "range({0}, {1} - {2}, {2})", "{name} ended one earlier"),
        ),
        Example("n=4", "return list(range(n))", "[1, 2, 3, 4]"),
        Example("n=4", "return list(range(n))", "[0, 1, 2, 3, 4]"),
    ),
    Misconception(
        "range_bound_ignored",
        "The start or the step of a range is ignored.",
        any_of(
            call_becomes("range", 2, "range({1})", "{name} started at 0"),
            call_becomes("range", 3, "range({0}, {1})", "the step of {name} were ignored"),
            call_becomes("range", 3, "range({1}, {0}, {2})", "{name} ran from its end"),
        ),
        Example("n=6", "return list(range(0, n, 2))", "[0, 1, 2, 3, 4, 5]"),
        Example("n=6", "return list(range(0, n, 2))", "[0, 2, 4, 6]"),
    ),
    Misconception(
        "index_off_by_one",
        "An index is one too high or too low.",
        _index_off_by_one,
        Example("s=[5, 6, 7, 8], i=2", "return s[i]", "8"),
        Example("s=[5, 6, 7, 8], i=2", "return s[i]", "5"),
    ),
    Misconception(
        "position_off_by_one",
        "A position or a length is one too high or too low.",
        any_of(
            call_becomes(
                ".find .rfind .index .rindex", None, "{s}.{name}({all}) + 1", "{name} were 1 more"
            ),
            call_becomes(
                ".find .rfind .index .rindex", None, "{s}.{name}({all}) - 1", "{name} were 1 less"
            ),
            call_becomes("len", 1, "len({0}) + 1", "{name} were 1 more"),
            call_becomes("len", 1, "len({0}) - 1", "{name} were 1 less"),
        ),
        Example("s='abc'", "return [s.find('c'), len(s)]", "[3, 3]"),
        Example("s='abc'", "return [s.find('c'), len(s)]", "[3, 4]"),
    ),
    Misconception(
        "negative_position",
        "A negative index or bound is counted from the start, or taken as 0.",
        _negative_position,
        Example("s=[5, 6, 7, 8], i=-1", "return s[i]", "6"),
        Example("s=[5, 6, 7, 8], i=-1", "return s[i]", "7"),
    ),
    Misconception(
        "item_side",
        "The first item is taken for the last, or the reverse.",
        _item_side,
        Example("s=[5, 6, 7]", "return s[-1]", "5"),
        Example("s=[5, 6, 7]", "return s[-1]", "6"),
    ),
    Misconception(
        "slice_step_ignored",
        "The step of a slice is ignored.",
        _step_ignored,
        Example("s='abcd'", "return s[::-1]", "'abcd'"),
        Example("s='abcd'", "return s[::-1]", "'dcab'"),
    ),
    Misconception(
        "reversed_after_slice",
        "The step of a slice is applied after its bounds.",
        _reversed_after_slice,
        Example("s='abcdef'", "return s[2::-1]", "'fedc'"),
        Example("s='abcdef'", "return s[2::-1]", "'fedcb'"),
    ),
    Misconception(
        "slice_as_length",
        "The end of a slice is its length.",
        _slice_as_length,
        Example("s='abcdefg'", "return s[2:3]", "'cde'"),
        Example("s='abcdefg'", "return s[2:3]", "'cdef'"),
    ),
    Misconception(
        "enumerate_from_one",
        "Enumeration starts at 1.",
        call_becomes("enumerate", 1, "enumerate({0}, 1)", "{name} started at 1"),
        Example("s='ab'", "return list(enumerate(s))", "[(1, 'a'), (2, 'b')]"),
        Example("s='ab'", "return list(enumerate(s))", "[(2, 'a'), (3, 'b')]"),
    ),
)
