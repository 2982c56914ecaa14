"""Two rendered values go in; whether they are the same, and by which rule, comes out.

Each rule takes out one thing that no model can know, or that does not change the value; they
are tried in the order of `RULES`, and the first that makes the texts equal is recorded. None of
them looks inside a string literal: there every character counts.
"""

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from worldline.trace import CUT_MARK

_STRING = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_ADDRESS = r" at 0x[0-9a-fA-F]+"
_MODULE = r"<module '(?P<module>[^']+)'(?: from '[^']*'| \([^)]*\))?>"
_ITERATOR = (
    r"<(?:\w+\.)*(?:\w*iterator|enumerate|zip|map|filter|reversed|generator) object"
    r"(?: [^<>]*(?:<[^<>]*>[^<>]*)*)?>"
)
_ANGLES = r"<(?:[^<>]|<[^<>]*>)*>"
_CUT = re.compile(rf"{CUT_MARK}(?:more than )?\d+ (?:characters|items)>\Z")
_OPAQUE = frozenset({"<iterator>", "<object>"})
# What a rendered value is made of, beside its literals: object(…), dates, complex numbers.
_LITERAL = (
    ast.Expression, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.USub,
    ast.UAdd, ast.expr_context, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.BinOp, ast.Add,
    ast.Sub,
)  # fmt: skip
# A longer value is compared as it stands.
_PATIENCE = 100_000


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
    if is_cut(true):
        return Comparison(True, "cut") if starts_alike(true, predicted) else Comparison(False)
    left, right = true, predicted
    for name, rule in RULES:
        left, right = rule(left), rule(right)
        if left == right:
            return Comparison(True, name)
    return Comparison(False)


def without_addresses(value: str) -> str:
    """ "<f at 0x7f01>" -> "<f>" """
    return _outside_strings(_ADDRESS, "", value) if " at 0x" in value else value


def without_module_paths(value: str) -> str:
    """ "<module 'math' (built-in)>" -> "<module 'math'>" """
    return _outside_strings(_MODULE, r"<module '\g<module>'>", value)


def without_iterator_names(value: str) -> str:
    """ "<str_ascii_iterator object>" -> "<iterator>"; the names differ between versions."""
    return _outside_strings(_ITERATOR, "<iterator>", value) if " object" in value else value


def with_sets_sorted(value: str) -> str:
    """ "[{3, 1}]" -> "[{1, 3}]"; text that is no literal stays as it is."""
    return _rewritten(value, _sort_sets) if "{" in value else value


def with_dicts_sorted(value: str) -> str:
    """ "Counter({'b': 1, 'a': 1})" -> "Counter({'a': 1, 'b': 1})".

    No rule: two states may differ in this order, and go on differently. Two results are equal.
    """
    return _rewritten(value, _sort_dicts) if "{" in value else value


def with_one_spelling(value: str) -> str:
    """The same literal in Python's own spelling: '["a",1]' -> "['a', 1]"."""
    return _rewritten(value, lambda tree: None)


Rule = Callable[[str], str]
RULES: tuple[tuple[str, Rule], ...] = (
    ("addresses", without_addresses),
    ("module paths", without_module_paths),
    ("iterator names", without_iterator_names),
    ("set order", with_sets_sorted),
    ("spelling", with_one_spelling),
)


@lru_cache(maxsize=8192)
def canonical(value: str) -> str:
    """A value after all rules: values that are the same have the same one.

    "{3, 1}" -> "{1, 3}"; "<list_iterator object>" -> "<opaque>"
    """
    if is_opaque(value):
        return "<opaque>"
    for _, rule in RULES:
        value = rule(value)
    return value


def is_opaque(value: str) -> bool:
    """Whether nothing is left to compare once what no model can know is taken out.

    "<list_iterator object at 0x7f01>" -> True; "<function f at 0x7f01>" -> False
    """
    bare = without_iterator_names(without_addresses(value))
    return bare in _OPAQUE or bare.startswith("<unrenderable: ")


def is_cut(value: str) -> bool:
    """Whether a recorded value was too long to keep all of it."""
    return value.endswith(">") and _CUT.search(value) is not None


def starts_alike(true: str, start: str) -> bool:
    """Whether a text may be the start of a real value, or go on beyond what is kept of it.

    "{'b', 'a'}", "{'a" -> True (the order inside a set is not known); "[1, 2]", "[2" -> False
    """
    if is_opaque(true):
        return True
    kept = without_addresses(_CUT.sub("", true))
    start = re.sub(r" at 0x[0-9a-fA-F]*\Z", "", without_addresses(start))
    common = min(len(kept), len(start))
    if not is_cut(true) and len(start) > len(kept):
        return False
    if kept[:common] == start[:common]:
        return True
    # From the first set or object on, equal values may be written in another way.
    loose = [m.start() for m in re.finditer(rf"{_STRING}|(?P<loose>[{{<])", kept) if m["loose"]]
    if not loose or not (is_cut(true) or "<" in kept or _rewritten(true, _find_set) == ""):
        return False
    return kept[: loose[0]] == start[: loose[0]]


def _outside_strings(pattern: str, replacement: str, value: str) -> str:
    """Replace what the pattern matches, except within string literals."""
    found = re.compile(rf"(?P<found>{pattern})|{_STRING}")
    return found.sub(
        lambda match: match.expand(replacement) if match["found"] is not None else match[0], value
    )


def _rewritten(value: str, change: Callable[[ast.Expression], None]) -> str:
    """The value taken apart, changed and written again; as it is where it is no literal."""
    if len(value) > _PATIENCE or (not value.isascii() and not _is_ascii_outside_strings(value)):
        return value
    # What is no literal goes through the parser under a name that spells it.
    text = re.sub(
        rf"{_STRING}|(?P<found>{_ANGLES}|#)",
        lambda match: match[0] if match["found"] is None else f"object_{match[0].encode().hex()}",
        value,
    )
    try:
        tree = ast.parse(text, mode="eval")
        if not all(isinstance(node, _LITERAL) for node in ast.walk(tree)):
            return value
        change(tree)
        written = ast.unparse(tree)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        return value
    return re.sub(r"\bobject_([0-9a-f]+)", lambda match: bytes.fromhex(match[1]).decode(), written)


def _is_ascii_outside_strings(value: str) -> bool:
    """Names beyond ASCII are left alone: Python's parser changes their spelling."""
    return re.sub(_STRING, "", value).isascii()


def _find_set(tree: ast.Expression) -> None:
    """Make nothing of a value that has a set in it, so that one can ask."""
    if any(isinstance(node, ast.Set) for node in ast.walk(tree)):
        tree.body = ast.Name("")


def _sort_sets(tree: ast.AST) -> None:
    """Sort the items of every set, the innermost first."""
    for child in ast.iter_child_nodes(tree):
        _sort_sets(child)
    if isinstance(tree, ast.Set):
        tree.elts.sort(key=ast.unparse)


def _sort_dicts(tree: ast.AST) -> None:
    """Sort the items of every dict, the innermost first, but where their order counts."""
    if isinstance(tree, ast.Call) and ast.unparse(tree.func).endswith("OrderedDict"):
        return
    for child in ast.iter_child_nodes(tree):
        _sort_dicts(child)
    if isinstance(tree, ast.Dict):
        items = list(zip(tree.keys, tree.values, strict=True))
        items.sort(key=lambda item: "" if item[0] is None else ast.unparse(item[0]))
        tree.keys, tree.values = [key for key, _ in items], [value for _, value in items]
