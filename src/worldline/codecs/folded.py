"""Steps whose actions repeat go in; their states alone come out, and back.

`<|trace_context_start|>4<|arg_sep|>` says that from here on the actions are those of the last four
steps, over and over, so that only states are written, each with the token that ends it. Any event
ends that. A loop is written once, and then what changes in it.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from worldline.codecs.decoded import Decoded
from worldline.codecs.delta import DeltaCodec
from worldline.codecs.pieces import Part, Pieces, Special
from worldline.codecs.reading import without_half_token
from worldline.codecs.specials import ACTION, ARG, CONTEXT, END, EVENT, FRAME, TOKEN_IDS
from worldline.trace import Program, Trace

_SPECIAL = re.compile("|".join(map(re.escape, TOKEN_IDS)))
_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
# The longest pattern that is looked for, in steps.
_LONGEST = 100
# What it takes to begin a pattern.
_BEGINNING = 3


@dataclass(frozen=True, slots=True)
class _Act:
    """What a step says of its action: before its state, the token that ends that, and behind."""

    before: Pieces
    end: str
    behind: Pieces

    @property
    def size(self) -> int:
        """About how many tokens are spared where it need not be written."""
        return len(self.before) + len(self.behind)


@dataclass(frozen=True, slots=True)
class FoldedCodec:
    """A format of changes in which actions that repeat are not written again."""

    name: str
    base: DeltaCodec

    specials = TOKEN_IDS
    end = END
    is_chat = False

    def prompt(self, program: Program) -> Pieces:
        """What the model is given."""
        return self.base.prompt(program)

    def encode(self, trace: Trace) -> Pieces:
        """What a perfect model would write behind the prompt."""
        steps = list(self.base.parts(trace))
        acts = [_act(parts) for parts in steps]
        written: list[str] = []
        index = 0
        while index < len(steps):
            length, count = _best_pattern(acts, index)
            if count:
                written += [CONTEXT, str(length), ARG]
                written += _states(steps[index : index + count])
                index += count
                continue
            pieces = [piece for part in steps[index] for piece in part.pieces]
            # Within a pattern, this token would end a state in which nothing changes.
            written += [CONTEXT, *pieces] if pieces[0] == ACTION else pieces
            index += 1
        return tuple(written)

    def decode(self, text: str, program: Program) -> Decoded:
        """Read a model's text: written in full first, then as the format that this one folds."""
        unfolded = _Unfolding(text)
        found = self.base.decode(unfolded.text, program)
        written = tuple(
            replace(one, start=unfolded.place(one.start), end=unfolded.place(one.end))
            for one in found.written
        )
        position = unfolded.place(found.position)
        after = text[position:] if found.stop == "damaged" else found.after
        return replace(found, written=written, position=position, after=after)


def _act(parts: tuple[Part, ...]) -> _Act | None:
    """What a step says of its action; none for the end of the trace."""
    states = [n for n, part in enumerate(parts) if part.role == "state"]
    if not states:
        return None
    before = tuple(piece for part in parts[: states[0]] for piece in part.pieces)
    behind = tuple(piece for part in parts[states[0] + 1 :] for piece in part.pieces)
    return _Act(before, parts[states[0]].pieces[-1], behind)


def _states(steps: list[tuple[Part, ...]]) -> Iterator[str]:
    for parts in steps:
        yield from (piece for part in parts if part.role == "state" for piece in part.pieces)


def _best_pattern(acts: list[_Act | None], index: int) -> tuple[int, int]:
    """How many steps back the actions repeat from here on, and for how many steps: as much as
    spares the most; none where that is not worth it."""
    best, found = 0, (0, 0)
    for length in range(1, min(_LONGEST, index) + 1):
        count = saved = 0
        while index + count < len(acts):
            act = acts[index + count]
            if act is None or act != acts[index + count - length]:
                break
            count, saved = count + 1, saved + act.size
        if saved - _BEGINNING > best:
            best, found = saved - _BEGINNING, (length, count)
    return found


