"""A trace: the steps of one real execution, how it ended, and under which limits."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

from worldline.errors import InputError
from worldline.trace.program import Program
from worldline.trace.shown import MOST_STEPS, step_mark, step_text, table_html, text_html
from worldline.trace.step import EVENTS, NOTHING, Step, states

FORMAT = 1
# How a note begins that says what a program was not held by: nothing is missing in such a trace.
REDUCED_NOTE = "reduced sandbox: without"

EndReason = Literal[
    "finished",  # the call returned
    "raised",  # an exception left it
    "exited",  # the program asked to exit
    "not_loaded",  # the source does not compile, or failed before the call
    "step_limit",
    "time_limit",
    "memory_limit",
    "trace_limit",  # the trace grew too large
    "output_limit",  # the program printed too much
    "killed",  # the process died: a signal, os._exit
    "forbidden_call",  # it asked the kernel for what only an attack needs
    "tampered",  # the recording is not what the recorder wrote
]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a recording may use. A value that is too long is cut and says so; any other limit
    ends the recording with a reason of its own."""

    steps: int = 100_000
    seconds: float = 10.0
    memory_mb: int = 1024
    value_chars: int = 10_000
    trace_mb: int = 64
    output_mb: int = 4
    # Of a processor; unlike `seconds`, the same on a busy machine.
    cpu_seconds: int | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """Why the recording stopped, and what more is known about it."""

    reason: EndReason
    detail: str = ""

    @property
    def is_complete(self) -> bool:
        """Whether the program ran to its own end, so that the trace holds all of it."""
        return self.reason in ("finished", "raised", "exited")


@dataclass(frozen=True, slots=True)
class Scope:
    """One activation of a function: its name, the line of its `def`, its variables in the
    order Python shows them, and how many of them are parameters."""

    function: str
    line: int
    variables: tuple[str, ...]
    parameters: int


@dataclass(frozen=True, slots=True)
class Origin:
    """What a trace was made with; enough to make it again."""

    recorder: str
    python: str
    worldline: str
    hash_seed: int = 0

    @property
    def has_comprehension_frames(self) -> bool:
        """Up to Python 3.11 a comprehension is a call of its own; from 3.12 it is inlined."""
        return python_version(self.python) < (3, 12)


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of one real execution."""

    program: Program
    steps: tuple[Step, ...]
    scopes: tuple[Scope, ...]
    ending: Ending
    limits: Limits
    origin: Origin
    stdout: str = ""
    notes: tuple[str, ...] = ()

    @property
    def result(self) -> str | None:
        """What the entry point returned, as text; none if it did not."""
        is_known = self.ending.reason == "finished" and self.is_whole
        return self._last.value if is_known and self._last else None

    @property
    def has_threads(self) -> bool:
        """Whether steps of other threads than the main one are among its steps."""
        return any(step.thread for step in self.steps)

    @property
    def gaps(self) -> tuple[str, ...]:
        """The notes that say that something was not recorded."""
        return tuple(note for note in self.notes if not note.startswith(REDUCED_NOTE))

    @property
    def _last(self) -> Step | None:
        """The main thread's last step; others may go on for a while."""
        return next((step for step in reversed(self.steps) if step.thread == 0), None)

    def states(self) -> Iterator[dict[str, str]]:
        """The full state of every step, in the order in which Python shows the variables."""
        ranks = [{name: i for i, name in enumerate(scope.variables)} for scope in self.scopes]
        for step, state in zip(self.steps, states(self.steps), strict=True):
            rank = ranks[step.scope]
            yield dict(sorted(state.items(), key=lambda item: rank.get(item[0], len(rank))))

    def source_line(self, step: Step) -> str:
        """The source line that a step is about."""
        return self.program.line(step.line)

    def _repr_html_(self) -> str:
        """A row a step, in a notebook."""
        shown = self.steps[:MOST_STEPS]
        rows = [
            (str(number), f"{step_mark(step)} {self.source_line(step)}", step_text(step))
            for number, step in enumerate(shown)
        ]
        more = len(self.steps) - len(shown)
        ending = f"{self.ending.reason.replace('_', ' ')}  {self.result or self.ending.detail}"
        left = f"<p>… {more:,} more steps</p>" if more else ""
        return f"{table_html(('step', 'line', ''), rows)}{left}<p>{text_html(ending.rstrip())}</p>"

    @property
    def is_whole(self) -> bool:
        """Whether the program ran to its own end and every step of it is here.

        A program that switches tracing off ends, but its last steps are missing.
        """
        if not self.ending.is_complete or self._last is None:
            return False
        return self._last.event == "return" and self._last.scope == 0


def python_version(text: str) -> tuple[int, int]:
    """ "3.11.7" -> (3, 11)"""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """A trace as plain JSON data; `trace_from_json` reads it back unchanged."""
    return {
        "format": FORMAT,
        "program": asdict(trace.program),
        "steps": [step_to_json(step) for step in trace.steps],
        "scopes": [
            [scope.function, scope.line, list(scope.variables), scope.parameters]
            for scope in trace.scopes
        ],
        "ending": asdict(trace.ending),
        "limits": asdict(trace.limits),
        "origin": asdict(trace.origin),
        "stdout": trace.stdout,
        "notes": list(trace.notes),
    }


def step_to_json(step: Step) -> list[Any]:
    """One step as a short list: event, line, scope, changed, gone, value; and its thread, if that
    is not the main one."""
    thread = [step.thread] if step.thread else []
    changed, gone = dict(step.changed), list(step.gone)
    return [step.event, step.line, step.scope, changed, gone, step.value, *thread]


def step_from_json(row: list[Any]) -> Step:
    """The step that `step_to_json` wrote."""
    event, line, scope, changed, gone, value, *thread = row
    if event not in EVENTS:
        raise InputError(f"{event!r} is not an event; expected one of {', '.join(EVENTS)}")
    # Most steps change nothing: a long trace shares one empty mapping among them.
    return Step(event, int(line), int(scope), changed or NOTHING, tuple(gone), value, *thread)


def trace_from_json(data: dict[str, Any]) -> Trace:
    """The trace that `trace_to_json` wrote."""
    if data.get("format") != FORMAT:
        raise InputError(
            f"trace format {data.get('format')!r} is not {FORMAT}; "
            "record it again with this version of worldline"
        )
    try:
        return Trace(
            program=Program(**data["program"]),
            steps=tuple(step_from_json(row) for row in data["steps"]),
            scopes=tuple(Scope(f, n, tuple(v), p) for f, n, v, p in data["scopes"]),
            ending=Ending(**data["ending"]),
            limits=Limits(**data["limits"]),
            origin=Origin(**data["origin"]),
            stdout=data["stdout"],
            notes=tuple(data["notes"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"not a trace as worldline writes it: {error!r}") from error
