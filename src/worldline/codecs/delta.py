"""Formats that write only what has changed: a trace goes in, a model's text comes out, and back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from worldline.codecs.course import Course, course_of
from worldline.codecs.decoded import Decoded
from worldline.codecs.lines import Lines
from worldline.codecs.pieces import Part, Pieces, joined
from worldline.codecs.reading import Reader
from worldline.codecs.sparse import Shows
from worldline.codecs.specials import ACTION, ARG, BEGIN, CONTEXT, END, EVENT, FRAME, TOKEN_IDS
from worldline.codecs.values import Values, spell_name
from worldline.errors import CodecError
from worldline.trace import Event, Program, Step, Trace, changes, states


@dataclass(frozen=True, slots=True)
class DeltaCodec:
    """A format of changes; see docs/formats.md for one example of each, byte for byte.

    A line step is `<|line_sep|>x=5<|action_sep|>7`, a return `<|return_sep|>4<|frame_sep|>`, with
    `<|action_sep|>7` in front where it is not on the line that its scope is on. A scope that is
    not the one to be expected is written behind the line: `7<|frame_sep|>3`.

    `shows`: at which calls and lines the state is written; none for all. Where it is left out, the
    step is `<|line_sep|>7`, and where not, `<|line_sep|><|arg_sep|>x=5<|action_sep|>7`.
    """

    name: str
    lines: Lines
    values: Values
    shows: Shows | None = None

    specials = TOKEN_IDS
    end = END
    # A scope that is left by an exception returns nothing.
    no_value = ""
    is_chat = False

    def prompt(self, program: Program) -> Pieces:
        """What the model is given: the source with its entry point marked."""
        if program.entry is None:
            raise CodecError(
                f"the {self.name} format needs a marked entry point; "
                "give the call to run, as in --call 'f(1)'"
            )
        return (BEGIN, CONTEXT, self.lines.source(program), FRAME)

    def encode(self, trace: Trace) -> Pieces:
        """What a perfect model would write behind the prompt."""
        return joined(part for parts in self.parts(trace) for part in parts)

    def parts(self, trace: Trace) -> Iterator[tuple[Part, ...]]:
        """The same, a step at a time, told apart into action and state; the end comes last."""
        course = course_of(trace)
        for step, now in zip(trace.steps, states(trace.steps), strict=True):
            if self.shows is not None and step.has_locals:
                step = _told(step, now, course)
            expected = course.expected(step.event, step.line, step.changed)
            other = None if expected == step.scope else step.scope
            yield self._step(step.event, step.line, course, self._state(step, course), other)
            is_shown = self._shows(step.event, step.line, course)
            running = course.take(step.event, step.line, scope=step.scope)
            if not step.has_locals:
                course.returned = step.value or ""
            elif is_shown:
                running.state = now
        if trace.ending.is_complete:
            yield (Part("action", (END,)),)

    def _state(self, step: Step, course: Course) -> str:
        """What has changed, a line each, or the value: "x=5\\ny='a'\\nz" where z is gone."""
        running, spell = course.scope(step.scope), self.values.spell
        if not step.has_locals:
            return "" if step.value is None else spell(step.value, None, running, course)
        lines = [
            f"{spell_name(name)}={spell(value, name, running, course)}"
            for name, value in step.changed.items()
        ]
        return "\n".join([*lines, *map(spell_name, step.gone)])

    def outline(self, event: Event, line: int, course: Course, state: str = "") -> tuple[Part, ...]:
        """One step behind others; its state may be left to be written."""
        return self._step(event, line, course, state, None)

    def _step(
        self, event: Event, line: int, course: Course, state: str, scope: int | None
    ) -> tuple[Part, ...]:
        place = self.lines.spell(line, course)
        if scope is not None:
            place = (*place, FRAME, str(scope))
        told = (state,) if state else ()
        if not self._shows(event, line, course):
            return (Part("action", (EVENT[event], *place)),)
        if event in ("call", "line"):
            announced = () if self.shows is None else (ARG,)
            return (
                Part("action", (EVENT[event], *announced)),
                Part("state", (*told, ACTION)),
                Part("action", place),
            )
        # Mostly a scope returns or raises on the line that it is on.
        moved = () if scope is None and line == course.line else (ACTION, *place)
        return Part("action", (*moved, EVENT[event])), Part("state", (*told, FRAME))

    def _shows(self, event: Event, line: int, course: Course) -> bool:
        is_chosen = self.shows is None or event in ("return", "exception")
        return is_chosen or (self.shows is not None and self.shows(event, line, course))

    def state_grammar(self, event: Event, *, longest_value: int) -> str:
        """What a state may look like, in Lark's notation, with values up to a length."""
        value = self.values.grammar(longest_value)
        if event in ("call", "line"):
            return (
                'start: (entry ("\\n" entry)*)?\nentry: NAME ("=" VALUE)?\n'
                f"NAME: /\\.?\\w{{1,40}}/\n{value}"
            )
        return f"start: VALUE\n{value}"

    def decode(self, text: str, program: Program) -> Decoded:
        """Read a model's text up to the first thing that is not a step."""
        hides = self.shows is not None
        return Reader(text, program, self.lines, self.values, hides=hides).decoded()


def _told(step: Step, now: Mapping[str, str], course: Course) -> Step:
    """A step with all that has changed since its scope's state was last shown."""
    before = course.scope(step.scope).state
    gone = tuple(sorted(name for name in before if name not in now))
    return replace(step, changed=changes(before, now), gone=gone)
