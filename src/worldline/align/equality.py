"""Two rendered values go in; whether they are the same, and by which rule, comes out.

Each rule takes out one thing that no model can know, or that does not change the value; they
are tried in the order of `RULES`, and the first that makes the texts equal is recorded.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_MODULE = re.compile(r"<module '([^']+)'(?: from '[^']*'| \([^)]*\))?>")
_ITERATOR = re.compile(
    r"<(?:\w+\.)*(?:\w+_\w*iterator|\w*iterator|enumerate|zip|map|filter|reversed|"
    r"list_reverseiterator|generator) object(?: [^<>]*(?:<[^<>]*>[^<>]*)*)?>"
)
_CUT = re.compile(r"… <cut: (?:more than )?\d+ (?:characters|items)>\Z")
_OPAQUE = frozenset({"<iterator>", "<unrenderable>", "<object>"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """Whether two values are the same, and the rule it took to see it (none: equal text)."""

    is_same: bool
    rule: str | None = None


def compare(true: str, predicted: str) -> Comparison:
    """Compare a real value with an imagined one.

    "<f at 0x7f01>", "<f at 0x5500>" -> the same, by "addresses"; "1", "True" -> not the same
    """
    if true == predicted:
        return Comparison(True)
    if is_opaque(true):
        return Comparison(True, "opaque")
    left, right = true, predicted
    for name, rule in RULES:
        left, right = rule(left), rule(right)
        if left == right:
            return Comparison(True, name)
    if _same_as_far_as_known(left, right):
        return Comparison(True, "cut")
    return Comparison(False)


def without_addresses(value: str) -> str:
    """ "<f at 0x7f01>" -> "<f>" """
    return _ADDRESS.sub("", value)


def without_module_paths(value: str) -> str:
    """ "<module 'math' (built-in)>" -> "<module 'math'>" """
    return _MODULE.sub(r"<module '\1'>", value)


def without_iterator_names(value: str) -> str:
    """ "<str_ascii_iterator object>" -> "<iterator>"; the names differ between versions."""
    return _ITERATOR.sub("<iterator>", value)


def with_sets_sorted(value: str) -> str:
    """ "[{3, 1}]" -> "[{1, 3}]"; text that is no literal stays as it is."""
    if "{" not in value:
        return value
    tree = _parse(value)
    if tree is None or not any(isinstance(node, ast.Set) for node in ast.walk(tree)):
        return value
    for node in ast.walk(tree):
        if isinstance(node, ast.Set):
            node.elts.sort(key=ast.dump)
    return ast.unparse(tree)


def with_one_spelling(value: str) -> str:
    """The same literal in Python's own spelling: '["a",1]' -> "['a', 1]"."""
    tree = _parse(value)
    return value if tree is None else ast.unparse(tree)


Rule = Callable[[str], str]
RULES: tuple[tuple[str, Rule], ...] = (
    ("addresses", without_addresses),
    ("module paths", without_module_paths),
    ("iterator names", without_iterator_names),
    ("set order", with_sets_sorted),
    ("spelling", with_one_spelling),
)


def is_opaque(value: str) -> bool:
    """Whether nothing is left to compare once what no model can know is taken out.

    "<list_iterator object at 0x7f01>" -> True; "<function f at 0x7f01>" -> False
    """
    bare = without_iterator_names(without_addresses(value))
    return bare in _OPAQUE or bare.startswith("<unrenderable: ")


def _parse(value: str) -> ast.Expression | None:
    """A literal as a tree; none where the text is not one, or is too large to bother."""
    if len(value) > 100_000:
        return None
    try:
        tree = ast.parse(value, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    literal = (
        ast.Expression,
        ast.Constant,
        ast.List,
        ast.Tuple,
        ast.Dict,
        ast.Set,
        ast.UnaryOp,
        ast.USub,
        ast.UAdd,
        ast.expr_context,
        ast.Name,
        ast.Call,
        ast.BinOp,
        ast.Add,
        ast.Sub,
        ast.keyword,
    )
    return tree if all(isinstance(node, literal) for node in ast.walk(tree)) else None


def _same_as_far_as_known(true: str, predicted: str) -> bool:
    """A recorded value that was cut is compared only as far as it goes."""
    if not _CUT.search(true):
        return False
    kept = _CUT.sub("", true)
    return predicted.startswith(kept) and bool(kept)
