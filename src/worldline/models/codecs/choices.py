"""Codec that also writes the choices of a program, such as random numbers.

The step whose line makes choices shows their values as one more variable, before the line is
executed: `{"total": "0", ".choice": "[3]"}` in CWM's format, `.choice=[3]` in the lean ones.
What follows is then determined by the program.
A step of another thread than the step before shows its number in the same way: `".thread": "2"`.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from worldline.core.trace import SCHEDULING, Event, Program, Step, Trace
from worldline.models.codecs.codec import StepCodec
from worldline.models.codecs.decoded import Decoded
from worldline.models.codecs.replay_state import ReplayState
from worldline.models.codecs.scope_inference import (
    CHOICE,
    MARKS,
    THREAD_MARK,
    UNCHANGED,
    split_thread,
    thread_number,
)
from worldline.models.codecs.segments import RoleSegments, Segments, SpecialToken, join_segments


@dataclass(frozen=True)
class ChoiceCodec:
    """A format with steps that also writes the choices.

    Attributes:
        name: name of the codec.
        codec: the format without choices.
        shows_all: whether a step of the format shows all variables, not only those that changed.
    """

    name: str
    codec: StepCodec
    shows_all: bool
    is_chat = False

    @property
    def special_tokens(self) -> dict[SpecialToken, int]:
        """Special tokens of the format."""
        return self.codec.special_tokens

    @property
    def end_token(self) -> SpecialToken:
        """Special token that ends a trace."""
        return self.codec.end_token

    def no_value(self, program: Program) -> str:
        """Text for the value of a scope that is left by an exception."""
        return self.codec.no_value(program)

    def prompt(self, program: Program) -> Segments:
        """The prompt of the format without choices."""
        return self.codec.prompt(program)

    def encode(self, trace: Trace) -> Segments:
        """Completion that a perfect model would write, which draws the same choices."""
        return join_segments(part for parts in self.encode_steps(trace) for part in parts)

    def encode_steps(self, trace: Trace) -> Iterator[tuple[RoleSegments, ...]]:
        """Encode a trace step by step."""
        return self.codec.encode_steps(with_choices(trace, is_removed=self.shows_all))

    def encode_step(
        self, event: Event, line: int, replay: ReplayState, state: str = ""
    ) -> tuple[RoleSegments, ...]:
        """Encode the next step."""
        return self.codec.encode_step(event, line, replay, state)

    def state_grammar(self, event: Event, *, max_value_chars: int) -> str:
        """Grammar of the state of a step; choices are written as variables are."""
        return self.codec.state_grammar(event, max_value_chars=max_value_chars)

    def decode(self, text: str, program: Program) -> Decoded:
        """Read the steps, and the choices separately."""
        return without_choices(self.codec.decode(text, program))


def with_choices(trace: Trace, *, is_removed: bool) -> Trace:
    """The trace with the values of its choices as a variable of the steps that make them.

    Choices without a step belong to the module, and are not shown. A step that another thread
    executes than the step before has the number of that thread as a variable, or, without
    variables, before its value: ".thread 1: None", ".thread 1:" if an exception leaves the scope.
    The choices between threads and of delays are not written: the numbers show the order.

    Args:
        trace: the trace.
        is_removed: whether the next step of the scope removes the variables.
    """
    by_step: dict[int, list[str]] = defaultdict(list)
    for choice in trace.choices:
        if choice.step is not None and choice.name not in SCHEDULING:
            by_step[choice.step].append(choice.value)
    if not by_step and not trace.has_threads:
        return trace
    shown: dict[int, set[str]] = defaultdict(set)
    steps: list[Step] = []
    thread = 0
    for number, step in enumerate(trace.steps):
        marks = {CHOICE: f"[{', '.join(by_step[number])}]"} if number in by_step else {}
        value = step.value
        if step.thread != thread:
            thread = step.thread
            if step.has_locals:
                marks[THREAD_MARK] = str(thread)
            else:
                value = f"{THREAD_MARK} {thread}:" + ("" if value is None else f" {value}")
        gone = step.gone
        if is_removed and step.has_locals:
            gone = (*gone, *sorted(shown[step.scope] - marks.keys()))
            shown[step.scope].clear()
        shown[step.scope].update(marks)
        changed = {**step.changed, **marks} if marks else step.changed
        steps.append(replace(step, changed=changed, gone=gone, value=value, thread=0))
    return replace(trace, steps=tuple(steps))


def without_choices(decoded: Decoded) -> Decoded:
    """Separate the choices and the threads in decoded steps from the variables."""
    shown = [text.locals for text in decoded.step_texts]
    if not any(CHOICE in each or THREAD_MARK in each for each in shown):
        return decoded
    choices = {
        n: each[CHOICE] for n, each in enumerate(shown) if each.get(CHOICE, UNCHANGED) != UNCHANGED
    }
    steps: list[Step] = []
    names_threads, thread = False, 0
    for step, variables in zip(decoded.steps, shown, strict=True):
        before, value = split_thread(step.value)
        number = thread_number(variables.get(THREAD_MARK)) if before is None else before
        if number is not None:
            names_threads, thread = True, number
        gone = tuple(name for name in step.gone if name not in MARKS)
        changed = _without(step.changed)
        steps.append(replace(step, changed=changed, gone=gone, value=value, thread=thread))
    return replace(
        decoded,
        steps=tuple(steps),
        step_texts=tuple(
            replace(each, locals=_without(each.locals)) for each in decoded.step_texts
        ),
        choices=choices,
        names_threads=names_threads,
    )


def _without(variables: Mapping[str, str]) -> Mapping[str, str]:
    return {name: value for name, value in variables.items() if name not in MARKS}
