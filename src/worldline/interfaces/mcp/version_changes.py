"""Difference of the executions of two versions of a program.

Lines of the versions are paired by their text. Steps on paired lines are compared in order: which
line runs, and the variables that both versions have.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from worldline.analysis.alignment import compare_values
from worldline.core.trace import Program, source_lines
from worldline.core.util.text import truncate_text
from worldline.interfaces.mcp.executed_lines import ExecutedLine
from worldline.interfaces.mcp.text_limits import NAME_CHARS, short_pair_value


@dataclass(frozen=True, slots=True)
class VersionDifference:
    """The first step at which two executions differ.

    Attributes:
        words: The difference, in a sentence.
        before: The number of executed lines of the old version up to there.
        after: The number of executed lines of the new version up to there.
    """

    words: str
    before: int
    after: int


def paired_lines(before: str, after: str) -> dict[int, int]:
    """Line numbers of the old version, and those of the same lines in the new one.

    Lines that occur once in both versions are paired first, then their equal neighbours. What is
    left between two pairs is paired line by line if it has the same length in both versions.

    "a\\nb\\nc", "a\\nx\\nc" -> {1: 1, 2: 2, 3: 3}; "a\\nc", "a\\nb\\nc" -> {1: 1, 2: 3}
    """
    old, new = source_lines(before), source_lines(after)
    pairs: dict[int, int] = {}
    old_start = new_start = 0
    for old_end, new_end in [*_unique_pairs(old, new), (len(old), len(new))]:
        _pair_block(old, new, range(old_start, old_end), range(new_start, new_end), pairs)
        if old_end < len(old):
            pairs[old_end + 1] = new_end + 1
        old_start, new_start = old_end + 1, new_end + 1
    return pairs


def _unique_pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest increasing list of lines that occur once in both versions."""
    counts = Counter(old), Counter(new)
    places = {line: n for n, line in enumerate(new) if counts[1][line] == 1}
    common = [
        (n, places[line]) for n, line in enumerate(old) if line in places and counts[0][line] == 1
    ]
    ends: list[int] = []
    # For each end of an increasing list: its position in `common`, and that of its predecessor.
    last: list[int] = []
    previous: list[int] = []
    for position, (_, place) in enumerate(common):
        length = bisect_left(ends, place)
        ends[length : length + 1] = [place]
        last[length : length + 1] = [position]
        previous.append(last[length - 1] if length else -1)
    chain: list[tuple[int, int]] = []
    position = last[-1] if last else -1
    while position >= 0:
        chain.append(common[position])
        position = previous[position]
    return chain[::-1]


def _pair_block(
    old: Sequence[str], new: Sequence[str], olds: range, news: range, pairs: dict[int, int]
) -> None:
    """Pair the equal lines at both ends of a block, and the rest if its length is the same."""
    while olds and news and old[olds[0]] == new[news[0]]:
        pairs[olds[0] + 1] = news[0] + 1
        olds, news = olds[1:], news[1:]
    while olds and news and old[olds[-1]] == new[news[-1]]:
        pairs[olds[-1] + 1] = news[-1] + 1
        olds, news = olds[:-1], news[:-1]
    if len(olds) == len(news):
        pairs.update((a + 1, b + 1) for a, b in zip(olds, news, strict=True))


def first_difference(
    before: Program,
    after: Program,
    before_lines: Sequence[ExecutedLine],
    after_lines: Sequence[ExecutedLine],
) -> VersionDifference | None:
    """Find the first step at which two executions differ on the lines that both versions have.

    Args:
        before: The old version.
        after: The new version.
        before_lines: The executed lines of the old version.
        after_lines: The executed lines of the new version.

    Returns:
        The difference; None if there is none on these lines.
    """
    pairs = paired_lines(before.source, after.source)
    sides = (
        _Side(before, _events(before_lines), set(pairs)),
        _Side(after, _events(after_lines), set(pairs.values())),
    )
    old, new = sides
    while old.advance() & new.advance():
        old_line, new_line = old.line, new.line
        is_same_line = (pairs[old_line.line], old_line.kind) == (new_line.line, new_line.kind)
        if not is_same_line or old.is_effect != new.is_effect:
            words = f"the old version {old.action()}, where the new one {new.action()}"
            return VersionDifference(words, old.count, new.count)
        words = _state_words(old, new) if old.is_effect else ""
        if words:
            where = old.where()
            if before.line(old_line.line) != after.line(new_line.line):
                where += f", now {new.where()}"
            return VersionDifference(f"after {where}: {words}", old.count, new.count)
    for name, side in (("old", old), ("new", new)):
        if not side.is_over:
            words = f"only the {name} version continues: it {side.action()}"
            return VersionDifference(words, old.count, new.count)
    return None


def _events(lines: Sequence[ExecutedLine]) -> list[tuple[int, bool, ExecutedLine]]:
    """The beginnings and the effects of executed lines, in the order of execution.

    A line that calls a function has its effect after the lines of that function.
    """
    begins = [(line.step, False, line) for line in lines]
    effects = [(line.effect_step, True, line) for line in lines if line.effect_step is not None]
    # The effect of a line comes before the next line begins. A call shows its arguments at once.
    order = {(True, "line"): 0, (False, "line"): 1, (False, "call"): 1, (True, "call"): 2}
    return sorted([*begins, *effects], key=lambda event: (event[0], order[event[1], event[2].kind]))


class _Side:
    """One of two executions, followed event by event on the lines that both versions have."""

    def __init__(
        self,
        program: Program,
        events: Sequence[tuple[int, bool, ExecutedLine]],
        shared: Collection[int],
    ) -> None:
        self._program = program
        self._events = iter(events)
        self._shared = shared
        self._states: dict[int, dict[str, str]] = {}
        self.is_over = False
        self.is_effect = False
        # The number of lines that have begun.
        self.count = 0

    def advance(self) -> bool:
        """Go to the next event on a shared line; lines of one version change its state, too."""
        for _, is_effect, line in self._events:
            self.is_effect, self.line = is_effect, line
            if is_effect:
                line.apply(self.state)
            else:
                self.count += 1
            if line.line in self._shared:
                return True
        self.is_over = True
        return False

    @property
    def state(self) -> dict[str, str]:
        """The variables of the current function."""
        return self._states.setdefault(self.line.scope, {})

    def where(self) -> str:
        """ "line 3 `total += i`" """
        source = truncate_text(self._program.line(self.line.line).strip(), 60)
        return f"line {self.line.line} `{source}`"

    def action(self) -> str:
        """What the execution does now, in words."""
        return f"{'finishes' if self.is_effect else 'runs'} {self.where()}"


def _state_words(old: _Side, new: _Side) -> str:
    """What differs after a line that both executions ran; empty if nothing does."""
    names = dict.fromkeys([*old.line.changed, *new.line.changed])
    states = old.state, new.state
    different = [
        name
        for name in names
        if all(name in state for state in states)
        and not compare_values(states[0][name], states[1][name]).is_same
    ]
    words = [
        f"{truncate_text(name, NAME_CHARS)} = {_pair_words(states[0][name], states[1][name])}"
        for name in different[:4]
    ]
    was, now = old.line.returned, new.line.returned
    if was is not None and now is not None and not compare_values(was, now).is_same:
        words.append(f"returns {_pair_words(was, now)}")
    if bool(old.line.raised) != bool(new.line.raised):
        words.append(f"only the {'old' if old.line.raised else 'new'} version raises here")
    return "; ".join(words)


def _pair_words(was: str, now: str) -> str:
    return f"{short_pair_value(now, was)}, was {short_pair_value(was, now)}"
