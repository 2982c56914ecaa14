"""Equality of two rendered values, by a list of rules.

Each rule removes one thing that no model can predict, or that does not change the value. Rules are
applied in the order of `EQUALITY_RULES`, and the first that makes the texts equal is recorded. No
rule changes the inside of a string literal.
"""

import ast
import re
from collections.abc import Callable
from functools import lru_cache

from worldline.core.language import Comparison
from worldline.core.trace import SHORTENED_MARK

# A string literal as `repr` or a model writes it. A newline may follow a backslash.
STRING_LITERAL = r"'[^'\\]*(?:\\(?s:.)[^'\\]*)*'|\"[^\"\\]*(?:\\(?s:.)[^\"\\]*)*\""
# Addresses, as the recorder removes them, but of any length: a model also writes impossible ones.
_ADDRESS = r" at 0x[0-9a-fA-F]+|(?<=ed|on) [0-9]{9,}(?=\)>)"
_MODULE = r"<module '(?P<module>[^']+)'(?: from '[^']*'| \([^)]*\))?>"
# The recorder executes a program as the module `program`; a model expects `__main__`.
_MAIN_MODULE = r"<(?:program|__main__)\."
_MAIN_CLASS = r"<class '(?:program|__main__)\.(?P<name>[^']*)'>"
_ITERATOR = (
    r"<(?:\w+\.)*(?:\w*iterator|enumerate|zip|map|filter|reversed|generator) object"
    r"(?: [^<>]*(?:<[^<>]*>[^<>]*)*)?>"
)
_ANGLE_BRACKETS = r"<(?:[^<>]|<[^<>]*>)*>"
_SHORTENED = re.compile(rf"{SHORTENED_MARK}(?:more than )?\d+ (?:characters|items)>\Z")
_OPAQUE = frozenset({"<iterator>", "<object>"})
# Syntax of rendered values: literals, and calls and sums for object(…), dates, complex numbers.
_LITERAL_NODES = (
    ast.Expression, ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp, ast.USub,
    ast.UAdd, ast.expr_context, ast.Name, ast.Attribute, ast.Call, ast.keyword, ast.BinOp, ast.Add,
    ast.Sub,
)  # fmt: skip
# Longer values are not parsed.
_MAX_REWRITTEN_LENGTH = 100_000


def compare_values(actual: str, predicted: str) -> Comparison:
    """Compare an actual value with a predicted one.

    "<f at 0x7f01>", "<f at 0x5500>" -> the same, by "addresses"; "1", "True" -> not the same

    Args:
        actual: The recorded value, as text. If it is opaque (see `is_opaque`), any prediction
            is the same; if it was shortened, any prediction with the same start is.
        predicted: The predicted value, as text.
    """
    if actual == predicted:
        return Comparison(True)
    if is_opaque(actual):
        return Comparison(True, "opaque")
    if is_shortened(actual):
        return (
            Comparison(True, "shortened")
            if may_start_value(actual, predicted)
            else Comparison(False)
        )
    left, right = actual, predicted
    for name, rule in EQUALITY_RULES:
        left, right = rule(left), rule(right)
        if left == right:
            return Comparison(True, name)
    return Comparison(False)


def without_addresses(value: str) -> str:
    """ "<f at 0x7f01>" -> "<f>"; "<Thread(T, started 123456789)>" -> "<Thread(T, started)>" """
    has_address = " at 0x" in value or ")>" in value
    return _outside_strings(_ADDRESS, "", value) if has_address else value


def without_main_module(value: str) -> str:
    """ "<__main__.A object>" -> "<A object>"; "<class 'program.A'>" -> "<class 'A'>" """
    if "program." not in value and "__main__." not in value:
        return value
    value = _outside_strings(_MAIN_CLASS, r"<class '\g<name>'>", value)
    return _outside_strings(_MAIN_MODULE, "<", value)


def without_module_paths(value: str) -> str:
    """ "<module 'math' (built-in)>" -> "<module 'math'>" """
    return _outside_strings(_MODULE, r"<module '\g<module>'>", value)


def without_iterator_names(value: str) -> str:
    """ "<str_ascii_iterator object>" -> "<iterator>"; the names differ between versions."""
    return _outside_strings(_ITERATOR, "<iterator>", value) if " object" in value else value


def with_sets_sorted(value: str) -> str:
    """ "[{3, 1}]" -> "[{1, 3}]"; text that is not a literal is not changed."""
    return _rewrite_literal(value, _sort_sets) if "{" in value else value


def with_dicts_sorted(value: str) -> str:
    """ "Counter({'b': 1, 'a': 1})" -> "Counter({'a': 1, 'b': 1})".

    Not a rule for states, whose order matters for what follows; only for results.
    """
    return _rewrite_literal(value, _sort_dicts) if "{" in value else value


def with_normal_spelling(value: str) -> str:
    """The literal as Python spells it: '["a",1]' -> "['a', 1]"."""
    return _rewrite_literal(value, lambda tree: None)


