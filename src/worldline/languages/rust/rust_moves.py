"""Variables of Rust source: which have no value yet, are assigned to, or are moved."""

from collections.abc import Mapping, Sequence

from worldline.core.trace import words
from worldline.languages.rust.rust_tokens import tokenize
from worldline.languages.source_tokens import Token

# What is before and after a name whose value is moved.
_MOVES = frozenset([("=", ";"), ("in", "{"), (":", ","), (":", "}")])
# What follows these on the line may not be executed.
_CONDITIONS = words("&& || ? if =>")

# Declarations without a value (their lines and names), and the lines of assignments and of moves.
VariableUses = tuple[
    tuple[tuple[int, str], ...], dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]
]


def variable_uses(
    tokens: Sequence[Token], closing: Mapping[int, int], starts: Mapping[int, int]
) -> VariableUses:
    """The declarations without a value, the assignments and the moves of a function.

    Args:
        tokens: The tokens of the text.
        closing: The index of the closing bracket of every opening one.
        starts: The function's own tokens, and the starts of their statements.
    """
    return _Uses(tokens, closing).collect(starts)


class _Uses:
    """Tokens with their brackets, and the uses of names in them."""

    def __init__(self, tokens: Sequence[Token], closing: Mapping[int, int]) -> None:
        self.tokens = tokens
        self.closing = closing

    def _text(self, index: int) -> str:
        if not 0 <= index < len(self.tokens):
            return ""
        token = self.tokens[index]
        return token.text if token.kind in ("name", "mark") else ""

    def collect(
        self, starts: Mapping[int, int]
    ) -> tuple[tuple[tuple[int, str], ...], dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
        """The declarations without a value, the assignments and the moves of a function."""
        deferred: list[tuple[int, str]] = []
        assigned: dict[str, tuple[int, ...]] = {}
        moved: dict[str, tuple[int, ...]] = {}
        for index, start in starts.items():
            token, line = self.tokens[index], self.tokens[start].line
            if token.text == "let" and self._has_no_value(index, starts):
                name = index + 1 + (self._text(index + 1) == "mut")
                deferred.append((self.tokens[name].line, self.tokens[name].text))
            if token.kind != "name":
                continue
            before, after = self._text(index - 1), self._text(index + 1)
            if after == "=" and before not in ("let", "mut", ".", "::"):
                assigned[token.text] = (*assigned.get(token.text, ()), line)
            elif self._is_moved(index, before, after) and not self._is_conditional(index, start):
                moved[token.text] = (*moved.get(token.text, ()), line)
        return tuple(deferred), assigned, moved

    def _is_moved(self, index: int, before: str, after: str) -> bool:
        """Whether a name is used as a value: `g(x)`, `= x;`, `in x {`, `x.into_iter()`."""
        if after == ".":
            method = self._text(index + 2)
            is_own = method.startswith(("into_", "unwrap")) or method == "expect"
            return is_own and before not in (".", "&", "*")
        if before in ("(", ",", "[") and after in (")", ",", "]"):
            return not self._is_in_macro(index)
        return (before, after) in _MOVES or (before == "return" and after in (";", "}"))

    def _is_in_macro(self, index: int) -> bool:
        """Whether the brackets around a token are those of a macro; all but `vec!` borrow."""
        around = [n for n, end in self.closing.items() if n < index < end]
        opening = max(around, default=-1)
        is_macro = self._text(opening - 1) == "!"
        return is_macro and self._text(opening - 2) != "vec"

    def _is_conditional(self, index: int, start: int) -> bool:
        """Whether the line of a statement does not always execute a token of the statement."""
        line = self.tokens[start].line
        first = start
        while first > 0 and self.tokens[first - 1].line == line:
            first -= 1
        return any(
            self._text(n) in _CONDITIONS
            or (self._text(n) == "{" and self.closing.get(n, 0) > index)
            for n in range(first, index)
        )

    def _has_no_value(self, let: int, starts: Mapping[int, int]) -> bool:
        index = let + 1
        while index in starts and self._text(index) not in ("=", ";"):
            index = self.closing.get(index, index) + 1
        return self._text(index) == ";"


def copied_types(text: str) -> list[str]:
    """The names of a text's types that are `Copy`: by `derive`, or by an `impl`."""
    tokens, names = tokenize(text), []
    for index, token in enumerate(tokens):
        if token.text != "Copy":
            continue
        after = [each.text for each in tokens[index + 1 : index + 60]]
        if after[:1] == ["for"]:
            names.append(after[1])
            continue
        kinds = [n for n, each in enumerate(after[:-1]) if each in ("struct", "enum")]
        names += [after[n + 1] for n in kinds[:1]]
    return names
