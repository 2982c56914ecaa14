"""Functions and statements of Rust source, from its tokens.

A line table has a row for every line of an expression. The recorder shows a statement on the line
on which it begins. An arm of a `match` is a statement if its body is not a block. A line that only
opens or closes a block has no statement.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from worldline.core.trace import words
from worldline.languages.rust.rust_moves import variable_uses
from worldline.languages.rust.rust_tokens import tokenize
from worldline.languages.source_tokens import CLOSING, OPENING, Token, split_at

_HEADERS = words("if while for match loop unsafe async")
_QUALIFIERS = words("pub const unsafe async extern default")
_SKIPPED_ITEMS = words("use type static struct enum union")
_BLOCK_ITEMS = words("impl trait mod")
_NOT_TYPES = words("else move return in as break continue") | _HEADERS
# After these, `|` begins a closure.
_BEFORE_CLOSURE = words("( , = { [ => ; && || : return move + - * & ! .. ..= += == in")
_SEMICOLON = frozenset(";")


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """A function or closure with a body.

    Attributes:
        line: The line of its name; of a closure, where it begins.
        opening_line: The line on which its body begins.
        last_line: The line on which it ends.
        first_line: The line of the first token in the body.
        parameters: The names of its parameters.
        is_closure: Whether it is a closure.
        statements: The lines with a statement of its own, and the lines on which these begin.
        loops: The lines of loops whose body is on the same line.
        deferred: The lines and names of variables that are declared without a value.
        assigned: Names that are assigned to, and the lines of these statements.
        moved: Names whose value is moved if its type is not copied, and the lines.
    """

    line: int
    opening_line: int
    last_line: int
    first_line: int
    parameters: tuple[str, ...]
    is_closure: bool = False
    statements: Mapping[int, int] = field(default_factory=dict, hash=False)
    loops: frozenset[int] = frozenset()
    deferred: tuple[tuple[int, str], ...] = ()
    assigned: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)
    moved: Mapping[str, tuple[int, ...]] = field(default_factory=dict, hash=False)


@lru_cache(maxsize=64)
def function_bodies(text: str) -> tuple[FunctionBody, ...]:
    """The functions of a text, outer ones first; closures, too.

    "fn f(x: i32) -> i32 {\\n    x\\n}" -> a function in lines 1 to 3 with the parameter x
    """
    walker = _Walker(tokenize(text))
    walker.statements(0, len(walker.tokens))
    return tuple(sorted(walker.functions, key=lambda each: (each.line, -each.last_line)))


class _Walker:
    """Walks through the tokens; finds the functions, and the statements of each."""

    def __init__(self, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self.closing = _closing(tokens)
        self.functions: list[FunctionBody] = []
        # Of the innermost function: its tokens with the starts of their statements, and its loops.
        self._starts: dict[int, int] = {}
        self._loops: set[int] = set()

    def _text(self, index: int) -> str:
        """The text of a token; "" for strings and characters, and outside."""
        if not 0 <= index < len(self.tokens):
            return ""
        token = self.tokens[index]
        return token.text if token.kind in ("name", "mark") else ""

    def statements(self, index: int, end: int) -> None:
        """Walk through the inside of a block."""
        while index < end:
            index = self._statement(index, end)

    def _statement(self, index: int, end: int) -> int:
        """Walk through one statement or item; the result is the index after it."""
        text = self._text(index)
        if text in (";", ",", "}"):
            return index + 1
        if text == "#":
            opening = index + 1 + (self._text(index + 1) == "!")
            return self.closing.get(opening, opening) + 1
        if self.tokens[index].kind == "lifetime" and self._text(index + 1) == ":":
            return index + 2
        if text == "{" and index in self.closing:
            self.statements(index + 1, self.closing[index])
            return self.closing[index] + 1
        keyword = self._item_keyword(index)
        item = self._text(keyword)
        if item == "fn" and self.tokens[min(keyword + 1, len(self.tokens) - 1)].kind == "name":
            return self._function(keyword, end)
        if item in _BLOCK_ITEMS or (item == "{" and text == "extern"):
            opening = self._find(keyword, end, "{;")
            self.statements(opening + 1, self.closing.get(opening, opening))
            return self.closing.get(opening, opening) + 1
        is_union = item == "union" and self.tokens[min(keyword + 1, end - 1)].kind != "name"
        if (item in _SKIPPED_ITEMS and not is_union) or text in ("const", "pub"):
            opening = self._find(keyword, end, "{;" if item in ("struct", "enum", "union") else ";")
            return self.closing.get(opening, opening) + 1
        if text == "macro_rules":
            opening = self._find(index, end, "{(")
            return self.closing.get(opening, opening) + 1
        return self._expression(index, end, index, _SEMICOLON)

    def _item_keyword(self, index: int) -> int:
        """The index of an item's keyword, after `pub`, `unsafe` and others."""
        while self._text(index) in _QUALIFIERS or self.tokens[index].kind == "string":
            if index + 1 >= len(self.tokens):
                return index
            index += 1
            if self._text(index) == "(" and self._text(index - 1) == "pub":
                index = self.closing.get(index, index) + 1
        return index

    def _find(self, index: int, end: int, marks: str) -> int:
        """The index of the first of these marks outside other brackets, or the end."""
        while index < end:
            text = self._text(index)
            if text and text in marks:
                return index
            index = self.closing.get(index, index) + 1
        return end

    def _function(self, keyword: int, end: int) -> int:
        brace = self._find(keyword, end, "{;")
        if self._text(brace) != "{":
            return brace + 1
        opening = self._find(keyword, brace, "(")
        inside = self.tokens[opening + 1 : self.closing.get(opening, opening)]
        names = tuple(name for part in _split_types(inside) for name in _pattern_names(part))
        last = self.closing.get(brace, end - 1)
        self._add(keyword + 1, brace, last, names, is_closure=False)
        return last + 1

    def _add(
        self, name: int, body: int, last: int, parameters: tuple[str, ...], *, is_closure: bool
    ) -> None:
        """Walk through the body of a function, and add the function."""
        outer = self._starts, self._loops
        self._starts, self._loops = {}, set()
        if self._text(body) == "{":
            first = body + 1
            self.statements(first, last)
        else:
            first = body
            self._expression(body, last + 1, body, frozenset())
        line, opening_line, last_line, first_line = (
            self.tokens[n].line for n in (name, body, last, min(first, last))
        )
        starts, loops = self._starts, self._loops
        self._starts, self._loops = outer
        self.functions.append(
            FunctionBody(
                line,
                opening_line,
                last_line,
                first_line,
                parameters,
                is_closure,
                _lines(self.tokens, starts),
                frozenset(loops),
                *variable_uses(self.tokens, self.closing, starts),
            )
        )

    def _expression(self, index: int, end: int, start: int, ends: frozenset[str]) -> int:
        """Walk through an expression or `let`; the result is the index after it.

        Args:
            index: Where it begins.
            end: Where it has to end.
            start: The start of its statement.
            ends: The marks that end it.
        """
        first, header, own = index, "", start
        while index < end:
            text = self._text(index)
            if text == "else":
                index += 1
                continue
            if text in _HEADERS:
                header = text
                if self._text(index - 1) == "else":
                    own = index
            if text in ends and text:
                self._starts[index] = own
                return index + 1
            if text in ("|", "||") and self._begins_closure(index, first):
                index = self._closure(index, end, own)
                continue
            if text in OPENING and index in self.closing:
                is_block = text == "{" and (header != "" or self._is_block(index))
                self._brackets(index, own, header if is_block else None)
                index = self.closing[index] + 1
                if is_block:
                    is_complete = self._text(first) in _HEADERS and ends == _SEMICOLON
                    if is_complete and self._text(index) not in ("else", ".", "?"):
                        return index
                    header, own = "", start
                continue
            self._starts[index] = own
            index += 1
        return index

    def _brackets(self, opening: int, start: int, header: str | None) -> None:
        """Walk through brackets: a block after `header`, or an expression if it is None."""
        end = self.closing[opening]
        if header is None:
            self._starts[opening] = self._starts[end] = start
            self._expression(opening + 1, end, start, frozenset())
            return
        is_loop = header in ("while", "for", "loop") and opening + 1 < end
        if is_loop and self.tokens[opening + 1].line == self.tokens[start].line:
            self._loops.add(self.tokens[start].line)
        if header == "match":
            self._arms(opening + 1, end)
        else:
            self.statements(opening + 1, end)

    def _arms(self, index: int, end: int) -> None:
        """Walk through the arms of a `match`."""
        while index < end:
            if self._text(index) in (",", "#"):
                is_attribute = self._text(index) == "#"
                index = self.closing.get(index + 1, index + 1) + 1 if is_attribute else index + 1
                continue
            arrow = self._find_arrow(index, end)
            body = arrow + 1
            if self._text(body) == "{" and body in self.closing:
                guard = next((n for n in range(index, arrow) if self._text(n) == "if"), arrow)
                for place in range(index, arrow if guard < arrow else index):
                    self._starts[place] = index
                self.statements(body + 1, self.closing[body])
                index = self.closing[body] + 1
                continue
            for place in range(index, min(body, end)):
                self._starts[place] = index
            index = self._expression(body, end, index, frozenset(","))

    def _find_arrow(self, index: int, end: int) -> int:
        while index < end and self._text(index) != "=>":
            index = self.closing.get(index, index) + 1
        return index

    def _begins_closure(self, index: int, first: int) -> bool:
        before = self._text(index - 1)
        return index == first or before in _BEFORE_CLOSURE

    def _closure(self, index: int, end: int, start: int) -> int:
        """Walk through a closure; the result is the index after it."""
        bar = index
        if self._text(index) == "|":
            bar += 1
            while bar < end and self._text(bar) != "|":
                bar = self.closing.get(bar, bar) + 1
        for place in range(index, min(bar + 1, end)):
            self._starts[place] = start
        inside = self.tokens[index + 1 : bar]
        names = tuple(name for part in _split_types(inside) for name in _pattern_names(part))
        body = bar + 1
        if self._text(body) == "->":
            body = self._find(body, end, "{")
        if body >= end:
            return end
        last = self.closing[body] if self._text(body) == "{" and body in self.closing else None
        if last is None:
            last = self._closure_end(body, end) - 1
        self._add(index, body, last, names, is_closure=True)
        return last + 1

    def _closure_end(self, index: int, end: int) -> int:
        """The index after the body of a closure without braces."""
        while index < end and self._text(index) not in (",", ";"):
            index = self.closing.get(index, index) + 1
        return min(index, end)

    def _is_block(self, brace: int) -> bool:
        """Whether a brace outside headers contains statements, not the fields of a struct."""
        before = self._text(brace - 1)
        if before == "!":
            return False
        is_name = self.tokens[brace - 1].kind == "name" and before not in _NOT_TYPES
        return not (is_name or before == ">")


