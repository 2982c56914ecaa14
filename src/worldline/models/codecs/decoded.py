"""Result of decoding a model's text: the steps in it, and why decoding stopped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from worldline.core.trace import Event, Step
from worldline.core.util.text import pluralize, truncate_text
from worldline.models.codecs.cwm_tokens import END

Stop = Literal[
    "complete",  # the trace ended
    "truncated",  # the text ended before the trace
    "malformed",  # the text continues with something that is not a step
]


@dataclass(frozen=True, slots=True)
class StepText:
    """One step as the model wrote it.

    Attributes:
        line: text of the source line.
        locals: variables that are shown; an unchanged value is `..`.
        start: position of the step in the text.
        end: position after the step.
        number: line number, if the format distinguishes lines with the same text.
        shows_state: false if the format omits the state of this step.
        shows_all: false if variables that are not in `locals` are unknown instead of unbound.
        note: what the model wrote as the result of a condition or a loop: "True", "False" or
            "done"; None if the format has no place for it, or nothing was written there.
    """

    line: str
    locals: Mapping[str, str]
    start: int
    end: int
    number: int | None = None
    shows_state: bool = True
    shows_all: bool = True
    note: str | None = None

    def __repr__(self) -> str:
        span = f"{self.start}:{self.end}"
        return f"StepText('{truncate_text(self.line, 60)}', {len(self.locals)} locals, {span})"


@dataclass(frozen=True, slots=True)
class Fragment:
    """The beginning of a step inside which the text ends.

    Attributes:
        event: event of the step, if known.
        locals: variables whose values are complete.
        open_name: variable whose value is incomplete.
        open_value: the certain beginning of the incomplete value.
        line: text of the source line, possibly incomplete.
        is_line_complete: whether the source line is complete.
    """

    event: Event | None = None
    locals: Mapping[str, str] = field(default_factory=dict)
    open_name: str | None = None
    open_value: str | None = None
    line: str | None = None
    is_line_complete: bool = False

    def __repr__(self) -> str:
        line = "no line" if self.line is None else f"'{truncate_text(self.line, 60)}'"
        return f"Fragment({self.event}, {len(self.locals)} locals, {line})"


@dataclass(frozen=True, slots=True)
class Decoded:
    """The steps in a model's text, and where and why decoding stopped.

    Attributes:
        steps: the steps that could be decoded.
        step_texts: the same steps as the model wrote them.
        stop: whether the trace is complete, truncated or malformed.
        reason: why decoding stopped, in words.
        position: where in the text decoding stopped.
        after: text after the trace, or from the first thing that is not a step.
        fragment: the step inside which the text ends.
        knows_events: false if the text does not distinguish calls from lines.
        omits_expression_frames: true if the format does not ask for the steps inside lambdas,
            comprehensions and generator expressions.
        shows_steps: false if the format only asks for the result, or the text only answers it.
        skipped: spans of the text, before its end, that could not be read.
        answer: the result that the text states, if the format has a place for it in the trace.
        names_threads: whether the text says which thread executes each step (`Step.thread`).
        choices: for a step, the values of the choices that the text states, as a list literal.
    """

    steps: tuple[Step, ...]
    step_texts: tuple[StepText, ...]
    stop: Stop
    reason: str
    position: int
    after: str
    fragment: Fragment | None = None
    knows_events: bool = True
    omits_expression_frames: bool = False
    shows_steps: bool = True
    skipped: tuple[tuple[int, int], ...] = ()
    answer: str | None = None
    choices: Mapping[int, str] = field(default_factory=dict)
    names_threads: bool = False

    def __repr__(self) -> str:
        steps = pluralize(len(self.steps), "step")
        return f"Decoded({steps}, {self.stop}: {truncate_text(self.reason, 80)})"


class StepParseError(Exception):
    """Text that is not the step, or the part of a step, that the format requires.

    Raised and caught inside the codecs. `is_truncated`: the text ends here, and could have
    continued as a step.
    """

    def __init__(
        self,
        expected: str,
        position: int,
        fragment: Fragment | None = None,
        *,
        is_truncated: bool = False,
    ) -> None:
        super().__init__(expected)
        self.expected = expected
        self.position = position
        self.fragment = fragment
        self.is_truncated = is_truncated


def decoded_complete(
    text: str, position: int, steps: Sequence[Step], step_texts: Sequence[StepText]
) -> Decoded:
    """Result for a trace that ends, at a position, with the return of its entry point."""
    return Decoded(
        steps=tuple(steps),
        step_texts=tuple(step_texts),
        stop="complete",
        reason="the scope of the entry point was left",
        position=position,
        after=text[position:].removeprefix(END),
    )


def decoded_until_error(
    error: StepParseError,
    text: str,
    start: int,
    steps: Sequence[Step],
    step_texts: Sequence[StepText],
    *,
    has_uncaught_exception: bool = False,
) -> Decoded:
    """Result for a text that is truncated or malformed after some steps.

    Args:
        error: what was expected, and where.
        text: the model's whole output.
        start: position of the step that could not be decoded.
        steps: the steps before it.
        step_texts: the same steps as the model wrote them.
        has_uncaught_exception: an exception left the entry point, so that the trace may end here.
    """
    rest = text[error.position :]
    has_ended = error.expected == "a step" and rest.startswith(END)
    if has_uncaught_exception and start == error.position and not error.is_truncated:
        has_ended = True
    stop: Stop = "complete" if has_ended else "truncated" if error.is_truncated else "malformed"
    reasons: dict[Stop, str] = {
        "complete": "the end of the text was written",
        "truncated": f"the text ends where {error.expected} was expected",
        "malformed": f"expected {error.expected}, found {rest[:30]!r}",
    }
    after: dict[Stop, str] = {
        "complete": rest.removeprefix(END),
        "truncated": "",
        "malformed": text[start:],
    }
    return Decoded(
        steps=tuple(steps),
        step_texts=tuple(step_texts),
        stop=stop,
        reason=reasons[stop],
        position=start,
        after=after[stop],
        fragment=error.fragment if start < len(text) and not has_ended else None,
    )


@dataclass(frozen=True, slots=True)
class TextAfterTrace:
    """The text that follows the trace in a model's output.

    Attributes:
        explanation: text before the answer.
        answer: the value between [ANSWER] and [/ANSWER].
        is_repeating: whether the model states the program again.
    """

    explanation: str
    answer: str | None
    is_repeating: bool

    def __repr__(self) -> str:
        answer = "no answer" if self.answer is None else f"answer {truncate_text(self.answer, 50)}"
        return f"TextAfterTrace({answer}, {len(self.explanation)} characters of explanation)"
