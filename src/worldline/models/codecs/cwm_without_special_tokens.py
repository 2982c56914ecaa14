"""Decoder of CWM's format in texts that were saved without special tokens.

A call or line step is `{json}source line\\n`, a return or exception step is
`source line\\n"json string"`, and nothing separates the steps. Calls and lines look the same; the
variables that a step shows decide which one it is.
"""

import json
import re
from json.decoder import JSONDecodeError

from worldline.core.trace import Event, Program
from worldline.models.codecs.cwm_tokens import END
from worldline.models.codecs.decoded import Decoded, Fragment, StepText, Stop
from worldline.models.codecs.partial_json import parse_partial_locals, parse_partial_string
from worldline.models.codecs.scope_inference import UNCHANGED, StepAssembler

_JSON = json.JSONDecoder()
_EXCEPTION = re.compile(r"\(<class '[^']*'>, .*, (?:<traceback object>|None)\)\Z", re.DOTALL)


def decode_without_special_tokens(text: str, program: Program) -> Decoded:
    """Read the steps in a text without special tokens, up to the first thing that is not a step."""
    assembler = StepAssembler(program)
    position = len(text) - len(text.lstrip("\n"))
    stop: Stop = "complete"
    reason = "the scope of the entry point was left"
    fragment = None
    while not assembler.is_finished:
        end, fragment = _read_step(text, position, assembler)
        if end is None:
            stop, reason = _stop_reason(text, position, fragment, assembler)
            break
        position = end
    return Decoded(
        steps=tuple(assembler.steps),
        step_texts=tuple(assembler.step_texts),
        stop=stop,
        reason=reason,
        position=position,
        after="" if stop == "truncated" else text[position:],
        fragment=fragment if stop == "truncated" else None,
        knows_events=False,
    )


def _read_step(
    text: str, start: int, assembler: StepAssembler
) -> tuple[int | None, Fragment | None]:
    """Read one step: its end, or None and the part of it that could be read."""
    shown: dict[str, str] | None = None
    position = start
    if text.startswith("{", start):
        try:
            values, position = _JSON.raw_decode(text, start)
        except (JSONDecodeError, RecursionError):
            return None, parse_partial_locals(text[start:], None)
        if not isinstance(values, dict) or not all(isinstance(v, str) for v in values.values()):
            return None, None
        shown = values
    newline = text.find("\n", position)
    line = text[position : newline if newline >= 0 else len(text)]
    if newline < 0:
        is_line = assembler.steps and assembler.is_start_of_line(line)
        is_step = shown is not None or is_line
        return None, Fragment(None, shown or {}, line=line) if is_step else None
    if shown is not None:
        event: Event = "call" if _is_call(line, shown, assembler) else "line"
        assembler.add_locals(event, StepText(line, shown, start, newline + 1))
        return newline + 1, None
    if not assembler.steps or not line:
        return None, None
    if newline + 1 == len(text):
        return None, Fragment(None, line=line, is_line_complete=True)
    try:
        value, end = _JSON.raw_decode(text, newline + 1)
    except (JSONDecodeError, RecursionError):
        open_value = parse_partial_string(text[newline + 1 :])
        if open_value is None:
            return None, None
        return None, Fragment(None, {}, None, open_value, line, True)
    if not isinstance(value, str):
        return None, None
    assembler.add_value(
        "exception" if _EXCEPTION.match(value) else "return", StepText(line, {}, start, end), value
    )
    return end, None


def _is_call(line: str, shown: dict[str, str], assembler: StepAssembler) -> bool:
    """Whether the step enters or resumes a scope, judged by the variables it shows."""
    if not assembler.steps:
        return True
    state = assembler.state
    is_def = line.lstrip().startswith(("def ", "async def "))
    if UNCHANGED in shown.values():
        # The same scope, or a resumed generator, which lacks some names of this scope.
        return not state.keys() <= shown.keys()
    if is_def or (".0" in shown and ".0" not in state):
        return True
    if assembler.steps[-1].event == "return":
        # A scope that is returned to shows all its variables.
        return bool(shown) and not (state and state.keys() <= shown.keys())
    # Within a scope, an unchanged value is written as `..`, not in full.
    if any(name in state and value == state[name] for name, value in shown.items()):
        return True
    return bool(shown) and not (state and state.keys() <= shown.keys())


def _stop_reason(
    text: str, position: int, fragment: Fragment | None, assembler: StepAssembler
) -> tuple[Stop, str]:
    if position >= len(text):
        return "truncated", "the text ends between two steps"
    # Some tools keep this token only.
    if text.startswith(END, position):
        return "complete", "the end of the text was written"
    if assembler.has_uncaught_exception:
        return "complete", "an exception left the entry point"
    if fragment is not None:
        return "truncated", "the text ends within a step"
    return "malformed", f"expected a step, found {text[position : position + 30]!r}"