class _Unfolding:
    """A text with all actions written out, and which place in it came from where."""

    def __init__(self, folded: str) -> None:
        self._folded = folded
        self._chunks: list[str] = []
        # Where chunks begin, where they came from, and whether they were copied or put in.
        self._starts: list[int] = []
        self._origins: list[tuple[int, bool]] = []
        self._size = 0
        self._acts: list[_Act] = []
        self._pattern: list[_Act] = []
        self._next = 0
        position: int | None = max(0, folded.find(EVENT["call"]))
        self._copy(0, position or 0)
        while position is not None:
            position = self._unfold(position)
        self.text = "".join(self._chunks)

    def place(self, position: int) -> int:
        """Where in the folded text a place in the unfolded one comes from."""
        index = bisect_right(self._starts, position) - 1
        if index < 0:
            return 0
        origin, is_copied = self._origins[index]
        return origin + (position - self._starts[index] if is_copied else 0)

    def _unfold(self, start: int) -> int | None:
        """Unfold one step, and return where the next begins; none at what is not a step."""
        text, token, end = self._segment(start)
        if not text and token == CONTEXT:
            return self._begin_pattern(start, end)
        if not text and token in EVENT.values():
            self._pattern = []
        if self._pattern:
            return self._go_on(start)
        return self._copy_step(start)

    def _begin_pattern(self, start: int, position: int) -> int | None:
        text, token, end = self._segment(position)
        text = text if token else without_half_token(text)
        if token is None and (not text or _NUMBER.fullmatch(text)):
            # It breaks off where a pattern begins: there is nothing to be read of it.
            return None
        if not text and token == ACTION:
            self._pattern = []
            return self._copy_step(position)
        if token != ARG or not _NUMBER.fullmatch(text) or int(text) > len(self._acts):
            self._copy(start, len(self._folded))
            return None
        self._pattern = self._acts[-int(text) :]
        self._next = 0
        return end

    def _go_on(self, start: int) -> int | None:
        """A step of which only the state is written."""
        act = self._pattern[self._next % len(self._pattern)]
        _, token, end = self._segment(start)
        if token is None and self._is_half_token(start):
            # It breaks off where the pattern may be left.
            return None
        self._put("".join(act.before), start)
        if token != act.end:
            self._copy(start, len(self._folded))
            return None
        self._copy(start, end)
        self._put("".join(act.behind), end)
        self._next += 1
        self._acts.append(act)
        return end

    def _copy_step(self, start: int) -> int | None:
        """A step that is written in full, or something else, which is copied to the end."""
        act, end = self._read_act(start)
        if act is None:
            if not self._is_half_token(start):
                self._copy(start, len(self._folded))
            return None
        self._acts.append(act)
        self._copy(start, end)
        return end

    def _is_half_token(self, start: int) -> bool:
        """Whether nothing follows but, perhaps, the start of a special token."""
        return not without_half_token(self._folded[start:])

    def _read_act(self, start: int) -> tuple[_Act | None, int]:
        text, token, position = self._segment(start)
        before: list[str] = []
        if not text and token == ACTION:
            line, position = self._read_place(position)
            before = [ACTION, *line]
            text, token, position = self._segment(position)
        if text or token is None or token not in EVENT.values():
            return None, start
        before.append(token)
        has_locals = token in (EVENT["call"], EVENT["line"])
        _, end_token, position = self._segment(position)
        if end_token != (ACTION if has_locals else FRAME):
            return None, start
        behind: list[str] = []
        if has_locals:
            behind, position = self._read_place(position)
        return _Act(tuple(before), end_token, tuple(behind)), position

    def _read_place(self, position: int) -> tuple[list[str], int]:
        """A line and perhaps its scope, up to the token behind, which is not read."""
        found: list[str] = []
        while True:
            text, token, end = self._segment(position)
            found.append(text)
            if token != FRAME or len(found) > 2:
                return found, end - len(token or "")
            found.append(FRAME)
            position = end

    def _segment(self, position: int) -> tuple[str, str | None, int]:
        found = _SPECIAL.search(self._folded, position)
        if found is None:
            return self._folded[position:], None, len(self._folded)
        return self._folded[position : found.start()], Special(found[0]), found.end()

    def _copy(self, start: int, end: int) -> None:
        self._add(self._folded[start:end], start, is_copied=True)

    def _put(self, text: str, origin: int) -> None:
        self._add(text, origin, is_copied=False)

    def _add(self, text: str, origin: int, *, is_copied: bool) -> None:
        self._chunks.append(text)
        self._starts.append(self._size)
        self._origins.append((origin, is_copied))
        self._size += len(text)
