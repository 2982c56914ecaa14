"""Result of a rewrite: the new text, and the original line of each of its lines."""

from collections.abc import Iterable
from dataclasses import dataclass

from worldline.core.trace import source_lines


@dataclass(frozen=True, slots=True)
class SkippedRewrite:
    """A construct that was not rewritten because that would not be safe.

    Attributes:
        line: its line.
        what: its source, or its name.
        why: the reason.
    """

    line: int
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class RewriteResult:
    """A rewritten program that behaves like the original.

    Attributes:
        text: the new text.
        origins: for each line of the new text the original line that it stands for; 0 for a line
            that the rewrite inserted.
        changed: original lines that were rewritten.
        left: constructs that were not rewritten.
    """

    text: str
    origins: tuple[int, ...]
    changed: tuple[int, ...] = ()
    left: tuple[SkippedRewrite, ...] = ()

    def origin(self, line: int) -> int:
        """The original line that a line of the new text stands for; 0 if there is none."""
        return self.origins[line - 1] if 0 < line <= len(self.origins) else 0


@dataclass(frozen=True, slots=True)
class Edit:
    """New lines that replace the lines `first` to `last`, each with its original line.

    If `last` is before `first`, the new lines are inserted before `first`.
    """

    first: int
    last: int
    lines: tuple[tuple[str, int], ...]


def unchanged(text: str) -> RewriteResult:
    """Return the result of a rewrite that changed nothing."""
    return RewriteResult(text, tuple(range(1, len(source_lines(text)) + 1)))


def apply_edits(
    text: str, edits: Iterable[Edit], *, left: Iterable[SkippedRewrite] = ()
) -> RewriteResult:
    """Apply edits, which must not overlap, to a text.

    "a\\nb\\n", [Edit(2, 2, (("c", 2), ("d", 2)))] -> "a\\nc\\nd\\n", origins 1, 2, 2
    """
    lines = source_lines(text)
    new_lines: list[tuple[str, int]] = []
    changed: set[int] = set()
    next_line = 1
    for edit in sorted(edits, key=lambda edit: (edit.first, edit.last)):
        if edit.first < next_line:
            raise ValueError(f"two edits overlap at line {edit.first}")
        new_lines += [(lines[n - 1], n) for n in range(next_line, edit.first)]
        new_lines += edit.lines
        changed.update(range(edit.first, edit.last + 1))
        next_line = max(edit.first, edit.last + 1)
    new_lines += [(lines[n - 1], n) for n in range(next_line, len(lines) + 1)]
    return RewriteResult(
        "".join(f"{line}\n" for line, _ in new_lines),
        tuple(origin for _, origin in new_lines),
        tuple(sorted(changed)),
        tuple(left),
    )


def compose_rewrites(first: RewriteResult, second: RewriteResult) -> RewriteResult:
    """Combine two rewrites, the second of the first one's text, to one of the original text."""
    return RewriteResult(
        second.text,
        tuple(first.origin(origin) for origin in second.origins),
        tuple(sorted({*first.changed, *(first.origin(line) for line in second.changed)} - {0})),
        (
            *first.left,
            *(SkippedRewrite(first.origin(left.line), left.what, left.why) for left in second.left),
        ),
    )
