"""Codecs that write only the variables that changed."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from worldline.core.errors import CodecError
from worldline.core.trace import Event, Program, Step, Trace, changed_locals, parse_source, states
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
from worldline.models.codecs.decoded import Decoded
from worldline.models.codecs.delta_decoder import DeltaDecoder
from worldline.models.codecs.line_notation import LineNotation
from worldline.models.codecs.replay_state import ReplayState, start_replay
from worldline.models.codecs.segments import RoleSegments, Segments, join_segments
from worldline.models.codecs.value_notation import ValueNotation, write_name

# Whether a sparse format writes the state at this step.
StateFilter = Callable[[Event, int, ReplayState], bool]
_BRANCHES = (ast.If, ast.While, ast.For, ast.AsyncFor, ast.Match)


@dataclass(frozen=True, slots=True)
class DeltaCodec:
    """Format that writes only changes; docs/reference/codecs.md has an example of each variant.

    A line step is `<|line_sep|>x=5<|action_sep|>7` and a return `<|return_sep|>4<|frame_sep|>`,
    preceded by `<|action_sep|>7` if it is not on the line of its scope's last step. A scope that
    is not the expected one is written after the line: `7<|frame_sep|>3`.

    With a `state_filter`, a step without its state is `<|line_sep|>7`, and one with its state
    `<|line_sep|><|arg_sep|>x=5<|action_sep|>7`.

    Attributes:
        name: name of the codec.
        lines: notation of source lines.
        values: notation of values.
        state_filter: calls and lines at which the state is written; None for all.
    """

    name: str
    lines: LineNotation
    values: ValueNotation
    state_filter: StateFilter | None = None

    special_tokens = TOKEN_IDS
    end_token = END
    is_chat = False

    def no_value(self, program: Program) -> str:
        """Nothing: a scope that is left by an exception returns no value."""
        return ""

    def prompt(self, program: Program) -> Segments:
        """The source with its entry point marked."""
        if program.entry is None:
            raise CodecError(
                f"the {self.name} format needs a marked entry point; "
                "give the call to run, as in --call 'f(1)'"
            )
        return (BEGIN, CONTEXT, self.lines.source(program), FRAME)

    def encode(self, trace: Trace) -> Segments:
        """Completion that a perfect model would write."""
        return join_segments(part for parts in self.encode_steps(trace) for part in parts)

    def encode_steps(self, trace: Trace) -> Iterator[tuple[RoleSegments, ...]]:
        """Encode a trace step by step, each step split into actions and states."""
        replay = start_replay(trace)
        for step, state in zip(trace.steps, states(trace.steps), strict=True):
            if self.state_filter is not None and step.has_locals:
                step = _with_changes_since_shown(step, state, replay)
            expected = replay.expected_scope(step.event, step.line, step.changed)
            scope = None if expected == step.scope else step.scope
            yield self._step(step.event, step.line, replay, self._state(step, replay), scope)
            is_shown = self._shows_state(step.event, step.line, replay)
            activation = replay.advance(step.event, step.line, scope=step.scope)
            if not step.has_locals:
                replay.last_value = step.value or ""
            elif is_shown:
                activation.state = state
        if trace.ending.is_complete:
            yield (RoleSegments("action", (END,)),)

    def _state(self, step: Step, replay: ReplayState) -> str:
        """Text of a step's state: "x=5\\ny='a'\\nz", if z was deleted; or the step's value."""
        activation, write = replay.activation(step.scope), self.values.write
        if not step.has_locals:
            return "" if step.value is None else write(step.value, None, activation, replay)
        lines = [
            f"{write_name(name)}={write(value, name, activation, replay)}"
            for name, value in step.changed.items()
        ]
        return "\n".join([*lines, *map(write_name, step.gone)])

    def encode_step(
        self, event: Event, line: int, replay: ReplayState, state: str = ""
    ) -> tuple[RoleSegments, ...]:
        """Encode the next step; without `state`, a model is to generate it."""
        return self._step(event, line, replay, state, None)

    def _step(
        self, event: Event, line: int, replay: ReplayState, state: str, scope: int | None
    ) -> tuple[RoleSegments, ...]:
        position = self.lines.write(line, replay)
        if scope is not None:
            position = (*position, FRAME, str(scope))
        state_text = (state,) if state else ()
        if not self._shows_state(event, line, replay):
            return (RoleSegments("action", (EVENT[event], *position)),)
        if event in ("call", "line"):
            state_mark = () if self.state_filter is None else (ARG,)
            return (
                RoleSegments("action", (EVENT[event], *state_mark)),
                RoleSegments("state", (*state_text, ACTION)),
                RoleSegments("action", position),
            )
        # Usually a scope returns or raises on the line of its last step.
        is_same_line = scope is None and line == replay.line
        moved = () if is_same_line else (ACTION, *position)
        return RoleSegments("action", (*moved, EVENT[event])), RoleSegments(
            "state", (*state_text, FRAME)
        )

    def _shows_state(self, event: Event, line: int, replay: ReplayState) -> bool:
        if self.state_filter is None or event in ("return", "exception"):
            return True
        return self.state_filter(event, line, replay)

    def state_grammar(self, event: Event, *, max_value_chars: int) -> str:
        """Lark grammar of a state, with a limit on the length of values."""
        value = self.values.grammar(max_value_chars)
        if event in ("call", "line"):
            return (
                'start: (entry ("\\n" entry)*)?\nentry: NAME ("=" VALUE)?\n'
                f"NAME: /\\.?\\w{{1,40}}/\n{value}"
            )
        return f"start: VALUE\n{value}"

    def decode(self, text: str, program: Program) -> Decoded:
        """Read the steps in a text, up to the first thing that is not a step."""
        is_sparse = self.state_filter is not None
        return DeltaDecoder(text, program, self.lines, self.values, is_sparse=is_sparse).decode()


def at_branches(event: Event, line: int, replay: ReplayState) -> bool:
    """State filter: calls, and lines that branch."""
    program = replay.program
    if not program.is_python:
        raise CodecError(
            f"the sparse format needs Python: no branching lines are known for {program.language}; "
            "use another codec"
        )
    return event == "call" or line in _branch_lines(program.text)


def every_n_steps(n: int) -> StateFilter:
    """State filter: calls, and every n-th step, beginning with the first."""

    def shows_state(event: Event, line: int, replay: ReplayState) -> bool:
        return event == "call" or replay.step_count % n == 0

    return shows_state


@lru_cache(maxsize=64)
def _branch_lines(text: str) -> frozenset[int]:
    """First lines of all branching statements; empty if the text does not parse.

    "if x:\\n    y = 1\\n" -> {1}
    """
    tree = parse_source(text)
    nodes = ast.walk(tree) if tree is not None else ()
    return frozenset(node.lineno for node in nodes if isinstance(node, _BRANCHES))


def _with_changes_since_shown(step: Step, state: Mapping[str, str], replay: ReplayState) -> Step:
    """A step with all changes since the state of its scope was last shown."""
    before = replay.activation(step.scope).state
    gone = tuple(sorted(name for name in before if name not in state))
    return replace(step, changed=changed_locals(before, state), gone=gone)