Normalizer = Callable[[str], str]
EQUALITY_RULES: tuple[tuple[str, Normalizer], ...] = (
    ("addresses", without_addresses),
    ("main module", without_main_module),
    ("module paths", without_module_paths),
    ("iterator names", without_iterator_names),
    ("set order", with_sets_sorted),
    ("spelling", with_normal_spelling),
)


@lru_cache(maxsize=8192)
def canonical_value(value: str) -> str:
    """A value after all rules; the same text for values that are the same.

    "{3, 1}" -> "{1, 3}"; "<list_iterator object>" -> "<opaque>"
    """
    if is_opaque(value):
        return "<opaque>"
    for _, rule in EQUALITY_RULES:
        value = rule(value)
    return value


def is_opaque(value: str) -> bool:
    """Whether nothing is left to compare once unpredictable parts are removed.

    "<list_iterator object at 0x7f01>" -> True; "<function f at 0x7f01>" -> False
    """
    bare = without_iterator_names(without_addresses(value))
    return bare in _OPAQUE or bare.startswith("<unrenderable: ")


def is_shortened(value: str) -> bool:
    """Whether a recorded value was longer than the limit on value length."""
    return value.endswith(">") and _SHORTENED.search(value) is not None


def may_start_value(actual: str, start: str) -> bool:
    """Whether a text may be the start of an actual value, or continue a shortened one.

    "{'b', 'a'}", "{'a" -> True (the order inside a set is not known); "[1, 2]", "[2" -> False
    """
    if is_opaque(actual):
        return True
    kept = without_main_module(without_addresses(_SHORTENED.sub("", actual)))
    start = without_main_module(without_addresses(start))
    start = re.sub(r" at 0x[0-9a-fA-F]*\Z", "", start)
    common = min(len(kept), len(start))
    if not is_shortened(actual) and len(start) > len(kept):
        return False
    if kept[:common] == start[:common]:
        return True
    # From the first set or object on, equal values may have different texts.
    loose = [
        m.start() for m in re.finditer(rf"{STRING_LITERAL}|(?P<loose>[{{<])", kept) if m["loose"]
    ]
    if not loose or not (
        is_shortened(actual) or "<" in kept or _rewrite_literal(actual, _blank_if_set) == ""
    ):
        return False
    return kept[: loose[0]] == start[: loose[0]]


def _outside_strings(pattern: str, replacement: str, value: str) -> str:
    """Replace what the pattern matches, except within string literals."""
    regex = re.compile(rf"(?P<target>{pattern})|{STRING_LITERAL}")
    return regex.sub(
        lambda match: match.expand(replacement) if match["target"] is not None else match[0], value
    )


def _rewrite_literal(value: str, change: Callable[[ast.Expression], None]) -> str:
    """Parse a value, change its syntax tree and unparse it; return it as is if not a literal."""
    if len(value) > _MAX_REWRITTEN_LENGTH or (
        not value.isascii() and not _is_ascii_outside_strings(value)
    ):
        return value
    # Text in angle brackets is replaced by a name for the parser, and restored afterwards.
    objects: dict[str, str] = {}

    def hide(match: re.Match[str]) -> str:
        if match["object"] is None:
            return match[0]
        name = f"object_{match[0].encode().hex()}_"
        objects[name] = match[0]
        return name

    text = re.sub(rf"{STRING_LITERAL}|(?P<object>{_ANGLE_BRACKETS}|#)", hide, value)
    try:
        tree = ast.parse(text, mode="eval")
        if not all(isinstance(node, _LITERAL_NODES) for node in ast.walk(tree)):
            return value
        change(tree)
        rewritten = ast.unparse(tree)
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
        return value
    return re.sub(
        rf"{STRING_LITERAL}|\bobject_\w+", lambda match: objects.get(match[0], match[0]), rewritten
    )


def _is_ascii_outside_strings(value: str) -> bool:
    """Whether all names are ASCII; Python's parser normalizes other names."""
    return re.sub(STRING_LITERAL, "", value).isascii()


def _blank_if_set(tree: ast.Expression) -> None:
    """Turn a value that contains a set into an empty text, to detect it."""
    if any(isinstance(node, ast.Set) for node in ast.walk(tree)):
        tree.body = ast.Name("")


def _sort_sets(tree: ast.AST) -> None:
    """Sort the items of every set, innermost sets first."""
    for child in ast.iter_child_nodes(tree):
        _sort_sets(child)
    if isinstance(tree, ast.Set):
        tree.elts.sort(key=ast.unparse)


def _sort_dicts(tree: ast.AST) -> None:
    """Sort the items of every dict, innermost dicts first, except in an OrderedDict."""
    if isinstance(tree, ast.Call) and ast.unparse(tree.func).endswith("OrderedDict"):
        return
    for child in ast.iter_child_nodes(tree):
        _sort_dicts(child)
    if isinstance(tree, ast.Dict):
        items = list(zip(tree.keys, tree.values, strict=True))
        items.sort(key=lambda item: "" if item[0] is None else ast.unparse(item[0]))
        tree.keys, tree.values = [key for key, _ in items], [value for _, value in items]
