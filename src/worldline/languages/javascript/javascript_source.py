"""JavaScript and TypeScript syntax of programs; implements `SourceSyntax`.

It reads tokens, not a syntax tree: Python has no parser of JavaScript. What it cannot read, it
leaves out.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from worldline.core.errors import ProgramError
from worldline.core.language import FunctionSyntax
from worldline.languages.javascript.javascript_tokens import tokenize
from worldline.languages.source_tokens import Token, is_balanced, matching_bracket, split_at

START_MARK = "// << START_OF_TRACE"
_LINE_END = re.compile(r"\r\n|[\n\r\u2028\u2029]")
_ENTRY = re.compile(rf"function\s+([\w$]+)\s*\(\)\s*\{{\s*{START_MARK}\s*\Z")
# Names before `(…) {` that are not those of methods.
_CONTROL = frozenset(["if", "for", "while", "switch", "catch", "with", "return", "function"])
_STATEMENTS = frozenset(
    [
        "let",
        "const",
        "var",
        "if",
        "for",
        "while",
        "do",
        "return",
        "throw",
        "try",
        "switch",
        "import",
    ]
)
_ASSERTIONS = frozenset(["equal", "strictEqual", "deepEqual", "deepStrictEqual"])


# Called for every step.
@lru_cache(maxsize=64)
def source_lines(text: str) -> tuple[str, ...]:
    r"""Lines as JavaScript counts them: \n, \r\n, \r, U+2028 and U+2029 end a line."""
    lines = _LINE_END.split(text)
    return tuple(lines[:-1] if lines and lines[-1] == "" else lines)


def wrap_call(source: str, call: str) -> str:
    """The source, followed by an entry point that returns the call."""
    entry = "main"
    while _uses(source, entry):
        entry += "_"
    body = (
        f"function {entry}() {{ {START_MARK}\n    return {call.strip().rstrip(';').rstrip()};\n}}\n"
    )
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
    body = tokenize("\n".join(every[lines[0] : lines[2] - 1]))
    if not body or body[0].text != "return" or len(split_at(body, frozenset(";"))) > 2:
        return unsplit
    call = "\n".join(every[lines[0] : lines[2] - 1]).strip().removeprefix("return").strip()
    call = call.rstrip(";").rstrip()
    rest = "\n".join([*every[: lines[0] - 1], *every[lines[2] :]])
    return unsplit if not call or _uses(rest, entry) else (rest.rstrip(), call)


def entry_lines(text: str, entry: str) -> tuple[int, int, int] | None:
    """The lines of the entry point's `function`, of its first statement, and of its end."""
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
        ProgramError: It is not one expression, or contains `yield` or `await`.
    """
    tokens = tokenize(call.strip().rstrip(";"))
    is_expression = (
        bool(tokens)
        and is_balanced(tokens)
        and tokens[0].text not in _STATEMENTS
        and len(split_at(tokens, frozenset(";"))) == 1
    )
    if not is_expression:
        raise ProgramError(
            f"the call {call[:60]!r} is not one JavaScript expression; write it as in "
            "--call 'f(1, 3)'"
        )
    if any(token.kind == "name" and token.text in ("yield", "await") for token in tokens):
        raise ProgramError(
            f"the call {call[:60]!r} contains `yield` or `await`; put it into a function of the "
            "program, and call that function"
        )


def parse_answer(answer: str) -> str | None:
    """The value that an assertion states; the whole text if it is not an assertion.

    "assert.deepEqual(f(1), [2]);" -> "[2]"; "f(1) === 2" -> "2"; " 4; " -> "4"
    """
    text = answer.strip().rstrip(";").rstrip()
    tokens: Sequence[Token] = tokenize(text)
    if tokens and tokens[0].text in ("assert", "console"):
        if len(tokens) > 1 and tokens[1].text not in (".", "("):
            tokens = tokens[1:]  # as in Python: assert f(1) == 2
        else:
            opening = next((n for n, token in enumerate(tokens) if token.text == "("), 0)
            arguments = split_at(tokens[opening + 1 : matching_bracket(tokens, opening)], _COMMA)
            is_comparison = tokens[max(0, opening - 1)].text in _ASSERTIONS
            if is_comparison and len(arguments) > 1 and arguments[1]:
                return _text(text, arguments[1])
            tokens = arguments[0]
    sides = split_at(tokens, _EQUALITY)
    if len(sides) > 1 and sides[-1]:
        return _text(text, sides[-1])
    if tokens and tokens is not tokenize(text):
        # `assert(f(1))` and `assert(!f(1))` state a boolean.
        return "false" if tokens[0].text == "!" else "true"
    return text or None


_COMMA = frozenset(",")
_EQUALITY = frozenset(["==", "==="])


def _text(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end]


@lru_cache(maxsize=64)
def functions(text: str) -> tuple[FunctionSyntax, ...]:
    """The functions of a text, outer ones first.

    A function within one line, such as `x => x + 1`, is left out, as Python's lambdas are.
    """
    tokens = tokenize(text)
    result = []
    for index, token in enumerate(tokens):
        function = None
        if token.kind == "mark" and token.text == "=>":
            function = _arrow(tokens, index)
        elif token.kind == "mark" and token.text == "(":
            function = _with_parentheses(tokens, index)
        if function is not None and function.last_line > function.line:
            result.append(function)
    return tuple(sorted(result, key=lambda each: (each.line, -each.last_line)))


def _with_parentheses(tokens: Sequence[Token], opening: int) -> FunctionSyntax | None:
    """A function or method whose parameters begin here."""
    before = tokens[opening - 1] if opening else None
    if before is None or (before.kind == "name" and before.text in _CONTROL - {"function"}):
        return None
    closing = matching_bracket(tokens, opening)
    body = _body(tokens, closing + 1)
    if body is None or (before.kind == "mark" and before.text not in ("*", "]", ">")):
        return None
    keyword = _keyword(tokens, opening)
    line = tokens[opening].line if keyword is None else keyword.line
    return _function(tokens, line, tokens[opening + 1 : closing], body)


def _keyword(tokens: Sequence[Token], opening: int) -> Token | None:
    """The token `function` of a function whose parameters begin here; None for a method."""
    for token in reversed(tokens[max(0, opening - 12) : opening]):
        if token.text == "function":
            return token
        if token.kind == "mark" and token.text in "(){};":
            return None
    return None


def _arrow(tokens: Sequence[Token], arrow: int) -> FunctionSyntax | None:
    """An arrow function with a block as its body."""
    if arrow + 1 >= len(tokens) or tokens[arrow + 1].text != "{":
        return None
    parameters: Sequence[Token] = tokens[arrow - 1 : arrow]
    if parameters and parameters[0].text == ")":
        opening = _opening(tokens, arrow - 1)
        parameters = tokens[opening + 1 : arrow - 1]
        line = tokens[opening].line
    else:
        line = parameters[0].line if parameters else tokens[arrow].line
    return _function(tokens, line, parameters, arrow + 1)


def _opening(tokens: Sequence[Token], closing: int) -> int:
    depth = 0
    for index in range(closing, -1, -1):
        if tokens[index].kind == "mark":
            depth += (tokens[index].text in ")]}") - (tokens[index].text in "([{")
            if depth == 0:
                return index
    return 0


def _body(tokens: Sequence[Token], index: int) -> int | None:
    """The index of the `{` of a body, after a return type of TypeScript; None without a body."""
    if index < len(tokens) and tokens[index].text == ":":
        index += 1
        while index < len(tokens) and tokens[index].text not in ("{", ";", "=>", ")", "="):
            index = matching_bracket(tokens, index) if tokens[index].text == "[" else index
            index += 1
    return index if index < len(tokens) and tokens[index].text == "{" else None


def _function(
    tokens: Sequence[Token], line: int, parameters: Sequence[Token], body: int
) -> FunctionSyntax:
    end = matching_bracket(tokens, body)
    first = tokens[min(body + 1, end)].line
    names = frozenset(name for part in split_at(parameters, _COMMA) for name in _names(part))
    return FunctionSyntax(line, max(first, line + 1), tokens[end].line, names)


def _names(tokens: Sequence[Token]) -> list[str]:
    """The names that a parameter binds, without its type and default: `{a, b: c} = {}` -> a, c."""
    tokens = [token for token in tokens if token.text != "..."]
    tokens = split_at(tokens, frozenset("="))[0]
    if not tokens:
        return []
    if tokens[0].text in ("{", "["):
        inner = tokens[1 : matching_bracket(tokens, 0)]
        parts = [split_at(part, frozenset(":"))[-1] for part in split_at(inner, _COMMA)]
        return [name for part in parts for name in _names(part)]
    return [tokens[0].text] if tokens[0].kind == "name" else []
