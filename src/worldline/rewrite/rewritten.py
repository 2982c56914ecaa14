"""A program's text and edits of its lines go in; the new text comes out, with the way back: which
line of the old text each of its lines stands for."""

from collections.abc import Iterable
from dataclasses import dataclass

from worldline.trace import source_lines


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """Something that a rewrite would change but cannot do safely: where, what, and why."""

    line: int
    what: str
    why: str


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A text that does what another does.

    `origins`: for each of its lines the line of the other that it stands for; 0 for one that the
    rewrite brought in. `changed`: the lines of the other that were rewritten.
    """

    text: str
    origins: tuple[int, ...]
    changed: tuple[int, ...] = ()
    left: tuple[LeftAlone, ...] = ()

    def origin(self, line: int) -> int:
        """The line of the original text that a line of this one stands for; 0 where none does."""
        return self.origins[line - 1] if 0 < line <= len(self.origins) else 0


@dataclass(frozen=True, slots=True)
class Edit:
    """New lines in place of the lines `first` to `last`, each with the line it stands for.

    Where `last` is before `first` they are put in before `first`, and nothing goes.
    """

    first: int
    last: int
    lines: tuple[tuple[str, int], ...]


def unchanged(text: str) -> Rewritten:
    """The text as it is."""
    return Rewritten(text, tuple(range(1, len(source_lines(text)) + 1)))


def edited(text: str, edits: Iterable[Edit], *, left: Iterable[LeftAlone] = ()) -> Rewritten:
    """The text with edits made; they must not overlap.

    "a\\nb\\n", [Edit(2, 2, (("c", 2), ("d", 2)))] -> "a\\nc\\nd\\n", origins 1, 2, 2
    """
    lines = source_lines(text)
    found: list[tuple[str, int]] = []
    changed: set[int] = set()
    following = 1
    for edit in sorted(edits, key=lambda edit: (edit.first, edit.last)):
        if edit.first < following:
            raise ValueError(f"two edits of line {edit.first}")
        found += [(lines[n - 1], n) for n in range(following, edit.first)]
        found += edit.lines
        changed.update(range(edit.first, edit.last + 1))
        following = max(edit.first, edit.last + 1)
    found += [(lines[n - 1], n) for n in range(following, len(lines) + 1)]
    return Rewritten(
        "".join(f"{line}\n" for line, _ in found),
        tuple(origin for _, origin in found),
        tuple(sorted(changed)),
        tuple(left),
    )


def composed(first: Rewritten, second: Rewritten) -> Rewritten:
    """Two rewrites, the second made of the first's text, as one of the original text."""
    return Rewritten(
        second.text,
        tuple(first.origin(origin) for origin in second.origins),
        tuple(sorted({*first.changed, *(first.origin(line) for line in second.changed)} - {0})),
        (
            *first.left,
            *(LeftAlone(first.origin(left.line), left.what, left.why) for left in second.left),
        ),
    )
