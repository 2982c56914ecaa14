"""Codec that folds repeated actions, as in a loop, and writes only the states.

`<|trace_context_start|>4<|arg_sep|>` begins a pattern: the actions of the last four steps repeat,
so only the states follow, each with the token that ends it. Any event token ends the pattern.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace

from worldline.core.trace import Program, Trace
from worldline.models.codecs.cwm_tokens import (
    ACTION,
    ARG,
    CONTEXT,
    END,
    EVENT,
    FRAME,
    TOKEN_IDS,
    read_segment,
    strip_partial_token,
)
from worldline.models.codecs.decoded import Decoded
from worldline.models.codecs.delta import DeltaCodec
from worldline.models.codecs.segments import RoleSegments, Segments

_NUMBER = re.compile(r"[1-9][0-9]{0,3}")
# Length of the longest pattern, in steps.
_MAX_PATTERN_STEPS = 100
# Tokens that begin a pattern.
_PATTERN_COST = 3


@dataclass(frozen=True, slots=True)
class _Action:
    """The action of a step: the segments around its state, and the token that ends the state."""

    before: Segments
    end_token: str
    after: Segments

    @property
    def size(self) -> int:
        """Approximate number of tokens that folding the action saves."""
        return len(self.before) + len(self.after)


@dataclass(frozen=True, slots=True)
class FoldedCodec:
    """Delta format in which repeated actions are folded."""

    name: str
    base: DeltaCodec

    special_tokens = TOKEN_IDS
    end_token = END
    is_chat = False

    def prompt(self, program: Program) -> Segments:
        """Prompt of the underlying format."""
        return self.base.prompt(program)

    def encode(self, trace: Trace) -> Segments:
        """Completion that a perfect model would write."""
        steps = list(self.base.encode_steps(trace))
        actions = [_action(parts) for parts in steps]
        encoded: list[str] = []
        index = 0
        while index < len(steps):
            length, count = _best_pattern(actions, index)
            if count:
                encoded += [CONTEXT, str(length), ARG]
                encoded += _states(steps[index : index + count])
                index += count
                continue
            segments = [segment for part in steps[index] for segment in part.segments]
            # Inside a pattern, this token would end an empty state.
            encoded += [CONTEXT, *segments] if segments[0] == ACTION else segments
            index += 1
        return tuple(encoded)

    def decode(self, text: str, program: Program) -> Decoded:
        """Unfold a text, then read the steps in it as the underlying format does."""
        unfolder = _Unfolder(text)
        decoded = self.base.decode(unfolder.text, program)
        to_folded = unfolder.folded_position
        step_texts = tuple(
            replace(step, start=to_folded(step.start), end=to_folded(step.end))
            for step in decoded.step_texts
        )
        position = to_folded(decoded.position)
        after = text[position:] if decoded.stop == "malformed" else decoded.after
        return replace(decoded, step_texts=step_texts, position=position, after=after)


def _action(parts: tuple[RoleSegments, ...]) -> _Action | None:
    """The action of a step; None for the end of the trace."""
    states = [n for n, part in enumerate(parts) if part.role == "state"]
    if not states:
        return None
    before = tuple(segment for part in parts[: states[0]] for segment in part.segments)
    after = tuple(segment for part in parts[states[0] + 1 :] for segment in part.segments)
    return _Action(before, parts[states[0]].segments[-1], after)


def _states(steps: list[tuple[RoleSegments, ...]]) -> Iterator[str]:
    for parts in steps:
        yield from (segment for part in parts if part.role == "state" for segment in part.segments)


def _best_pattern(actions: list[_Action | None], index: int) -> tuple[int, int]:
    """Length of the pattern that saves the most tokens from a step on, and its number of steps.

    (0, 0) if no pattern saves any.
    """
    best_saving, best = 0, (0, 0)
    for length in range(1, min(_MAX_PATTERN_STEPS, index) + 1):
        count = saved = 0
        while index + count < len(actions):
            action = actions[index + count]
            if action is None or action != actions[index + count - length]:
                break
            count, saved = count + 1, saved + action.size
        if saved - _PATTERN_COST > best_saving:
            best_saving, best = saved - _PATTERN_COST, (length, count)
    return best


class _Unfolder:
    """Unfolded text, and the position in the folded text of each position in it."""

    def __init__(self, folded: str) -> None:
        self._folded = folded
        self._chunks: list[str] = []
        # Start of each chunk, its position in the folded text, and whether it was copied from it.
        self._starts: list[int] = []
        self._origins: list[tuple[int, bool]] = []
        self._size = 0
        self._actions: list[_Action] = []
        self._pattern: list[_Action] = []
        self._next = 0
        position: int | None = max(0, folded.find(EVENT["call"]))
        self._copy(0, position or 0)
        while position is not None:
            position = self._unfold(position)
        self.text = "".join(self._chunks)

    def folded_position(self, position: int) -> int:
        """Position in the folded text of a position in the unfolded text."""
        index = bisect_right(self._starts, position) - 1
        if index < 0:
            return 0
        origin, is_copied = self._origins[index]
        return origin + (position - self._starts[index] if is_copied else 0)

    def _unfold(self, start: int) -> int | None:
        """Unfold one step and return the position of the next; None if it is not a step."""
        text, token, end = read_segment(self._folded, start)
        if not text and token == CONTEXT:
            return self._begin_pattern(start, end)
        if not text and token in EVENT.values():
            self._pattern = []
        if self._pattern:
            return self._unfold_state(start)
        return self._copy_step(start)

    def _begin_pattern(self, start: int, position: int) -> int | None:
        text, token, end = read_segment(self._folded, position)
        text = text if token else strip_partial_token(text)
        if token is None and (not text or _NUMBER.fullmatch(text)):
            # The text ends inside the beginning of a pattern; it contains no step.
            return None
        if not text and token == ACTION:
            self._pattern = []
            return self._copy_step(position)
        if token != ARG or not _NUMBER.fullmatch(text) or int(text) > len(self._actions):
            self._copy(start, len(self._folded))
            return None
        self._pattern = self._actions[-int(text) :]
        self._next = 0
        return end

    def _unfold_state(self, start: int) -> int | None:
        """Unfold a step of a pattern, of which only the state is written."""
        action = self._pattern[self._next % len(self._pattern)]
        _, token, end = read_segment(self._folded, start)
        if token is None and self._is_partial_token(start):
            # The text ends inside a token that may end the pattern.
            return None
        self._insert("".join(action.before), start)
        if token != action.end_token:
            self._copy(start, len(self._folded))
            return None
        self._copy(start, end)
        self._insert("".join(action.after), end)
        self._next += 1
        self._actions.append(action)
        return end

    def _copy_step(self, start: int) -> int | None:
        """Copy a step that is written in full; if it is not a step, copy the rest of the text."""
        action, end = self._read_action(start)
        if action is None:
            if not self._is_partial_token(start):
                self._copy(start, len(self._folded))
            return None
        self._actions.append(action)
        self._copy(start, end)
        return end

    def _is_partial_token(self, start: int) -> bool:
        """Whether nothing follows except, perhaps, an incomplete special token."""
        return not strip_partial_token(self._folded[start:])

    def _read_action(self, start: int) -> tuple[_Action | None, int]:
        text, token, position = read_segment(self._folded, start)
        before: list[str] = []
        if not text and token == ACTION:
            line, position = self._read_line(position)
            before = [ACTION, *line]
            text, token, position = read_segment(self._folded, position)
        if text or token is None or token not in EVENT.values():
            return None, start
        before.append(token)
        has_locals = token in (EVENT["call"], EVENT["line"])
        _, end_token, position = read_segment(self._folded, position)
        if end_token != (ACTION if has_locals else FRAME):
            return None, start
        after: list[str] = []
        if has_locals:
            after, position = self._read_line(position)
        return _Action(tuple(before), end_token, tuple(after)), position

    def _read_line(self, position: int) -> tuple[list[str], int]:
        """Read a line and, if it is written, its scope; the token after them is not read."""
        segments: list[str] = []
        while True:
            text, token, end = read_segment(self._folded, position)
            segments.append(text)
            if token != FRAME or len(segments) > 2:
                return segments, end - len(token or "")
            segments.append(FRAME)
            position = end

    def _copy(self, start: int, end: int) -> None:
        self._add(self._folded[start:end], start, is_copied=True)

    def _insert(self, text: str, origin: int) -> None:
        self._add(text, origin, is_copied=False)

    def _add(self, text: str, origin: int, *, is_copied: bool) -> None:
        self._chunks.append(text)
        self._starts.append(self._size)
        self._origins.append((origin, is_copied))
        self._size += len(text)
