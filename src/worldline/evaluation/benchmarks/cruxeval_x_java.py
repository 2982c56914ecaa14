"""Rows of CRUXEval-X in Java: the program without its test, the call, and the expected value.

A row is a class whose `main` asserts one call: `assert(f(1l) == (2l));`, or
`assert(f("a").equals("b"));`.
"""

import re
from collections.abc import Sequence

from worldline.languages.java.java_declarations import methods
from worldline.languages.java.java_source import compared_value
from worldline.languages.java.java_tokens import tokenize
from worldline.languages.source_tokens import Token, matching_bracket

# Every row imports this library, and few use it: libjavatuples-java of Debian.
_TUPLES = re.compile(r"^import org\.javatuples\.[\w*]+;[^\S\n]*\n", re.MULTILINE)
_TUPLE_CLASS = re.compile(r"\b(?:Unit|Pair|Triplet|Quartet|Quintet|Sextet)\b")


def split_java_row(code: str) -> tuple[str, str, str] | None:
    """The source, the call and the expected value of a row; None if its test is another one."""
    tokens = tokenize(code)
    tests = [each for each in methods(tokens) if each.name == "main" and each.is_static]
    if not tests:
        return None
    start = _line_start(code, tokens[tests[-1].start].start)
    opening = next(n for n in range(tests[-1].start, len(tokens)) if tokens[n].text == "{")
    closing = matching_bracket(tokens, opening)
    test = tokens[opening + 1 : closing]
    if len(test) < 4 or test[0].text != "assert" or test[1].text != "(":
        return None
    sides = compared_value(test[2 : matching_bracket(test, 1)])
    if sides is None:
        return None
    call, expected = (code[side[0].start : side[-1].end] for side in map(_bare, sides))
    source = f"{code[:start].rstrip()}\n{code[tokens[closing].end :].strip()}\n"
    return _without_unused_import(source, call), call, expected


def _line_start(code: str, position: int) -> int:
    return code.rfind("\n", 0, position) + 1


def _bare(tokens: Sequence[Token]) -> Sequence[Token]:
    """Tokens without parentheses around all of them."""
    while tokens[0].text == "(" and matching_bracket(tokens, 0) == len(tokens) - 1:
        tokens = tokens[1:-1]
    return tokens


def _without_unused_import(source: str, call: str) -> str:
    """The source without the import of the library for tuples, unless it is used."""
    rest = _TUPLES.sub("", source)
    return source if _TUPLE_CLASS.search(rest + call) else rest
