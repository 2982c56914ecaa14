"""Lark grammars in llama.cpp's notation, GBNF."""

import ast
import re
from collections.abc import Iterator

from worldline.core.errors import EngineError

# llama.cpp refuses more repetitions than a few thousand, and more than that of a group.
_BLOCK = 40
_WORD_CLASS = (
    r"0-9A-Z_a-z\u00C0-\u00D6\u00D8-\u00F6\u00F8-\u02AF\u0391-\u03A1\u03B1-\u03C9\u0400-\u0481"
    r"\u4E00-\u9FFF"
)
_CLASSES = {"w": _WORD_CLASS, "d": "0-9", "s": r"\x20\x09\x0A\x0D"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "b": "\b"}
_LARK_TOKEN = re.compile(
    r"""
    (?P<string>"(?:[^"\\]|\\.)*")
    | /(?P<regex>(?:[^/\\]|\\.)+)/
    | (?P<token><\|\w+\|>|<\[\d+\]>)
    | (?P<name>[A-Za-z_]\w*)
    | (?P<operator>[()|?*+])
    | \s+
    """,
    re.VERBOSE,
)


def lark_to_gbnf(grammar: str) -> str:
    """Convert a Lark grammar: rules, strings, regular expressions, special tokens, `| ? * + ( )`.

    start: "no" /[3-5]/ -> root ::= "no" [3-5]

    Raises:
        EngineError: the grammar uses something else.
    """
    return "\n".join(_Converter(grammar).rules()) + "\n"


class _Converter:
    def __init__(self, grammar: str) -> None:
        self._grammar = grammar
        self._blocks: list[str] = []

    def rules(self) -> Iterator[str]:
        for line in filter(str.strip, self._grammar.splitlines()):
            name, colon, body = line.partition(":")
            if not colon or not name.strip().isidentifier():
                raise EngineError(f"a rule of a grammar is not understood: {line[:80]!r}")
            yield f"{_rule_name(name.strip())} ::= {' '.join(self._convert(body))}"
        yield from self._blocks

    def _convert(self, body: str) -> Iterator[str]:
        position = 0
        while position < len(body):
            match = _LARK_TOKEN.match(body, position)
            if match is None:
                raise EngineError(f"a grammar is not understood at {body[position:][:40]!r}")
            position = match.end()
            value = match.group()
            if match["string"]:
                yield _quote(ast.literal_eval(value))
            elif match["regex"]:
                yield f"({_RegexConverter(match['regex'], self._blocks).convert()})"
            elif match["name"]:
                yield _rule_name(value)
            elif value.strip():
                yield value


class _RegexConverter:
    """Recursive descent over a regular expression."""

    def __init__(self, regex: str, blocks: list[str]) -> None:
        self._regex = regex
        self._position = 0
        # Rules for long repetitions, which llama.cpp does not take at once.
        self._blocks = blocks

    def convert(self) -> str:
        expression = self._alternatives()
        if self._position < len(self._regex):
            raise self._error()
        return expression

    def _alternatives(self) -> str:
        alternatives = [self._sequence()]
        while self._take("|"):
            alternatives.append(self._sequence())
        return " | ".join(alternatives)

    def _sequence(self) -> str:
        parts = []
        while self._position < len(self._regex) and self._regex[self._position] not in "|)":
            parts.append(self._quantified(self._atom()))
        return " ".join(parts) or '""'

    def _atom(self) -> str:
        if self._take("("):
            self._take("?:")
            inner = self._alternatives()
            if not self._take(")"):
                raise self._error()
            return f"({inner})"
        if self._take("["):
            return self._char_class()
        if self._take("."):
            return r"[^\x0A]"
        if self._regex[self._position] in "?*+{^$":
            raise self._error()
        char = self._char()
        return f"[{char}]" if char in _CLASSES.values() else f'"{char}"'

    def _char_class(self) -> str:
        items = "^" if self._take("^") else ""
        while not self._take("]"):
            if self._position >= len(self._regex):
                raise self._error()
            items += "-" if self._take("-") else self._char()
        return f"[{items}]"

    def _char(self) -> str:
        """One character, or a class such as `\\w`, as it is written in a GBNF class."""
        char = self._next()
        if char != "\\":
            return _escape(char)
        char = self._next()
        if char in _CLASSES:
            return _CLASSES[char]
        if char in "xu":
            digits = self._regex[self._position : self._position + (2 if char == "x" else 4)]
            self._position += len(digits)
            return _escape(chr(int(digits, 16)))
        if char.isalnum() and char not in _ESCAPES:
            raise self._error()
        return _escape(_ESCAPES.get(char, char))

    def _quantified(self, atom: str) -> str:
        for operator in "?*+":
            if self._take(operator):
                return atom + operator
        match = re.compile(r"\{(\d+)(,?)(\d*)\}").match(self._regex, self._position)
        if match is None:
            return atom
        self._position = match.end()
        low = int(match[1])
        if match[2] and not match[3]:
            return f"{atom}{{{low},}}"
        return self._repeat(atom, low, int(match[3] or low))

    def _repeat(self, atom: str, low: int, high: int) -> str:
        if high <= _BLOCK:
            return f"{atom}{{{low},{high}}}"
        if low > 1:
            raise EngineError(f"a grammar repeats {low} to {high} times; begin with 0 or 1")
        # Full blocks, then less than a block: there is one way only to read a text.
        high -= low
        count = len(self._blocks) // 3
        once, block = f"once-{count}", f"block-{count}"
        blocks, rest = divmod(high, _BLOCK)
        self._blocks += [
            f"{once} ::= {atom}",
            f"{block} ::= {once}{{{_BLOCK}}}",
            f"many-{count} ::= {block}{{0,{blocks - 1}}} {once}{{0,{_BLOCK - 1}}} "
            f"| {block}{{{blocks}}} {once}{{0,{rest}}}",
        ]
        return f"({once} many-{count})" if low else f"many-{count}"

    def _take(self, text: str) -> bool:
        is_next = self._regex.startswith(text, self._position)
        self._position += len(text) if is_next else 0
        return is_next

    def _next(self) -> str:
        if self._position >= len(self._regex):
            raise self._error()
        self._position += 1
        return self._regex[self._position - 1]

    def _error(self) -> EngineError:
        rest = self._regex[self._position :][:40]
        return EngineError(f"a regular expression of a grammar is not understood at {rest!r}")


def _rule_name(name: str) -> str:
    """ "start" -> "root"; "pair" -> "rule-pair"; "NAME" -> "terminal-name" """
    if name == "start":
        return "root"
    kind = "terminal" if name.isupper() else "rule"
    return f"{kind}-{name.lower().replace('_', '-')}"


def _escape(char: str) -> str:
    """A character as it is written in strings and classes.

    "a" -> "a"; '"' -> "\\\\x22"
    """
    code = ord(char)
    if char.isascii() and char.isalnum():
        return char
    return (
        f"\\x{code:02X}" if code < 256 else f"\\u{code:04X}" if code < 65536 else f"\\U{code:08X}"
    )


def _quote(text: str) -> str:
    return '"' + "".join(map(_escape, text)) + '"'
