"""Codecs for chat models that were never trained on a trace format: rows of executed lines."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Protocol

from worldline.core.errors import CodecError
from worldline.core.trace import Program, Trace
from worldline.models.codecs.answer_row import ANSWER_PREFIX, write_answer
from worldline.models.codecs.codec import Codec
from worldline.models.codecs.decoded import Decoded
from worldline.models.codecs.effect_notation import EffectNotation
from worldline.models.codecs.example_traces import check_shots, example_traces
from worldline.models.codecs.exception_text import shorten_raised
from worldline.models.codecs.hidden_entry import find_hidden_entry
from worldline.models.codecs.prompt_language import prompt_text
from worldline.models.codecs.row_decoder import decode_reply
from worldline.models.codecs.row_encoder import answer_item, effect_rows, state_rows
from worldline.models.codecs.row_notation import RowNotation, source_line
from worldline.models.codecs.rows import Row
from worldline.models.codecs.segments import Segments, SpecialToken


class RowText(NamedTuple):
    """Text of one row, in two parts.

    Attributes:
        action: says which line is executed: `L5: best = w =>`. A forced mode writes it.
        state: says the effect, with the newline that ends it: ` best = 'to'\\n`. A model writes it.
    """

    action: str
    state: str


class RowCodec(Codec, Protocol):
    """Codec whose text consists of rows in plain text.

    As `StepCodec`, but without special tokens: some rows, or the actions of all rows, can be
    forced while the model generates the rest. A newline ends each state.
    """

    @property
    def answer_prefix(self) -> str:
        """Action of the last row, which has the answer as its state."""
        ...

    def encode_rows(self, trace: Trace) -> Iterator[RowText]:
        """Encode a trace row by row; the answer is the last row."""
        ...


@dataclass(frozen=True)
class ChatTraceCodec:
    """Conversation of instructions, worked examples, and the program with numbered lines.

    The model's reply has one row per executed line, or per step, and the answer.

    Attributes:
        name: name of the codec.
        notation: text of the rows.
        shots: number of worked examples.
    """

    name: str
    notation: RowNotation
    shots: int = 1

    special_tokens: ClassVar[dict[SpecialToken, int]] = {}
    end_token = None
    is_chat = True
    answer_prefix = ANSWER_PREFIX

    @property
    def has_effects(self) -> bool:
        """Whether a row has the effect of its line as text, which the mode `guided` needs."""
        return isinstance(self.notation, EffectNotation)

    def __post_init__(self) -> None:
        check_shots(self.shots)

    def with_shots(self, shots: int) -> "ChatTraceCodec":
        """The same codec with another number of worked examples."""
        base = self.name.removesuffix(f"-{self.shots}")
        return replace(self, name=f"{base}-{shots}", shots=shots)

    def prompt(self, program: Program) -> Segments:
        """Messages of the user and the assistant in turn, the question last."""
        if program.split_entry() is None:
            raise CodecError(
                f"the {self.name} format needs a call to ask about; give --call 'f(1)'"
            )
        messages = []
        for trace in example_traces(self.shots, program.language):
            messages += [_question(trace.program), "".join(self.encode(trace)).rstrip("\n")]
        first, *rest = [*messages, _question(program)]
        instructions = prompt_text(self.notation.instructions, program.language)
        return (f"{instructions}\n\n{first}", *rest)

    def encode(self, trace: Trace) -> Segments:
        """Reply that a perfect model would write."""
        text = "".join(f"{row.action}{row.state}" for row in self.encode_rows(trace))
        return (text,) if text else ()

    def encode_rows(self, trace: Trace) -> Iterator[RowText]:
        """Encode a trace row by row; the answer is the last row.

        Raises:
            CodecError: the trace has several threads, or a value that cannot be written.
        """
        if trace.program.split_entry() is None:
            raise CodecError(f"the {self.name} format needs a call; give --call 'f(1)'")
        rows = state_rows(trace) if self.notation.writes_steps else effect_rows(trace)
        for row in rows:
            yield self._row_text(row, trace.program)
        answer = answer_item(trace)
        if answer is not None:
            (item,) = shorten_raised([answer], trace.program)
            yield RowText(ANSWER_PREFIX, f"{write_answer(item)}\n")

    def action(self, line: int, program: Program) -> str:
        """Action of a row on a line: "L5: best = w =>"."""
        return self.notation.write(Row(line), source_line(program.lines, line))[0]

    def parse_row(self, text: str, program: Program) -> Row | None:
        """Read one row; None if the text is not a row."""
        parsed = self.notation.parse(text.rstrip("\n"), program.lines)
        return parsed.row if parsed is not None else None

    def _row_text(self, row: Row, program: Program) -> RowText:
        row = replace(row, items=shorten_raised(row.items, program))
        source = source_line(program.lines, row.line)
        for quotes_all in (False, True):
            action, state = self.notation.write(row, source, quotes_all=quotes_all)
            parsed = self.notation.parse(f"{action}{state}", program.lines)
            if parsed is not None and parsed.row == row:
                return RowText(action, f"{state}\n")
        raise CodecError(
            f"line {row.line} of the trace cannot be written in the {self.name} format: "
            f"{action[:60]!r}; use another codec for this program"
        )

    def decode(self, text: str, program: Program) -> Decoded:
        """Read the rows in a reply; the last line counts only if a newline ends it."""
        return decode_reply(text, program, self.notation)


def _question(program: Program) -> str:
    """The program with numbered lines, without its entry point, and the call."""
    entry = find_hidden_entry(program)
    hidden = entry.lines if entry is not None else range(0)
    _, call = program.split_entry() or ("", "")
    lines = [
        f"L{number}: {line}".rstrip()
        for number, line in enumerate(program.lines, 1)
        if number not in hidden
    ]
    while lines and lines[-1] == f"L{len(lines)}:":
        del lines[-1]
    return "\n".join([*lines, "", f"Call: {call.strip()}"])