def _closing(tokens: Sequence[Token]) -> dict[int, int]:
    """The index of the closing bracket of every opening one."""
    result, stack = {}, []
    for index, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in OPENING:
            stack.append(index)
        elif token.text in CLOSING and stack:
            result[stack.pop()] = index
    return result


def _split_types(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    """Parameters, without their types: `(a, b): (i32, i32), m: HashMap<A, B>` -> `(a, b)`, `m`."""
    parts, depth, start = [], 0, 0
    for index, token in enumerate([*tokens, Token("mark", ",", 0, 0)]):
        if token.kind != "mark":
            continue
        depth += (token.text in "([{<") - (token.text in ")]}>")
        if token.text == "," and depth <= 0:
            parts.append(split_at(tokens[start:index], frozenset(":"))[0])
            start, depth = index + 1, 0
    return parts


def _pattern_names(tokens: Sequence[Token]) -> list[str]:
    """The names that a pattern binds: `Point { x, y: mut z }` -> x, z."""
    names = []
    for index, token in enumerate(tokens):
        after = tokens[index + 1].text if index + 1 < len(tokens) else ""
        is_type = after in ("(", "{", "::", ":") or token.text[:1].isupper()
        if token.kind == "name" and not is_type and token.text not in ("mut", "ref", "_"):
            names.append(token.text)
    return names


def _lines(tokens: Sequence[Token], starts: Mapping[int, int]) -> dict[int, int]:
    """The lines with a statement, and the lines on which these statements begin."""
    result: dict[int, int] = {}
    for index, start in sorted(starts.items()):
        line = tokens[index].line
        # A statement that begins on a line wins over the end of another one.
        if line not in result or start == index:
            result[line] = tokens[start].line
    return result


def statement_lines(text: str) -> dict[int, int]:
    """The line on which the statement of a line begins; only lines with a statement."""
    lines: dict[int, int] = {}
    for function in function_bodies(text):
        lines = {**function.statements, **lines}
    return lines
