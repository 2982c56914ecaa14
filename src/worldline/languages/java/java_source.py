"""Java syntax of programs; implements `SourceSyntax`.

It reads tokens, not a syntax tree: Python has no parser of Java. What it cannot read, it leaves
out. The entry point is a method of the class that is called.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax
from worldline.core.trace import words
from worldline.languages.java.java_declarations import Method, TypeDeclaration, lambdas, types
from worldline.languages.java.java_declarations import methods as methods_of
from worldline.languages.java.java_tokens import LINE_END, tokenize
from worldline.languages.source_tokens import (
    Token,
    is_balanced,
    matching_bracket,
    split_at,
)

START_MARK = "// << START_OF_TRACE"
_ENTRY = re.compile(
    rf"\s*[\w<>\[\], .?]*?\b(\w+)\s*\(\)\s*(?:throws\s+[\w., ]+?)?\s*\{{\s*{START_MARK}\s*\Z"
)
_STATEMENTS = words("if for while do return throw try switch import package class var assert")
_EQUALITY = frozenset(["=="])
_COMMA = frozenset(",")
_ASSERTIONS = words("assertEquals assertArrayEquals assertIterableEquals assertSame")
# The class of methods that are in no class.
_CLASS = "class Program {"


@lru_cache(maxsize=64)
def source_lines(text: str) -> tuple[str, ...]:
    r"""Lines as Java counts them: \n, \r\n and \r end a line."""
    lines = LINE_END.split(text)
    return tuple(lines[:-1] if lines and lines[-1] == "" else lines)


def wrap_call(source: str, call: str) -> str:
    """The source with an entry point that returns the call, in the class whose method is called.

    "class A { static int f() { return 1; } }", "f()" -> the class with a method `main`
    """
    entry = "main"
    while any(token.text == entry for token in tokenize(source)):
        entry += "_"
    target, method = _called(source, call)
    is_void = method is not None and method.is_void
    is_static = method is None or method.is_static
    head = f"{'static ' if is_static else ''}{'void' if is_void else 'Object'} {entry}()"
    expression = call.strip().rstrip(";").rstrip()
    lines = (
        f"{head} throws Throwable {{ {START_MARK}",
        f"    {'' if is_void else 'return '}{expression};",
        "}",
    )
    if target is None:
        return f"{source.rstrip()}\n\n" + "\n".join(lines) + "\n"
    body = "\n".join(f"    {line}" for line in lines)
    before, after = source[: target.end].rstrip(), source[target.end :].rstrip()
    return f"{before}\n\n{body}\n{after}\n"


def _called(source: str, call: str) -> tuple[TypeDeclaration | None, Method | None]:
    """The class for the entry point, and the method that a call names without a class."""
    declared = types(source)
    tokens = tokenize(call)
    name = tokens[0].text if len(tokens) > 1 and tokens[1].text == "(" else ""
    for each in declared:
        method = next((own for own in each.methods if own.name == name), None)
        if method is not None:
            return each, method
    if declared:
        classes = [each for each in declared if each.keyword in ("class", "record")]
        return (classes or declared)[0], None
    method = next((each for each in methods_of(tokenize(source)) if each.name == name), None)
    return None, method


def complete_unit(text: str) -> str:
    """A text that can be compiled: methods without a class get one, on the same lines."""
    if types(text):
        return text
    tokens = tokenize(text)
    position = 0
    for part in split_at(tokens, frozenset(";")):
        if not part or part[0].text not in ("import", "package"):
            break
        position = part[-1].end + 1
    return f"{text[:position]} {_CLASS} {text[position:]}}}"


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
    body = tokenize(inside)
    if not body or len(split_at(body, frozenset(";"))) > 2 or body[-1].text != ";":
        return unsplit
    if body[0].text != "return" and body[0].text in _STATEMENTS:
        return unsplit
    call = re.sub(r"\Areturn\b", "", inside).rstrip("; \n").strip()
    before = "\n".join(every[: lines[0] - 1]).rstrip()
    after = "\n".join(every[lines[2] :]).rstrip()
    rest = f"{before}\n{after}".rstrip()
    is_used = any(token.text == entry for token in tokenize(rest))
    return unsplit if not call or is_used else (rest, call)


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
    is_declaration = (
        len(tokens) > 1
        and tokens[0].kind == tokens[1].kind == "name"
        and tokens[0].text not in ("new", "switch")
    )
    is_expression = (
        bool(tokens)
        and is_balanced(tokens)
        and tokens[0].text not in _STATEMENTS
        and not is_declaration
        and len(split_at(tokens, frozenset(";"))) == 1
    )
    if not is_expression:
        raise ProgramError(
            f"the call {call[:60]!r} is not one Java expression; write it as in --call 'f(1, 3)'"
        )


def parse_answer(answer: str) -> str | None:
    """The value that an assertion states; the whole text if it is not an assertion.

    "assert f(1).equals(List.of(2));" -> "List.of(2)"; "assertEquals(2, f(1))" -> "2"; " 4; " -> "4"
    """
    text = answer.strip().rstrip(";").rstrip()
    tokens: Sequence[Token] = tokenize(text)
    is_assertion = bool(tokens) and tokens[0].text == "assert"
    if is_assertion:
        tokens = tokens[1:]
    if tokens and tokens[0].text in _ASSERTIONS and len(tokens) > 2:
        expected = split_at(tokens[2 : matching_bracket(tokens, 1)], _COMMA)[0]
        return _text(text, expected) if expected else None
    while tokens and tokens[0].text == "(" and matching_bracket(tokens, 0) == len(tokens) - 1:
        if not is_assertion:
            break
        tokens = tokens[1:-1]
    compared = compared_value(tokens)
    if compared:
        return _text(text, compared[1])
    if is_assertion and tokens:
        # `assert f(1)` and `assert !f(1)` state a boolean.
        return "false" if tokens[0].text == "!" else "true"
    return text or None


def compared_value(tokens: Sequence[Token]) -> tuple[Sequence[Token], Sequence[Token]] | None:
    """Both sides of a comparison: `a == b`, or `a.equals(b)`."""
    sides = split_at(tokens, _EQUALITY)
    if len(sides) > 1 and sides[0] and sides[-1]:
        return sides[0], sides[-1]
    for index in range(len(tokens) - 1, 1, -1):
        if tokens[index].text == "equals" and tokens[index - 1].text == ".":
            is_last = index + 1 < len(tokens) and tokens[index + 1].text == "("
            if is_last and matching_bracket(tokens, index + 1) == len(tokens) - 1:
                return tokens[: index - 1], tokens[index + 2 : -1]
    return None


def _text(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end]


@lru_cache(maxsize=64)
def functions(text: str) -> tuple[FunctionSyntax, ...]:
    """The methods of a text and the lambdas with a block, outer ones first.

    A function within one line is left out, as Python's lambdas are.
    """
    tokens = tokenize(text)
    every = [*methods_of(tokens), *lambdas(tokens)]
    result = [each.syntax for each in every if each.syntax.last_line > each.syntax.line]
    return tuple(sorted(result, key=lambda each: (each.line, -each.last_line)))
