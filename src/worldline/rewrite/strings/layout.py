"""A program's text goes in; where its tokens and syntax nodes stand in it comes out."""

import ast
import tokenize
from bisect import bisect_left
from dataclasses import dataclass

# They say nothing: a program has them anywhere.
SILENT = frozenset(
    (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)
)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: from `start` to before `stop`, counted in characters."""

    text: str
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Layout:
    """A text, its lines, where each begins, and its tokens."""

    text: str
    lines: tuple[str, ...]
    starts: tuple[int, ...]
    tokens: tuple[Token, ...]
    places: tuple[int, ...]

    def start(self, node: ast.expr) -> int:
        """The place of a node's first character; syntax trees count columns in bytes."""
        return self.place(node.lineno, node.col_offset)

    def stop(self, node: ast.expr) -> int:
        """The place behind a node's last character."""
        return self.place(node.end_lineno or 0, node.end_col_offset or 0)

    def place(self, line: int, column: int) -> int:
        text = self.lines[line - 1]
        if not text.isascii():
            column = len(text.encode("utf-8", "surrogatepass")[:column].decode("utf-8"))
        return self.starts[line - 1] + column

    def segment(self, node: ast.expr) -> str:
        """The source of a node."""
        return self.text[self.start(node) : self.stop(node)]

    def between(self, start: int, stop: int) -> tuple[Token, ...]:
        """All tokens from a place to another."""
        return self.tokens[bisect_left(self.places, start) : bisect_left(self.places, stop)]


def lay_out(lines: tuple[str, ...]) -> Layout | None:
    """Where everything stands; none for a text that Python's own tokenizer cannot read."""
    text = "".join(f"{line}\n" for line in lines)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    tokens = []
    try:
        for kind, word, (row, column), (last, end), _ in tokenize.generate_tokens(
            iter([f"{line}\n" for line in lines]).__next__
        ):
            if kind not in SILENT and word:
                tokens.append(Token(word, starts[row - 1] + column, starts[last - 1] + end))
    except (tokenize.TokenError, SyntaxError):
        return None
    places = tuple(token.start for token in tokens)
    return Layout(text, lines, tuple(starts), tuple(tokens), places)
