"""Lines, tokens and offsets of a program's source text."""

import ast
import tokenize
from bisect import bisect_left
from dataclasses import dataclass, field

# Tokens without a meaning of their own.
_LAYOUT_TOKENS = frozenset(
    (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token of the text: from offset `start` to before `stop`, in characters."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class SourceLayout:
    """Layout of a program's text. Lines are counted from 1, offsets in characters from 0.

    Attributes:
        text: all lines, each with its line end.
        lines: the physical lines, without line ends.
        offsets: the offset of each line in `text`, and of the end of the text.
        tokens: the tokens with a meaning, in order.
        logical_starts: line -> the first line of its logical line.
        logical_ends: line -> the last line of its logical line.
        comments: line -> the comment on it.
        string_lines: lines that begin inside a string.
    """

    text: str = ""
    lines: tuple[str, ...] = ()
    offsets: tuple[int, ...] = (0,)
    tokens: tuple[Token, ...] = ()
    logical_starts: dict[int, int] = field(default_factory=dict)
    logical_ends: dict[int, int] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    string_lines: frozenset[int] = frozenset()

    def start(self, node: ast.expr) -> int:
        """Offset of a node's first character."""
        return self._offset(node.lineno, node.col_offset)

    def stop(self, node: ast.expr) -> int:
        """Offset after a node's last character."""
        return self._offset(node.end_lineno or 0, node.end_col_offset or 0)

    def _offset(self, line: int, column: int) -> int:
        return self.offsets[line - 1] + character_column(self.lines[line - 1], column)

    def segment(self, node: ast.expr) -> str:
        """Source of a node."""
        return self.text[self.start(node) : self.stop(node)]

    def tokens_between(self, start: int, stop: int) -> tuple[Token, ...]:
        """Tokens from one offset to another."""
        first, last = (
            bisect_left(self.tokens, offset, key=lambda token: token.start)
            for offset in (start, stop)
        )
        return self.tokens[first:last]


def parse_layout(lines: tuple[str, ...], tree: ast.Module) -> SourceLayout | None:
    """Parse the layout of a program; None if Python's tokenizer rejects the text."""
    terminated = [f"{line}\n" for line in lines]
    offsets = [0]
    for line in terminated:
        offsets.append(offsets[-1] + len(line))
    try:
        tokens = list(tokenize.generate_tokens(iter(terminated).__next__))
    except (tokenize.TokenError, SyntaxError):
        return None
    logical_starts, logical_ends = _logical_lines(tokens)
    return SourceLayout(
        text="".join(terminated),
        lines=lines,
        offsets=tuple(offsets),
        tokens=tuple(
            Token(
                token.string,
                offsets[token.start[0] - 1] + token.start[1],
                offsets[token.end[0] - 1] + token.end[1],
            )
            for token in tokens
            if token.type not in _LAYOUT_TOKENS and token.string
        ),
        logical_starts=logical_starts,
        logical_ends=logical_ends,
        comments={
            token.start[0]: token.string for token in tokens if token.type == tokenize.COMMENT
        },
        string_lines=frozenset(_string_lines(tree)),
    )


def _logical_lines(tokens: list[tokenize.TokenInfo]) -> tuple[dict[int, int], dict[int, int]]:
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    first = 0
    for token in tokens:
        last = token.start[0]
        if token.type == tokenize.NEWLINE:
            starts.update(dict.fromkeys(range(first, last + 1), first))
            ends.update(dict.fromkeys(range(first, last + 1), last))
            first = 0
        elif token.type not in _LAYOUT_TOKENS and token.type != tokenize.ENDMARKER:
            first = first or last
    return starts, ends


def _string_lines(node: ast.AST) -> set[int]:
    lines: set[int] = set()
    for child in ast.iter_child_nodes(node):
        is_text = isinstance(child, ast.Constant) and isinstance(child.value, str | bytes)
        if isinstance(child, ast.JoinedStr | ast.Constant):
            # The positions of the parts of an f-string are not reliable.
            if is_text or isinstance(child, ast.JoinedStr):
                lines.update(range(child.lineno + 1, (child.end_lineno or child.lineno) + 1))
        else:
            lines |= _string_lines(child)
    return lines


def character_column(line: str, column: int) -> int:
    """Convert a column in bytes, as syntax trees count them, to one in characters."""
    if line.isascii():
        return column
    return len(line.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace"))


def line_segment(node: ast.expr | ast.stmt, lines: tuple[str, ...]) -> str | None:
    """Source of a node on a single line; None if it has several lines."""
    first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
    if first != last or not 0 < first <= len(lines) or node.end_col_offset is None:
        return None
    line = lines[first - 1]
    return line[
        character_column(line, node.col_offset) : character_column(line, node.end_col_offset)
    ]
