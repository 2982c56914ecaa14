"""Lua syntax of programs; implements `SourceSyntax`."""

import re
from collections.abc import Iterator

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax

START_MARK = "-- << START_OF_TRACE"
_ENTRY = re.compile(rf"function\s+(\w+)\s*\(\)\s*{START_MARK}\s*\Z")
_TOKEN = re.compile(
    r"(?P<skip>--\[\[(?s:.*?)\]\]|--[^\n]*|\s+)"
    r"|(?P<string>\"(?:[^\"\\\n]|\\(?s:.))*\"|'(?:[^'\\\n]|\\(?s:.))*'|\[\[(?s:.*?)\]\])"
    r"|(?P<name>[A-Za-z_]\w*)|(?P<number>\d[\w.]*)|(?P<mark>==|~=|<=|>=|\.\.\.?|//|::|.)"
)
_OPENING = frozenset({"function", "if", "do", "repeat"})
_CLOSING = frozenset({"end", "until"})
_BRACKETS = {"(": ")", "[": "]", "{": "}"}
_STATEMENTS = frozenset({"local", "if", "for", "while", "do", "return", "repeat", "goto", "break"})


def _tokens(text: str) -> Iterator[tuple[str, str, int, int]]:
    """The kind, the text, the line and the position of each token."""
    line = 1
    for match in _TOKEN.finditer(text):
        if match.lastgroup != "skip":
            yield match.lastgroup or "mark", match[0], line, match.start()
        line += match[0].count("\n")


def source_lines(text: str) -> tuple[str, ...]:
    """Lines as Lua counts them."""
    lines = text.split("\n")
    return tuple(lines[:-1] if lines[-1] == "" else lines)


def wrap_call(source: str, call: str) -> str:
    """The source, followed by an entry point that returns the call."""
    entry = "main"
    while any(token == entry for _, token, _, _ in _tokens(source)):
        entry += "_"
    body = f"function {entry}() {START_MARK}\n    return {call.strip()}\nend\n"
    return f"{source.rstrip()}\n\n{body}"


def find_entry(text: str) -> str | None:
    """The name of the marked entry point; None if there is none."""
    matches = filter(None, map(_ENTRY.match, source_lines(text)))
    return next((match[1] for match in matches), None)


def entry_lines(text: str, entry: str) -> tuple[int, int, int] | None:
    """The first line, the line of the `return`, and the last line of the entry point."""
    for number, line in enumerate(source_lines(text), 1):
        match = _ENTRY.match(line)
        if match is not None and match[1] == entry:
            ends = [each.last_line for each in functions(text) if each.line == number]
            return (number, number + 1, ends[0]) if ends else None
    return None


def split_entry(text: str, entry: str) -> tuple[str, str]:
    """The text without its entry point, and the call that the entry point returns."""
    lines, every = entry_lines(text, entry), source_lines(text)
    if lines is None or lines[2] != lines[0] + 2:
        return text, f"{entry}()"
    match = re.fullmatch(r"\s*return (.+)", every[lines[1] - 1])
    rest = "\n".join((*every[: lines[0] - 1], *every[lines[2] :])).rstrip()
    is_used = any(token == entry for _, token, _, _ in _tokens(rest))
    return (text, f"{entry}()") if match is None or is_used else (rest, match[1])


def check_call(call: str) -> None:
    """Check that a call is one expression; raises `ProgramError`."""
    tokens = [token for _, token, _, _ in _tokens(call)]
    stack: list[str] = []
    is_expression = bool(tokens) and tokens[0] not in _STATEMENTS and "=" not in tokens
    for token in tokens:
        if token in _BRACKETS:
            stack.append(_BRACKETS[token])
        elif token in _BRACKETS.values():
            is_expression = is_expression and bool(stack) and stack.pop() == token
    # `{a = 1}` assigns nothing.
    in_table = "{" in tokens and tokens[:1] != ["{"] and tokens.index("{") < len(tokens)
    if "=" in tokens and in_table and tokens.index("{") < tokens.index("="):
        is_expression = tokens[0] not in _STATEMENTS
    if not is_expression or stack:
        raise ProgramError(
            f"the call {call[:60]!r} is not one Lua expression; write it as in --call 'f(1, 3)'"
        )


def functions(text: str) -> tuple[FunctionSyntax, ...]:
    """The functions of a text, outer ones first; those within one line are left out."""
    tokens = list(_tokens(text))
    result: list[FunctionSyntax] = []
    stack: list[tuple[str, int]] = []
    for index, (kind, token, line, _) in enumerate(tokens):
        if kind == "name" and token in _OPENING:
            stack.append((token, index))
        elif kind == "name" and token in _CLOSING and stack:
            opener, start = stack.pop()
            first = tokens[start][2]
            if opener == "function" and line > first:
                result.append(FunctionSyntax(first, first + 1, line, _parameters(tokens[start:])))
    return tuple(sorted(result, key=lambda each: (each.line, -each.last_line)))


def _parameters(tokens: list[tuple[str, str, int, int]]) -> frozenset[str]:
    names: set[str] = set()
    is_inside = False
    for kind, token, _, _ in tokens:
        if token == ")":
            break
        if is_inside and kind == "name":
            names.add(token)
        is_inside = is_inside or token == "("
    return frozenset(names)


def parse_answer(answer: str) -> str | None:
    """The value that an assertion states; the whole text if it is not an assertion.

    "assert(f(1) == 2)" -> "2"; " 4 " -> "4"
    """
    match = re.fullmatch(r"\s*assert\s*\((?s:.*?)==\s*((?s:.*))\)\s*", answer)
    return match[1].strip() if match else answer.strip() or None
