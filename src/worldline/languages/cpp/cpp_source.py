"""C++ syntax of programs; implements `SourceSyntax`.

It reads tokens, not a syntax tree. What it cannot read, it leaves out.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax
from worldline.core.trace import words
from worldline.languages.cpp.cpp_functions import function_bodies
from worldline.languages.cpp.cpp_tokens import tokenize
from worldline.languages.source_tokens import Token, is_balanced, matching_bracket, split_at

START_MARK = "// << START_OF_TRACE"
_LINE_END = re.compile(r"\r\n|\n")
_ENTRY = re.compile(rf"auto\s+(\w+)\s*\(\)\s*\{{\s*{START_MARK}\s*\Z")
_STATEMENTS = words(
    "if for while do return throw try switch using namespace struct class template auto const goto "
    "break continue static"
)
_COMMA = frozenset(",")
_EQUALITY = frozenset(["=="])


# Called for every step.
@lru_cache(maxsize=64)
def source_lines(text: str) -> tuple[str, ...]:
    r"""Lines as C++ counts them: \n and \r\n end a line."""
    lines = _LINE_END.split(text)
    return tuple(lines[:-1] if lines and lines[-1] == "" else lines)


def wrap_call(source: str, call: str) -> str:
    """The source, followed by an entry point that returns the call.

    It is not named `main`, which has to return a number.
    """
    entry = "call_main"
    while _uses(source, entry):
        entry += "_"
    body = f"auto {entry}() {{ {START_MARK}\n    return {call.strip().rstrip(';').rstrip()};\n}}\n"
    return f"{source.rstrip()}\n\n{body}"


def _uses(source: str, name: str) -> bool:
    return any(token.kind == "name" and token.text == name for token in tokenize(source))


def find_entry(text: str) -> str | None:
    """The name of the marked entry point; None if there is none."""
    for line in source_lines(text):
        match = _ENTRY.match(line)
        if match is not None:
            return match[1]
    return None


def split_entry(text: str, entry: str) -> tuple[str, str]:
    """The text without its entry point, and the call that the entry point returns."""
    unsplit = text, f"{entry}()"
    lines = entry_lines(text, entry)
    if lines is None:
        return unsplit
    every = source_lines(text)
    inside = "\n".join(every[lines[0] : lines[2] - 1])
    body = tokenize(inside)
    if not body or body[0].text != "return" or len(split_at(body, frozenset(";"))) > 2:
        return unsplit
    call = inside.strip().removeprefix("return").strip().rstrip(";").rstrip()
    rest = "\n".join([*every[: lines[0] - 1], *every[lines[2] :]])
    return unsplit if not call or _uses(rest, entry) else (rest.rstrip(), call)


def entry_lines(text: str, entry: str) -> tuple[int, int, int] | None:
    """The lines of the entry point's name, of its first statement, and of its end."""
    for number, line in enumerate(source_lines(text), 1):
        match = _ENTRY.match(line)
        if match is not None and match[1] == entry:
            tokens = [token for token in tokenize(text) if token.line >= number]
            opening = next((n for n, token in enumerate(tokens) if token.text == "{"), None)
            if opening is None or opening + 1 >= len(tokens):
                return None
            end = matching_bracket(tokens, opening)
            return number, tokens[opening + 1].line, tokens[end].line
    return None


def check_call(call: str) -> None:
    """Check that a call is one expression, before it becomes part of a program.

    Raises:
        ProgramError: It is not one expression.
    """
    tokens = tokenize(call.strip().rstrip(";"))
    is_expression = (
        bool(tokens)
        and is_balanced(tokens)
        and "#" not in tokens[0].text
        and tokens[0].text not in _STATEMENTS
        and len(split_at(tokens, frozenset(";"))) == 1
    )
    if not is_expression:
        raise ProgramError(
            f"the call {call[:60]!r} is not one C++ expression; write it as in --call 'f(1, 3)'"
        )


def parse_answer(answer: str) -> str | None:
    """The value that an assertion states; the whole text if it is not an assertion.

    "assert(candidate(1) == (2));" -> "(2)"; "f(1) == 2" -> "2"; " 4; " -> "4"
    """
    text = answer.strip().rstrip(";").rstrip()
    tokens: Sequence[Token] = tokenize(text)
    is_assertion = len(tokens) > 2 and tokens[0].text == "assert" and tokens[1].text == "("
    if is_assertion:
        tokens = tokens[2 : matching_bracket(tokens, 1)]
    sides = split_at(tokens, _EQUALITY)
    if len(sides) > 1 and sides[-1]:
        return text[sides[-1][0].start : sides[-1][-1].end]
    if is_assertion and tokens:
        # `assert(f(1))` and `assert(!f(1))` state a boolean.
        return "false" if tokens[0].text == "!" else "true"
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
