"""Symbols of a source: its numbers, and how often it has some operators and brackets.

Equivalent sources have the same symbols: different symbols prove that two sources are not
equivalent. Those of most sources can be read from their text, in a fraction of the time that
parsing takes. The symbols of all others are only known after parsing.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterable

from worldline.data.generation.canonical_hash import hashed_nodes

_STRING_OR_COMMENT = re.compile(
    r"'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""
    r"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|#[^\n]*",
    re.DOTALL,
)
# What a string becomes; no source contains this outside of a string.
_STRING = "$"
# Other letters, line continuations, unfinished strings, several statements in a line, decorators.
_UNCLEAR = re.compile(r"[^\n\t !#-&(-:<-?A-\[\]-~]")
# It may contain expressions.
_STRING_WITH_PREFIX = re.compile(r"\w\$")
# Innermost brackets, and what they become. Round ones with a colon may be parameters with
# annotations.
_BRACKETS = re.compile(r"\([^][(){}:]*\)|\[[^][(){}]*\]|\{[^][(){}]*\}")
_REMOVED = "\1"
_OPEN = re.compile(r"[][(){}]")
# A colon within a line, or at the end of a line that begins no compound statement; a function with
# annotations or type parameters; a class; a type alias, which may have type parameters.
_ANNOTATION = re.compile(
    r":(?![ \t]*$)|^[ \t]*+(?:type[ \t]|"
    r"(?!def \w+\x01:|(?:if|elif|else|for|while|try|except|finally|with)\b)[^\n:]*:)",
    re.MULTILINE,
)
_DIGITS = re.compile(r"[0-9][\w.]*")
_NUMBER = re.compile(r"(0|[1-9][0-9]{0,50})|[0-9]{1,15}\.[0-9]{1,15}")
# A larger number in a tree, which no text is known to contain.
_TOO_LARGE = 10**51
# How often a node is written with an operator or a bracket.
_WRITTEN: dict[str, dict[type[ast.AST], int]] = {
    "+": {ast.Add: 1, ast.UAdd: 1},
    "-": {ast.Sub: 1, ast.USub: 1},
    "%": {ast.Mod: 1},
    "<": {ast.Lt: 1, ast.LtE: 1, ast.LShift: 2},
    ">": {ast.Gt: 1, ast.GtE: 1, ast.RShift: 2},
    "==": {ast.Eq: 1},
    "!=": {ast.NotEq: 1},
    "[": {ast.List: 1, ast.ListComp: 1, ast.Subscript: 1},
    "{": {ast.Dict: 1, ast.DictComp: 1, ast.Set: 1, ast.SetComp: 1},
}


def symbols_in_text(source: str) -> str | None:
    """The symbols of a source, if they are known without parsing it.

    "def f(a):\\n    return a[1] + 0.50" -> "1 0 0 0 0 0 0 1 0: 0.5 1"; "x: int = 0x10" -> None
    """
    text = source
    if "'" in source or '"' in source or "#" in source:
        text = _STRING_OR_COMMENT.sub(_without_content, source)
    if _UNCLEAR.search(text) or (_STRING in text and _STRING_WITH_PREFIX.search(text)):
        return None
    numbers = []
    for match in _DIGITS.finditer(text):
        start = match.start()
        before = text[start - 1] if start else ""
        if before.isalnum() or before == "_":
            # Part of a name.
            continue
        number = _NUMBER.fullmatch(match[0])
        if number is None or before == ".":
            return None
        numbers.append(match[0] if number[1] else repr(float(match[0])))
    if _may_have_annotations(text):
        return None
    return _joined(map(text.count, _WRITTEN), numbers)


def symbols_in_tree(tree: ast.Module) -> str:
    """The symbols of a syntax tree, without those that its canonical hash ignores."""
    numbers = []
    counts: Counter[type[ast.AST]] = Counter()
    for node in hashed_nodes(tree):
        counts[type(node)] += 1
        if type(node) is ast.Constant:
            value = node.value
            if type(value) is int:
                numbers.append(str(value) if value < _TOO_LARGE else "large")
            elif type(value) in (float, complex):
                numbers.append(repr(value))
    written = (
        sum(counts[kind] * times for kind, times in kinds.items()) for kinds in _WRITTEN.values()
    )
    return _joined(written, numbers)


def _without_content(match: re.Match[str]) -> str:
    return "" if match[0][0] == "#" else _STRING


def _may_have_annotations(text: str) -> bool:
    if ":" not in text and "type" not in text:
        return False
    count = 1
    while count:
        text, count = _BRACKETS.subn(_REMOVED, text)
    return _OPEN.search(text) is not None or _ANNOTATION.search(text) is not None


def _joined(counts: Iterable[int], numbers: list[str]) -> str:
    return f"{' '.join(map(str, counts))}: {' '.join(sorted(numbers))}"
