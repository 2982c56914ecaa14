"""CWM's own format: a trace goes in, the text that Meta's model speaks comes out, and back."""

import json
from collections.abc import Iterator
from json.decoder import JSONDecodeError

from worldline.codecs.assemble import UNCHANGED, Assembler
from worldline.codecs.course import Course, course_of
from worldline.codecs.decoded import Decoded, Fragment, Written
from worldline.codecs.fragment import open_locals, open_string
from worldline.codecs.pieces import Part, Pieces, Special, joined, json_text
from worldline.codecs.specials import ACTION, ARG, BEGIN, CONTEXT, END, EVENT, FRAME, TOKEN_IDS
from worldline.codecs.stripped import decode_stripped
from worldline.errors import CodecError
from worldline.trace import Event, Program, Trace

_JSON = json.JSONDecoder()


class CwmCodec:
    """Meta's format; see docs/formats.md for one example, byte for byte."""

    name = "cwm"
    specials = TOKEN_IDS
    end = END
    # A scope that is left by an exception returns nothing.
    no_value = '"None"'
    is_chat = False

    def prompt(self, program: Program) -> Pieces:
        """What the model is given: the source with its entry point marked."""
        if program.entry is None:
            raise CodecError(
                "the cwm format needs a marked entry point; "
                "give the call to run, as in --call 'f(1)'"
            )
        return (BEGIN, CONTEXT, program.text, FRAME)

    def encode(self, trace: Trace) -> Pieces:
        """What a perfect model would write behind the prompt."""
        return joined(part for parts in self.parts(trace) for part in parts)

    def parts(self, trace: Trace) -> Iterator[tuple[Part, ...]]:
        """The same, a step at a time, told apart into action and state; the end comes last."""
        last: int | None = None
        course = course_of(trace)
        for step, state in zip(trace.steps, trace.states(), strict=True):
            if step.has_locals:
                shown = state
                # A scope that is entered, resumed or returned to shows its whole state.
                if step.scope == last and step.event == "line":
                    shown = {name: step.changed.get(name, UNCHANGED) for name in state}
                written = json_text(shown)
            else:
                written = json_text("None" if step.value is None else step.value)
            yield self.outline(step.event, step.line, course, written)
            last = step.scope
        if trace.ending.is_complete:
            yield (Part("action", (END,)),)

    def outline(self, event: Event, line: int, course: Course, state: str = "") -> tuple[Part, ...]:
        """One step on a source line; its state may be left to be written."""
        text = course.text(line)
        if event in ("call", "line"):
            return (
                Part("action", (EVENT[event],)),
                Part("state", (state, ACTION)),
                Part("action", (f"{text}\n", FRAME)),
            )
        return (
            Part("action", (EVENT[event], ACTION, f"{text}\n", ARG)),
            Part("state", (state, FRAME)),
        )

    def state_grammar(self, event: Event, *, longest_value: int) -> str:
        """What a state may look like, in Lark's notation: JSON, with values up to a length."""
        escape = r'\\(["\\bfnrt\/]|u[0-9a-fA-F]{4})'
        text = f'STRING: /"([^"\\\\\\x00-\\x1f]|{escape}){{0,{longest_value}}}"/'
        if event in ("call", "line"):
            rules = 'start: "{" (pair (", " pair)*)? "}"\npair: NAME ": " STRING'
            return f'{rules}\nNAME: /"[.\\w]{{1,40}}"/\n{text}\n'
        return f"start: STRING\n{text}\n"

    def decode(self, text: str, program: Program) -> Decoded:
        """Read a model's text up to the first thing that is not a step: strictly, or, where its
        special tokens were lost in saving, as far as can be told without them."""
        has_tokens = any(token in text for token in (*EVENT.values(), FRAME, ACTION, ARG))
        if text.strip() and not has_tokens and not text.lstrip().startswith("<"):
            return decode_stripped(text, program)
        assembler = Assembler(program)
        # A reply may repeat the prompt, or begin with a sentence.
        position = max(0, text.find(EVENT["call"]))
        while not assembler.is_over:
            try:
                position = _read_step(text, position, assembler)
            except _NotAStep as found:
                return _stopped(text, position, assembler, found)
        after = text[position:].removeprefix(END)
        return Decoded(
            steps=tuple(assembler.steps),
            written=tuple(assembler.written),
            stop="ended",
            reason="the scope of the entry point was left",
            position=position,
            after=after,
        )


