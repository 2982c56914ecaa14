"""Codec for the format of Meta's Code World Model."""

import json
from collections.abc import Iterator
from json.decoder import JSONDecodeError

from worldline.core.errors import CodecError
from worldline.core.trace import Event, Program, Trace
from worldline.models.codecs.cwm_tokens import (
    ACTION,
    ARG,
    BEGIN,
    CONTEXT,
    END,
    EVENT,
    FRAME,
    TOKEN_IDS,
)
from worldline.models.codecs.cwm_without_special_tokens import decode_without_special_tokens
from worldline.models.codecs.decoded import (
    Decoded,
    Fragment,
    StepParseError,
    StepText,
    decoded_complete,
    decoded_until_error,
)
from worldline.models.codecs.partial_json import parse_partial_locals, parse_partial_string
from worldline.models.codecs.replay_state import ReplayState, start_replay
from worldline.models.codecs.scope_inference import UNCHANGED, StepAssembler
from worldline.models.codecs.segments import (
    RoleSegments,
    Segments,
    SpecialToken,
    join_segments,
    safe_json,
)

_JSON = json.JSONDecoder()


class CwmCodec:
    """Format of CWM; docs/reference/codecs.md has an example, byte for byte."""

    name = "cwm"
    special_tokens = TOKEN_IDS
    end_token = END
    # A scope that is left by an exception returns nothing.
    is_chat = False

    def prompt(self, program: Program) -> Segments:
        """The source with its entry point marked."""
        if program.entry is None:
            raise CodecError(
                "the cwm format needs a marked entry point; "
                "give the call to run, as in --call 'f(1)'"
            )
        return (BEGIN, CONTEXT, program.text, FRAME)

    def encode(self, trace: Trace) -> Segments:
        """Completion that a perfect model would write."""
        return join_segments(part for parts in self.encode_steps(trace) for part in parts)

    def no_value(self, program: Program) -> str:
        """The value that a function without `return` returns."""
        return safe_json(program.values.NULL)

    def encode_steps(self, trace: Trace) -> Iterator[tuple[RoleSegments, ...]]:
        """Encode a trace step by step, each step split into actions and states."""
        last_scope: int | None = None
        replay, null = start_replay(trace), trace.program.values.NULL
        for step, state in zip(trace.steps, trace.states(), strict=True):
            if step.has_locals:
                shown = state
                # A scope that is entered, resumed or returned to shows all its variables.
                if step.scope == last_scope and step.event == "line":
                    shown = {name: step.changed.get(name, UNCHANGED) for name in state}
                state_text = safe_json(shown)
            else:
                state_text = safe_json(null if step.value is None else step.value)
            yield self.encode_step(step.event, step.line, replay, state_text)
            last_scope = step.scope
        if trace.ending.is_complete:
            yield (RoleSegments("action", (END,)),)

    def encode_step(
        self, event: Event, line: int, replay: ReplayState, state: str = ""
    ) -> tuple[RoleSegments, ...]:
        """Encode the next step; without `state`, a model is to generate it."""
        text = replay.source_line(line)
        if event in ("call", "line"):
            return (
                RoleSegments("action", (EVENT[event],)),
                RoleSegments("state", (state, ACTION)),
                RoleSegments("action", (f"{text}\n", FRAME)),
            )
        return (
            RoleSegments("action", (EVENT[event], ACTION, f"{text}\n", ARG)),
            RoleSegments("state", (state, FRAME)),
        )

    def state_grammar(self, event: Event, *, max_value_chars: int) -> str:
        """Lark grammar of a state: JSON, with a limit on the length of values."""
        escape = r'\\(["\\bfnrt\/]|u[0-9a-fA-F]{4})'
        text = f'STRING: /"([^"\\\\\\x00-\\x1f]|{escape}){{0,{max_value_chars}}}"/'
        if event in ("call", "line"):
            rules = 'start: "{" (pair (", " pair)*)? "}"\npair: NAME ": " STRING'
            return f'{rules}\nNAME: /"[.\\w]{{1,40}}"/\n{text}\n'
        return f"start: STRING\n{text}\n"

    def decode(self, text: str, program: Program) -> Decoded:
        """Read the steps in a text, up to the first thing that is not a step.

        A text that was saved without special tokens is decoded as far as possible without them.
        """
        has_tokens = any(token in text for token in (*EVENT.values(), FRAME, ACTION, ARG))
        if text.strip() and not has_tokens and not text.lstrip().startswith("<"):
            return decode_without_special_tokens(text, program)
        assembler = StepAssembler(program)
        # A model may repeat the prompt, or begin with a sentence.
        position = max(0, text.find(EVENT["call"]))
        while not assembler.is_finished or (
            # Other threads continue.
            assembler.names_threads and text.startswith(tuple(EVENT.values()), position)
        ):
            try:
                position = _read_step(text, position, assembler)
            except StepParseError as error:
                error.is_truncated = _is_truncated(error, text[error.position :])
                return decoded_until_error(
                    error,
                    text,
                    position,
                    assembler.steps,
                    assembler.step_texts,
                    has_uncaught_exception=assembler.has_uncaught_exception,
                )
        return decoded_complete(text, position, assembler.steps, assembler.step_texts)


