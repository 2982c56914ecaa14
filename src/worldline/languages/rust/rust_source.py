"""Rust syntax of programs; implements `SourceSyntax`.

It reads tokens, not a syntax tree. What it cannot read, it leaves out.
"""

import re
from functools import lru_cache

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax
from worldline.core.trace import words
from worldline.languages.rust.rust_structure import function_bodies
from worldline.languages.rust.rust_tokens import tokenize
from worldline.languages.source_tokens import is_balanced, matching_bracket, split_at

START_MARK = "// << START_OF_TRACE"
# The compiler infers the type that the entry point returns.
_RETURNS = "impl Sized"
_LINE_END = re.compile(r"\r\n|\n")
_ENTRY = re.compile(rf"fn\s+(\w+)\s*\(\)\s*->\s*{_RETURNS}\s*\{{\s*{START_MARK}\s*\Z")
_STATEMENTS = words("let fn use struct enum trait impl mod static const type pub return for while")
_COMMA = frozenset(",")
_SEMICOLON = frozenset(";")
_EQUALITY = frozenset(["=="])


# Called for every step.
@lru_cache(maxsize=64)
def source_lines(text: str) -> tuple[str, ...]:
    r"""Lines as Rust counts them: \n and \r\n end a line."""
    lines = _LINE_END.split(text)
    return tuple(lines[:-1] if lines and lines[-1] == "" else lines)


def wrap_call(source: str, call: str) -> str:
    """The source, followed by an entry point whose value is the call."""
    entry = "call_main"
    while uses_name(source, entry):
        entry += "_"
    body = _without_semicolon(call)
    return (
        f"{source.rstrip()}\n\nfn {entry}() -> {_RETURNS} {{ {START_MARK}\n    {body}\n}}\n"
    ).lstrip("\n")


def _without_semicolon(text: str) -> str:
    return text.strip().rstrip(";").rstrip()


def uses_name(source: str, name: str) -> bool:
    """Whether a text contains a name."""
    return any(token.kind == "name" and token.text == name for token in tokenize(source))


def find_entry(text: str) -> str | None:
    """The name of the marked entry point; None if there is none."""
    matches = (_ENTRY.match(line) for line in source_lines(text))
    return next((match[1] for match in matches if match is not None), None)


def split_entry(text: str, entry: str) -> tuple[str, str]:
    """The text without its entry point, and the call that is the entry point's value."""
    unsplit = text, f"{entry}()"
    lines = entry_lines(text, entry)
    if lines is None:
        return unsplit
    every = source_lines(text)
    call = "\n".join(every[lines[0] : lines[2] - 1]).strip()
    rest = "\n".join([*every[: lines[0] - 1], *every[lines[2] :]]).rstrip()
    is_call = bool(call) and len(split_at(tokenize(call), _SEMICOLON)) == 1
    return (rest, call) if is_call and not uses_name(rest, entry) else unsplit


def entry_lines(text: str, entry: str) -> tuple[int, int, int] | None:
    """The lines of the entry point's name, of its first statement, and of its end."""
    for number, line in enumerate(source_lines(text), 1):
        match = _ENTRY.match(line)
        if match is None or match[1] != entry:
            continue
        body = next((each for each in function_bodies(text) if each.line == number), None)
        return None if body is None else (number, body.first_line, body.last_line)
    return None


def check_call(call: str) -> None:
    """Check that a call is one expression, before it becomes part of a program.

    Raises:
        ProgramError: It is not one expression.
    """
    tokens = tokenize(_without_semicolon(call))
    is_expression = (
        bool(tokens)
        and is_balanced(tokens)
        and tokens[0].text not in (*_STATEMENTS, "#", "}")
        and len(split_at(tokens, _SEMICOLON)) == 1
    )
    if not is_expression:
        raise ProgramError(
            f"the call {call[:60]!r} is not one Rust expression; write it as in --call 'f(1, 3)'"
        )


def parse_answer(answer: str) -> str | None:
    """The value that an assertion states; the whole text if it is not an assertion.

    "assert_eq!(candidate(1), 2);" -> "2"; "f(1) == 2" -> "2"; " 4; " -> "4"
    """
    text = _without_semicolon(answer)
    tokens = tokenize(text)
    if len(tokens) > 3 and tokens[0].text.startswith("assert") and tokens[1].text == "!":
        inside = tokens[3 : matching_bracket(tokens, 2)]
        parts = split_at(inside, _COMMA)
        if tokens[0].text == "assert_eq" and len(parts) > 1 and parts[1]:
            return text[parts[1][0].start : parts[1][-1].end]
        sides = split_at(parts[0], _EQUALITY)
        if len(sides) == 1 and inside and tokens[0].text == "assert":
            # `assert!(f(1))` and `assert!(!f(1))` state a boolean.
            return "false" if inside[0].text == "!" else "true"
    else:
        sides = split_at(tokens, _EQUALITY)
    if len(sides) > 1 and sides[-1]:
        return text[sides[-1][0].start : sides[-1][-1].end]
    return text or None


def functions(text: str) -> tuple[FunctionSyntax, ...]:
    """The functions of a text, outer ones first; those within one line are left out."""
    return tuple(
        FunctionSyntax(
            each.line,
            max(each.first_line, each.line + 1),
            each.last_line,
            frozenset(each.parameters),
        )
        for each in function_bodies(text)
        if each.last_line > each.line
    )