class _NotAStep(Exception):  # noqa: N818
    """What stands where a step should: not seen outside of this file."""

    def __init__(self, expected: str, position: int, fragment: Fragment | None = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.position = position
        self.fragment = fragment


def _read_step(text: str, start: int, assembler: Assembler) -> int:
    """Read one step into the assembler and return where the next begins."""
    event = next((e for e, token in EVENT.items() if text.startswith(token, start)), None)
    if event is None:
        raise _NotAStep("a step", start)
    position = start + len(EVENT[event])
    if event in ("call", "line"):
        shown, position = _read_locals(text, position, event)
        line, position = _read_line(text, position, Fragment(event, shown))
        end = _expect(text, position, FRAME, Fragment(event, shown, line=line, is_line_whole=True))
        assembler.add_locals(event, Written(line, shown, start, end))
        return end
    if not assembler.state and not assembler.steps:
        raise _NotAStep("a call", start)
    line, position = _read_line(text, position, Fragment(event))
    whole = Fragment(event, line=line, is_line_whole=True)
    position = _expect(text, position, ARG, whole)
    try:
        value, position = _JSON.raw_decode(text, position)
    except (JSONDecodeError, RecursionError):
        left = Fragment(event, {}, None, open_string(text[position:]), line, True)
        raise _NotAStep("a JSON string", position, left) from None
    if not isinstance(value, str):
        raise _NotAStep("a JSON string", position, whole)
    end = _expect(text, position, FRAME, Fragment(event, {}, None, value, line, True))
    assembler.add_value(event, Written(line, {}, start, end), value)
    return end


def _read_locals(text: str, position: int, event: Event) -> tuple[dict[str, str], int]:
    try:
        shown, end = _JSON.raw_decode(text, position)
    except (JSONDecodeError, RecursionError):
        raise _NotAStep("a JSON object", position, open_locals(text[position:], event)) from None
    if not isinstance(shown, dict) or not all(isinstance(v, str) for v in shown.values()):
        raise _NotAStep("a JSON object of strings", position)
    return shown, end


def _read_line(text: str, position: int, known: Fragment) -> tuple[str, int]:
    """The source line behind `<|action_sep|>`, without its newline."""
    position = _expect(text, position, ACTION, known)
    end = text.find("\n", position)
    if end < 0:
        left = Fragment(known.event, known.locals, line=text[position:])
        raise _NotAStep("a newline", len(text), left)
    return text[position:end], end + 1


def _expect(text: str, position: int, token: Special, known: Fragment) -> int:
    if not text.startswith(token, position):
        raise _NotAStep(token, position, known)
    return position + len(token)


def _stopped(text: str, start: int, assembler: Assembler, found: _NotAStep) -> Decoded:
    """Reading ended before the trace did: was the text cut, or is there something else?"""
    rest = text[found.position :]
    # A step's beginning that runs to the end of the text is a cut; so is half a token.
    expected = (*EVENT.values(), END) if found.expected == "a step" else (found.expected,)
    is_cut = any(token.startswith(rest) for token in expected) or _is_open(found, rest)
    has_ended = rest.startswith(END) and found.expected == "a step"
    # A raise out of the entry point may be the last step that is written.
    if assembler.is_raised_out and start == found.position and not is_cut:
        has_ended = True
    reason = (
        "the end of the text was written"
        if has_ended
        else f"the text ends where {found.expected} was expected"
        if is_cut
        else f"expected {found.expected}, found {rest[:30]!r}"
    )
    return Decoded(
        steps=tuple(assembler.steps),
        written=tuple(assembler.written),
        stop="ended" if has_ended else "cut" if is_cut else "damaged",
        reason=reason,
        position=start,
        after=rest.removeprefix(END) if has_ended else "" if is_cut else text[start:],
        fragment=found.fragment if start < len(text) and not has_ended else None,
    )


def _is_open(found: _NotAStep, rest: str) -> bool:
    """Whether the JSON at the end of the text could still go on."""
    fragment = found.fragment
    if fragment is None or not found.expected.startswith("a JSON"):
        return False
    return FRAME not in rest and ACTION not in rest