def _read_step(text: str, start: int, assembler: StepAssembler) -> int:
    """Read one step into the assembler and return the position of the next."""
    event = next((e for e, token in EVENT.items() if text.startswith(token, start)), None)
    if event is None:
        raise StepParseError("a step", start)
    position = start + len(EVENT[event])
    if event in ("call", "line"):
        shown, position = _read_locals(text, position, event)
        line, position = _read_line(text, position, Fragment(event, shown))
        end = _expect(
            text, position, FRAME, Fragment(event, shown, line=line, is_line_complete=True)
        )
        assembler.add_locals(event, StepText(line, shown, start, end))
        return end
    if not assembler.state and not assembler.steps:
        raise StepParseError("a call", start)
    line, position = _read_line(text, position, Fragment(event))
    known = Fragment(event, line=line, is_line_complete=True)
    position = _expect(text, position, ARG, known)
    try:
        value, position = _JSON.raw_decode(text, position)
    except (JSONDecodeError, RecursionError):
        open_value = parse_partial_string(text[position:])
        fragment = Fragment(event, {}, None, open_value, line, True)
        raise StepParseError("a JSON string", position, fragment) from None
    if not isinstance(value, str):
        raise StepParseError("a JSON string", position, known)
    end = _expect(text, position, FRAME, Fragment(event, {}, None, value, line, True))
    assembler.add_value(event, StepText(line, {}, start, end), value)
    return end


def _read_locals(text: str, position: int, event: Event) -> tuple[dict[str, str], int]:
    try:
        shown, end = _JSON.raw_decode(text, position)
    except (JSONDecodeError, RecursionError):
        raise StepParseError(
            "a JSON object", position, parse_partial_locals(text[position:], event)
        ) from None
    if not isinstance(shown, dict) or not all(isinstance(v, str) for v in shown.values()):
        raise StepParseError("a JSON object of strings", position)
    return shown, end


def _read_line(text: str, position: int, known: Fragment) -> tuple[str, int]:
    """Read the source line after `<|action_sep|>`, without its newline."""
    position = _expect(text, position, ACTION, known)
    end = text.find("\n", position)
    if end < 0:
        fragment = Fragment(known.event, known.locals, line=text[position:])
        raise StepParseError("a newline", len(text), fragment)
    return text[position:end], end + 1


def _expect(text: str, position: int, token: SpecialToken, known: Fragment) -> int:
    if not text.startswith(token, position):
        raise StepParseError(token, position, known)
    return position + len(token)


def _is_truncated(error: StepParseError, rest: str) -> bool:
    """Whether the text ends inside a step or a special token."""
    expected = (*EVENT.values(), END) if error.expected == "a step" else (error.expected,)
    return any(token.startswith(rest) for token in expected) or _is_open_json(error, rest)


def _is_open_json(error: StepParseError, rest: str) -> bool:
    """Whether the text ends inside JSON."""
    if error.fragment is None or not error.expected.startswith("a JSON"):
        return False
    return FRAME not in rest and ACTION not in rest
