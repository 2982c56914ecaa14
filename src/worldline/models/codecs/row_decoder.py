"""Decoder of a chat model's reply with rows; lines that are not rows are skipped."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from worldline.core.trace import Program
from worldline.models.codecs.answer_row import find_answer, parse_value
from worldline.models.codecs.decoded import Decoded, Fragment, Stop
from worldline.models.codecs.exception_text import restore_raised
from worldline.models.codecs.row_assembler import RowAssembler
from worldline.models.codecs.row_notation import RowNotation

_FENCE = re.compile(r"\s*(?:```|~~~)")
_REASONING_START, _REASONING_END = "<think>", "</think>"
_OPEN, _CLOSE = "[ANSWER]", "[/ANSWER]"


def decode_reply(text: str, program: Program, notation: RowNotation) -> Decoded:
    """Read the rows and the answer in a reply.

    The last line counts only if a newline ends it: without one, it may be truncated.
    """
    return _ReplyDecoder(text, program, notation).decode()


class _ReplyDecoder:
    def __init__(self, text: str, program: Program, notation: RowNotation) -> None:
        self._text = text
        self._program = program
        self._lines = program.lines
        self._notation = notation
        self._assembler = RowAssembler(program)
        self._skipped: list[tuple[int, int]] = []
        # Answers before the first row; the last one counts if no row follows.
        self._early_answer: tuple[int, tuple[int, int]] | None = None

    def decode(self) -> Decoded:
        start = _reasoning_end(self._text, self._notation, self._lines)
        if start:
            self._skipped.append((0, start))
        for begin, end in _line_spans(self._text, start):
            line = self._text[begin:end]
            if not line.strip() or _FENCE.match(line):
                continue
            answer = find_answer(line)
            if answer is not None:
                span = begin + answer[0], begin + answer[1]
                if self._assembler.steps:
                    return self._decoded_with_answer(begin, span)
                self._early_answer = begin, span
                continue
            if not self._read_row(line, begin, end):
                self._skipped.append((begin, end))
        return self._decoded_without_answer()

    def _read_row(self, line: str, begin: int, end: int) -> bool:
        parsed = self._notation.parse(line, self._lines)
        # A model may repeat the numbered program before its trace.
        if parsed is None or (parsed.effect_start is None and not self._assembler.steps):
            return False
        row = replace(parsed.row, items=restore_raised(parsed.row.items, self._program))
        effect = end if parsed.effect_start is None else begin + parsed.effect_start
        self._assembler.add(row, begin, effect, end)
        return True

    def _decoded_with_answer(self, begin: int, span: tuple[int, int]) -> Decoded:
        """Result for a reply with an answer at `begin`."""
        value, end = _answer_text(self._text, *span)
        item = None if value is None else parse_value(value, self._program.language)
        if item is None:
            return self._decoded("truncated", "the text ends where the answer was expected", begin)
        (item,) = restore_raised([item], self._program)
        shows_steps = bool(self._assembler.steps)
        if shows_steps:
            self._assembler.add_answer(item, begin, end)
        decoded = self._decoded("complete", "the answer was written", end)
        return replace(
            decoded,
            after=self._text[end:],
            shows_steps=shows_steps,
            answer=item.value if item.kind == "return" else None,
        )

    def _decoded_without_answer(self) -> Decoded:
        text = self._text
        if self._assembler.steps:
            if self._assembler.is_finished:
                reason = "the scope of the entry point was left"
                return self._decoded("complete", reason, len(text))
            reason = "the text ends where a row or the answer was expected"
            return self._decoded("truncated", reason, _tail_start(text))
        if self._early_answer is not None:
            return self._decoded_with_answer(*self._early_answer)
        if self._skipped and self._skipped[0] == (0, len(text)) and _is_reasoning(text):
            return self._decoded("truncated", "the text ends within the reasoning", 0)
        if not self._skipped:
            return self._decoded("truncated", "the text ends where a row was expected", 0)
        reason = f"expected a row, found {text.strip()[:30]!r}"
        return replace(self._decoded("malformed", reason, 0), after=text)

    def _decoded(self, stop: Stop, reason: str, position: int) -> Decoded:
        return Decoded(
            steps=tuple(self._assembler.steps),
            step_texts=tuple(self._assembler.step_texts),
            stop=stop,
            reason=reason,
            position=position,
            after="",
            fragment=self._fragment() if stop == "truncated" else None,
            omits_expression_frames=True,
            skipped=tuple(self._skipped),
        )

    def _fragment(self) -> Fragment | None:
        """What is certain about the step inside which the text ends."""
        assembler, tail = self._assembler, self._text[_tail_start(self._text) :]
        if not assembler.steps:
            # The first steps may be those of an entry point that is not shown.
            return None
        pending = assembler.pending_locals()
        answer = find_answer(tail)
        if answer is not None:
            return self._answer_fragment(tail[slice(*answer)])
        fragment = self._notation.parse_truncated(tail, self._lines)
        if self._notation.writes_steps:
            return fragment
        if fragment is None:
            return None if pending is None else Fragment(None, pending)
        parsed = self._notation.parse(tail, self._lines)
        top = assembler.scopes.replay.innermost
        if parsed is None or top is None or parsed.row.line == top.line:
            # The row may continue the line.
            return None if pending is None else Fragment(None, pending)
        if pending is None or parsed.row.line in assembler.scopes.parameters:
            # The row may enter a function: nothing is certain but the line.
            return fragment
        return replace(fragment, event="line", locals=pending)

    def _answer_fragment(self, value: str) -> Fragment | None:
        entry = self._assembler.entry
        if entry is None or not value or "raise".startswith(value.strip()[:5]):
            return None
        line = self._program.line(entry.return_line)
        is_certain = not value.startswith(("\\", "`", "a", "["))
        return Fragment("return", {}, None, value if is_certain else None, line, True)


def _answer_text(text: str, start: int, end: int) -> tuple[str | None, int]:
    """The text of the answer and where it ends; None if it is truncated.

    The answer may be on the line after `ANSWER:`, or on several lines between tags.
    """
    is_tagged = text[:start].rstrip().endswith(_OPEN)
    if is_tagged:
        close = text.find(_CLOSE, start)
        return (None, len(text)) if close < 0 else (text[start:close], close + len(_CLOSE))
    if text[start:end].strip():
        return text[start:end], text.index("\n", end)
    for begin, end in _line_spans(text, text.find("\n", start) + 1):
        line = text[begin:end].strip()
        if line and not _FENCE.match(line) and line != "**":
            return line, end
    return None, len(text)


def _line_spans(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Spans of the lines that a newline ends, without it."""
    while (end := text.find("\n", start)) >= 0:
        yield start, end
        start = end + 1


def _tail_start(text: str) -> int:
    """Where the last line begins, which no newline ends."""
    return text.rfind("\n") + 1


def _reasoning_end(text: str, notation: RowNotation, lines: Sequence[str]) -> int:
    """Where the reply begins after the model's reasoning: 0 if there is none.

    Some servers omit the tag that begins the reasoning.
    """
    for begin, end in reversed([*_line_spans(text, 0), (_tail_start(text), len(text))]):
        line = text[begin:end]
        position = line.find(_REASONING_END)
        if position >= 0 and notation.parse(line[:position], lines) is None:
            return begin + position + len(_REASONING_END)
    return len(text) if _is_reasoning(text) else 0


def _is_reasoning(text: str) -> bool:
    return text.lstrip().startswith(_REASONING_START)
