"""An expression goes in, what is evaluated for it comes out, in that order; and back."""

import ast
import copy
from collections.abc import Iterator

_LOOPING = ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp


def parts_of(node: ast.AST) -> list[ast.expr]:
    """What is evaluated for an expression; slices are taken apart, of a comprehension only what it
    is over is evaluated outside of it.

    "a[f():g()]" -> a, f(), g(); "{k: v}" -> k, v
    """
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return [part for pair in pairs for part in pair if part is not None]
    if isinstance(node, _LOOPING):
        return [node.generators[0].iter]
    if isinstance(node, ast.Lambda):
        return []
    found: list[ast.expr] = []
    for child in ast.iter_child_nodes(node):
        if _is_sliced(child):
            found += parts_of(child)
        elif isinstance(child, ast.expr):
            found.append(child)
    return found


def with_parts(node: ast.expr, parts: Iterator[ast.expr]) -> ast.expr:
    """An expression with others in place of what `parts_of` gives.

    "a[f():g()]", [a, t1, t2] -> "a[t1:t2]"
    """
    made = copy.copy(node)
    if isinstance(made, ast.Dict):
        pairs = [(key and next(parts), next(parts)) for key in made.keys]
        made.keys, made.values = [key for key, _ in pairs], [value for _, value in pairs]
    elif isinstance(made, _LOOPING):
        first = copy.copy(made.generators[0])
        first.iter = next(parts)
        made.generators = [first, *made.generators[1:]]
    elif not isinstance(made, ast.Lambda):
        for name, value in ast.iter_fields(node):
            setattr(made, name, _replaced(value, parts))
    return made


def _replaced(value: object, parts: Iterator[ast.expr]) -> object:
    if isinstance(value, list):
        return [_replaced(each, parts) for each in value]
    if isinstance(value, ast.expr):
        return with_parts(value, parts) if _is_sliced(value) else next(parts)
    return value


def _is_sliced(node: ast.AST) -> bool:
    """Whether this is a slice, or has some, as in `a[1:2, 3]`."""
    return isinstance(node, ast.Slice) or (
        isinstance(node, ast.Tuple) and any(isinstance(part, ast.Slice) for part in node.elts)
    )
