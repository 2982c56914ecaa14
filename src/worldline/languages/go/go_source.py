"""Go syntax of programs; implements `SourceSyntax`.

It reads tokens, not a syntax tree: Python has no parser of Go. What it cannot read, it leaves out.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax
from worldline.core.trace import words
from worldline.languages.go.go_declarations import Function, functions_of
from worldline.languages.go.go_tokens import LINE_END, tokenize
from worldline.languages.source_tokens import Token, is_balanced, matching_bracket, split_at

START_MARK = "// << START_OF_TRACE"
_ENTRY = re.compile(rf"func\s+(\w+)\s*\(\)[^{{]*(?:\{{\}}[^{{]*)*\{{\s*{START_MARK}\s*\Z")
_STATEMENTS = words(
    "if for switch select return go defer break continue goto fallthrough var const type package "
    "import"
)
_SEMICOLON = frozenset(";")
_COMMA = frozenset(",")
_EQUALITY = frozenset(["=="])
_ASSIGNMENTS = frozenset(["=", ":=", "+=", "-=", "*=", "/=", "++", "--"])
# Marks that can be in an operand: x.f(1)[0].
_OPERAND_MARKS = frozenset(".()[]{}")


@lru_cache(maxsize=64)
def source_lines(text: str) -> tuple[str, ...]:
    r"""Lines as Go counts them: \n and \r\n end a line."""
    lines = LINE_END.split(text)
    return tuple(lines[:-1] if lines and lines[-1] == "" else lines)


def wrap_call(source: str, call: str) -> str:
    """The source, followed by an entry point that returns the call.

    It is not named `main`, which returns nothing. Its results are those of the called function, if
    the source has it.
    """
    entry = "call_main"
    while any(token.text == entry for token in tokenize(source)):
        entry += "_"
    expression = call.strip().rstrip(";").rstrip()
    results = _results(source, expression)
    keyword = "return " if results else ""
    body = f"func {entry}() {results}{{ {START_MARK}\n\t{keyword}{expression}\n}}\n"
    return f"{source.rstrip()}\n\n{body}"


def _results(source: str, call: str) -> str:
    """The results of the entry point: "int ", "(int, error) ", "" for none."""
    called = _called(source, call)
    if called is None or (called.is_generic and len(called.results) == 1):
        return "any "
    if called.is_generic or called.is_method:
        # Its types may be type parameters.
        types = ["any"] * len(called.results)
    else:
        types = list(called.results)
    if len(types) < 2:
        return f"{types[0]} " if types else ""
    return f"({', '.join(types)}) "


def _called(source: str, call: str) -> Function | None:
    """The function or method that is called last: that of `New(3).Sum()` is `Sum`."""
    tokens = tokenize(call)
    outside = [part[0] for part in _outside_brackets(tokens)]
    if len(tokens) < 3 or tokens[-1].text != ")":
        return None
    if any(token.kind == "mark" and token.text not in _OPERAND_MARKS for token in outside):
        return None
    opening = next(
        n for n in range(len(tokens)) if matching_bracket(tokens, n) == len(tokens) - 1
        and tokens[n].text == "("
    )  # fmt: skip
    if opening == 0 or tokens[opening - 1].kind != "name":
        return None
    name, is_method = tokens[opening - 1].text, opening > 1 and tokens[opening - 2].text == "."
    every = (each for each in functions_of(source) if each.name == name)
    return next((each for each in every if each.is_method == is_method), None)


def _outside_brackets(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    result, index = [], 0
    while index < len(tokens):
        result.append(tokens[index : index + 1])
        if tokens[index].kind == "mark" and tokens[index].text in "([{":
            index = matching_bracket(tokens, index)
        index += 1
    return result


def complete_source(text: str) -> str:
    """A text that can be compiled: one without a package gets it, on the same line."""
    tokens = tokenize(text)
    return text if tokens and tokens[0].text == "package" else f"package main; {text}"


@lru_cache(maxsize=64)
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
    inside = "\n".join(every[lines[0] : lines[2] - 1]).strip()
    call = re.sub(r"\Areturn\b", "", inside).rstrip("; \n\t").strip()
    rest = "\n".join([*every[: lines[0] - 1], *every[lines[2] :]]).rstrip()
    is_used = any(token.text == entry for token in tokenize(rest))
    return (rest, call) if _is_expression(call) and not is_used else unsplit


def entry_lines(text: str, entry: str) -> tuple[int, int, int] | None:
    """The lines of the entry point's name, of its first statement, and of its end."""
    for number, line in enumerate(source_lines(text), 1):
        match = _ENTRY.match(line)
        if match is not None and match[1] == entry:
            tokens = [token for token in tokenize(text) if token.line >= number]
            opening = next((n for n, token in enumerate(tokens) if _opens(tokens, n)), None)
            if opening is None or opening + 1 >= len(tokens):
                return None
            end = matching_bracket(tokens, opening)
            return number, tokens[opening + 1].line, tokens[end].line
    return None


def _opens(tokens: Sequence[Token], index: int) -> bool:
    """Whether a token is the brace at the end of the first line."""
    is_last = index + 1 >= len(tokens) or tokens[index + 1].line > tokens[0].line
    return tokens[index].text == "{" and is_last


def _is_expression(call: str) -> bool:
    tokens = tokenize(call.strip().rstrip(";"))
    return (
        bool(tokens)
        and is_balanced(tokens)
        and tokens[0].text not in _STATEMENTS
        and len(split_at(tokens, _SEMICOLON)) == 1
        and len(split_at(tokens, _COMMA)) == 1
        and len(split_at(tokens, _ASSIGNMENTS)) == 1
    )


def check_call(call: str) -> None:
    """Check that a call is one expression, before it becomes part of a program.

    Raises:
        ProgramError: It is not one expression.
    """
    if not _is_expression(call):
        raise ProgramError(
            f"the call {call[:60]!r} is not one Go expression; write it as in --call 'f(1, 3)'"
        )


def parse_answer(answer: str) -> str | None:
    """The value that an assertion states; the whole text if it is not an assertion.

    "f(1) == 2" -> "2"; "assert.Equal(t, 2, f(1))" -> "2"; " 4; " -> "4"
    """
    text = answer.strip().rstrip(";").rstrip()
    tokens = tokenize(text)
    names = [token.text for token in tokens[:4]]
    if names[1:] == [".", "Equal", "("] and names[0] in ("assert", "require"):
        arguments = split_at(tokens[4 : matching_bracket(tokens, 3)], _COMMA)
        if len(arguments) > 1 and arguments[1]:
            return text[arguments[1][0].start : arguments[1][-1].end]
    sides = split_at(tokens, _EQUALITY)
    if len(sides) > 1 and sides[-1]:
        return text[sides[-1][0].start : sides[-1][-1].end]
    return text or None


@lru_cache(maxsize=64)
def functions(text: str) -> tuple[FunctionSyntax, ...]:
    """The functions, methods and function literals of a text, outer ones first.

    A function within one line is left out, as Python's lambdas are.
    """
    every = [each.syntax for each in functions_of(text)]
    result = [each for each in every if each.last_line > each.line]
    return tuple(sorted(result, key=lambda each: (each.line, -each.last_line)))
