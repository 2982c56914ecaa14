"""Answers of a model about one expression, read without executing anything."""

import ast
import re
from dataclasses import dataclass

from worldline.core.trace import AssumedKind
from worldline.core.util.text import truncate_text
from worldline.languages.python.recorder import parse_literal

_FENCE = re.compile(r"\A\s*```[a-z]*\n|\n?```.*\Z", re.DOTALL)
_PROMPT_LINE = re.compile(r"^>>>.*\n?", re.MULTILINE)
_TRACEBACK = "Traceback (most recent call last)"
_EXCEPTION = re.compile(
    r"([A-Za-z_][\w.]*(?:Error|Exception|Warning|Iteration|Timeout))(?:: (.*))?", re.DOTALL
)
_ANY_EXCEPTION = re.compile(r"[A-Za-z_][\w.]*(?:: .*)?")
# How Python writes objects: "<re.Match object …>", "defaultdict(<class 'list'>, {})".
_OBJECT = re.compile(r"<[\w\s.'\"].*>|[A-Za-z_][\w.]*\(.*\)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ParsedAnswer:
    """What a model answered: a value, or the problem why none can be read."""

    kind: AssumedKind | None
    value: str = ""
    problem: str = ""


def parse_answer(text: str, *, expected_type: str = "") -> ParsedAnswer:
    """Read what Python prints for an expression.

    Args:
        text: The model's answer.
        expected_type: The type that is needed, such as "bool"; empty for any.

    Examples:
        >>> parse_answer("[1, 2]").kind, parse_answer("<re.Match object>").kind
        ('value', 'object')
        >>> parse_answer("KeyError: 'a'").kind, parse_answer("It is five.").kind
        ('exception', None)
    """
    cleaned = _FENCE.sub("", text)
    is_echo = cleaned.lstrip().startswith(">>>")
    # The model may repeat the question, or invent the next one.
    if is_echo:
        cleaned = _PROMPT_LINE.sub("", cleaned.lstrip(), count=1)
    cleaned = re.split(r"^>>>", cleaned, maxsplit=1, flags=re.MULTILINE)[0].strip()
    if not cleaned:
        return ParsedAnswer(None, problem="the answer is empty")
    if cleaned.startswith(_TRACEBACK):
        return _parse_traceback(cleaned)
    for part in dict.fromkeys((cleaned, cleaned.splitlines()[0].strip())):
        try:
            value = parse_literal(part)
        except ValueError:
            continue
        return _check_type(part, value, expected_type)
    first = cleaned.splitlines()[0].strip()
    if _EXCEPTION.fullmatch(first):
        return ParsedAnswer("exception", first)
    if not expected_type and (_OBJECT.fullmatch(first) or _is_flag(first)):
        return ParsedAnswer("object", first)
    return ParsedAnswer(None, problem=f"{truncate_text(repr(cleaned), 80)} is not a Python value")


def _parse_traceback(text: str) -> ParsedAnswer:
    last = text.splitlines()[-1].strip()
    if len(text.splitlines()) > 1 and _ANY_EXCEPTION.fullmatch(last):
        return ParsedAnswer("exception", last)
    return ParsedAnswer(None, problem="the traceback has no exception")


def _check_type(text: str, value: object, expected_type: str) -> ParsedAnswer:
    """The literal, if it has the type that Python needs; an int may be a float."""
    actual = type(value).__name__
    if expected_type == "float" and actual == "int":
        return ParsedAnswer("value", f"{text}.0")
    if expected_type and actual != expected_type:
        problem = f"{truncate_text(text, 80)} is not of type {expected_type}"
        return ParsedAnswer(None, problem=problem)
    return ParsedAnswer("value", text)


def _is_flag(text: str) -> bool:
    """Whether a text is how Python writes members of an enumeration: "re.ASCII|re.DOTALL"."""
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    parts = [tree.left, tree.right] if isinstance(tree, ast.BinOp) else [tree]
    return all(isinstance(part, ast.Attribute) for part in parts)
