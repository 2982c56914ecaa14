"""CWM's format with its special tokens lost, as texts saved without them have it.

A call or line step reads `{json}source line\\n`, a return or exception step reads
`source line\\n"json string"`, with nothing before the next step. A call cannot be told from a
line by its text; it is guessed from what the step shows.
"""

import json
import re
from json.decoder import JSONDecodeError

from worldline.codecs.assemble import UNCHANGED, Assembler
from worldline.codecs.decoded import Decoded, Fragment, Stop, Written
from worldline.codecs.fragment import open_locals, open_string
from worldline.trace import Event, Program

_JSON = json.JSONDecoder()
# The one token that some tools keep.
_END = "<|end_of_text|>"
_EXCEPTION = re.compile(r"\(<class '[^']*'>, .*, (?:<traceback object>|None)\)\Z", re.DOTALL)


def decode_stripped(text: str, program: Program) -> Decoded:
    """Read a text whose special tokens were lost, up to the first thing that is not a step."""
    assembler = Assembler(program)
    position = len(text) - len(text.lstrip("\n"))
    stop: Stop = "ended"
    reason = "the scope of the entry point was left"
    fragment = None
    while not assembler.is_over:
        end, fragment = _read_step(text, position, assembler)
        if end is None:
            stop, reason = _why(text, position, fragment, assembler)
            break
        position = end
    return Decoded(
        steps=tuple(assembler.steps),
        written=tuple(assembler.written),
        stop=stop,
        reason=reason,
        position=position,
        after="" if stop == "cut" else text[position:],
        fragment=fragment if stop == "cut" else None,
        knows_events=False,
    )


def _read_step(text: str, start: int, assembler: Assembler) -> tuple[int | None, Fragment | None]:
    """Read one step: where it ends, or none and what could be read of it."""
    shown: dict[str, str] | None = None
    position = start
    if text.startswith("{", start):
        try:
            found, position = _JSON.raw_decode(text, start)
        except (JSONDecodeError, RecursionError):
            return None, open_locals(text[start:], None)
        if not isinstance(found, dict) or not all(isinstance(v, str) for v in found.values()):
            return None, None
        shown = found
    newline = text.find("\n", position)
    line = text[position : newline if newline >= 0 else len(text)]
    if newline < 0:
        is_line = assembler.steps and assembler.is_start_of_line(line)
        is_step = shown is not None or is_line
        return None, Fragment(None, shown or {}, line=line) if is_step else None
    if shown is not None:
        event: Event = "call" if _is_call(line, shown, assembler) else "line"
        assembler.add_locals(event, Written(line, shown, start, newline + 1))
        return newline + 1, None
    if not assembler.steps or not line:
        return None, None
    if newline + 1 == len(text):
        return None, Fragment(None, line=line, is_line_whole=True)
    try:
        value, end = _JSON.raw_decode(text, newline + 1)
    except (JSONDecodeError, RecursionError):
        opened = open_string(text[newline + 1 :])
        if opened is None:
            return None, None
        return None, Fragment(None, {}, None, opened, line, True)
    if not isinstance(value, str):
        return None, None
    assembler.add_value(
        "exception" if _EXCEPTION.match(value) else "return", Written(line, {}, start, end), value
    )
    return end, None


def _is_call(line: str, shown: dict[str, str], assembler: Assembler) -> bool:
    """Guess whether a scope is entered here."""
    if not assembler.steps:
        return True
    state = assembler.state
    is_def = line.lstrip().startswith(("def ", "async def "))
    if UNCHANGED in shown.values():
        # A scope that goes on; or a generator resumed, whose names are not those of this scope.
        return not state.keys() <= shown.keys()
    if is_def or (".0" in shown and ".0" not in state):
        return True
    if assembler.steps[-1].event == "return":
        # A scope that is returned to shows all that it has.
        return bool(shown) and not (state and state.keys() <= shown.keys())
    # In a scope that goes on, a value that stays is written as `..`, not in full.
    if any(name in state and value == state[name] for name, value in shown.items()):
        return True
    return bool(shown) and not (state and state.keys() <= shown.keys())


def _why(
    text: str, position: int, fragment: Fragment | None, assembler: Assembler
) -> tuple[Stop, str]:
    if position >= len(text):
        return "cut", "the text ends between two steps"
    if text.startswith(_END, position):
        return "ended", "the end of the text was written"
    if assembler.is_raised_out:
        return "ended", "an exception left the entry point"
    if fragment is not None:
        return "cut", "the text ends within a step"
    return "damaged", f"expected a step, found {text[position : position + 30]!r}"
