"""Trace: the steps of one execution, why the recording ended, and its limits."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from worldline.core.display import render_html
from worldline.core.errors import InputError
from worldline.core.trace.assumptions import (
    Assumptions,
    assumptions_from_fields,
    assumptions_to_fields,
    first_assumptions,
)
from worldline.core.trace.choice import (
    Choice,
    choice_to_fields,
    choices_from_json,
    first_choices,
)
from worldline.core.trace.program import Program, program_from_fields
from worldline.core.trace.step import Step, make_step, states
from worldline.core.util.text import pluralize, truncate_text

FORMAT = 1
# Prefix of the note that lists missing sandbox layers; the trace itself lacks nothing.
# Beginnings of notes about the sandbox.
REDUCED_NOTE = "reduced sandbox: without"
CONTAINER_NOTE = "container sandbox: without"

EndReason = Literal[
    "finished",  # the call returned
    "raised",  # the call raised an exception
    "exited",  # the program called sys.exit
    "not_loaded",  # the source does not compile, or raised an exception before the call
    "step_limit",
    "time_limit",
    "memory_limit",
    "trace_limit",  # the trace became too large
    "output_limit",  # the program printed too much
    "killed",  # the process died: a signal, os._exit
    "forbidden_call",  # a system call that only an attack needs
    "tampered",  # the recording is not what the recorder wrote
    "deadlock",  # no thread of the program can continue
    "assumption_failed",  # a call was to be assumed, and no value was provided
]
# Suffix of an ending's detail if the limit was on CPU time, not on elapsed time.
_CPU_TIME_DETAIL = "of a CPU"


@dataclass(frozen=True, slots=True)
class Limits:
    """Resource limits of a recording.

    A value longer than `value_chars` is shortened. Any other limit ends the recording.

    Attributes:
        steps: Number of steps.
        seconds: Elapsed time.
        memory_mb: Memory of the program.
        value_chars: Length of a recorded value.
        trace_mb: Size of the recorded steps.
        output_mb: Size of what the program prints, and of each file it writes.
        cpu_seconds: CPU time, which does not depend on other processes; by default, two seconds
            more than `seconds`.
    """

    steps: int = 100_000
    seconds: float = 10.0
    memory_mb: int = 1024
    value_chars: int = 10_000
    trace_mb: int = 64
    output_mb: int = 4
    cpu_seconds: int | None = None

    @property
    def enforced_cpu_seconds(self) -> int:
        """The limit on CPU time that is set for the program's process."""
        return self.cpu_seconds or int(self.seconds) + 2


@dataclass(frozen=True, slots=True)
class Ending:
    """Why a recording ended, with details such as the text of an exception."""

    reason: EndReason
    detail: str = ""

    @classmethod
    def from_cpu_time_limit(cls, seconds: float) -> "Ending":
        """The ending of a recording that exceeded its CPU time."""
        return cls("time_limit", f"more than {seconds:g} s {_CPU_TIME_DETAIL}")

    def __repr__(self) -> str:
        detail = f": {truncate_text(self.detail, 90)}" if self.detail else ""
        return f"Ending({self.reason}{detail})"

    @property
    def is_complete(self) -> bool:
        """Whether the program ended by itself, not by a limit or a signal."""
        return self.reason in ("finished", "raised", "exited", "deadlock")

    @property
    def is_elapsed_time_limit(self) -> bool:
        """Whether the limit on elapsed time was exceeded, which may be due to a busy machine."""
        return self.reason == "time_limit" and not self.detail.endswith(_CPU_TIME_DETAIL)


@dataclass(frozen=True, slots=True)
class Scope:
    """One activation of a function.

    Attributes:
        function: The qualified name of the function.
        line: The line of its `def`, or of its first decorator.
        variables: Its local variables in the order of `locals()`; the parameters come first.
        parameters: The number of parameters.
    """

    function: str
    line: int
    variables: tuple[str, ...]
    parameters: int

    def __repr__(self) -> str:
        variables = truncate_text(", ".join(self.variables), 50)
        return f"Scope({truncate_text(self.function, 40)}, line {self.line}, [{variables}])"


@dataclass(frozen=True, slots=True)
class Origin:
    """Versions and settings that a trace was recorded with; enough to record it again.

    Attributes:
        recorder: "core" (in C) or "settrace" (in Python); "node" for JavaScript and TypeScript,
            "gdb" for C++ and Rust, "jvm" for Java, "go" for Go.
        python: The version of the interpreter: of Python, or of the runtime of the language.
        worldline: The version of worldline.
        hash_seed: PYTHONHASHSEED.
    """

    recorder: str
    python: str
    worldline: str
    hash_seed: int = 0

    @property
    def has_comprehension_frames(self) -> bool:
        """Whether a comprehension has a scope of its own, as up to Python 3.11."""
        return python_version(self.python) < (3, 12)


@dataclass(frozen=True, slots=True)
class Trace:
    """The steps of one execution, why its recording ended, and what recorded it.

    Attributes:
        program: The program that was executed.
        steps: Its events, in order.
        scopes: The activations of functions; `Step.scope` is an index into them.
        ending: Why the recording ended.
        limits: The limits of the recording.
        origin: What recorded it.
        stdout: What the program printed.
        notes: Warnings about the recording, for example that threads were not recorded.
        assumptions: The calls whose values a model provided; None if everything was executed.
        choices: The values that did not follow from the program, in order: random numbers, readings
            of the clock.
    """

    program: Program
    steps: tuple[Step, ...]
    scopes: tuple[Scope, ...]
    ending: Ending
    limits: Limits
    origin: Origin
    stdout: str = ""
    notes: tuple[str, ...] = ()
    assumptions: Assumptions | None = None
    choices: tuple[Choice, ...] = ()

    def __repr__(self) -> str:
        detail = truncate_text(self.result or self.ending.detail, 60)
        ending = f"{self.ending.reason}: {detail}" if detail else self.ending.reason
        steps = pluralize(len(self.steps), "step")
        return f"Trace({steps}, {ending}, {self.program.language} {self.origin.python})"

    @property
    def result(self) -> str | None:
        """The value that the entry point returned, as text; None if it did not return."""
        is_known = self.ending.reason == "finished" and self.is_complete
        return self._last.value if is_known and self._last else None

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.steps)

    @property
    def has_threads(self) -> bool:
        """Whether it contains steps of threads other than the main thread."""
        return any(step.thread for step in self.steps)

    @property
    def assumed_steps(self) -> frozenset[int]:
        """The numbers of the steps whose line has an assumed call."""
        return self.assumptions.steps if self.assumptions else frozenset()

    @property
    def gaps(self) -> tuple[str, ...]:
        """The notes about something that was not recorded."""
        return gaps_of(self.notes)

    @property
    def _last(self) -> Step | None:
        """The last step of the main thread; other threads may have later steps."""
        return next((step for step in reversed(self.steps) if step.thread == 0), None)

    def states(self) -> Iterator[dict[str, str]]:
        """The full state of every step, with the variables in the order of `locals()`."""
        ranks = [{name: i for i, name in enumerate(scope.variables)} for scope in self.scopes]
        for step, state in zip(self.steps, states(self.steps), strict=True):
            rank = ranks[step.scope]
            yield dict(sorted(state.items(), key=lambda item: rank.get(item[0], len(rank))))

    def source_line(self, step: Step) -> str:
        """The source line of a step."""
        return self.program.line(step.line)

    def _repr_html_(self) -> str:
        """The steps as an HTML table, for notebooks."""
        return render_html(self) or ""

    @property
    def is_complete(self) -> bool:
        """Whether the program ended by itself and the trace contains all of its steps.

        If a program switches tracing off, its last steps are missing.
        """
        if not self.ending.is_complete or self._last is None:
            return False
        return self._last.event == "return" and self._last.scope == 0


def gaps_of(notes: Iterable[str]) -> tuple[str, ...]:
    """The notes about something that was not recorded, without those about the sandbox."""
    return tuple(note for note in notes if not note.startswith((REDUCED_NOTE, CONTAINER_NOTE)))


def python_version(text: str) -> tuple[int, int]:
    """Major and minor version: "3.11.7" -> (3, 11)."""
    major, minor = text.split(".")[:2]
    return int(major), int(minor)


def first_steps(trace: Trace, count: int) -> Trace:
    """The trace that a limit of this many steps would have recorded.

    Its standard output is that of the complete execution.
    """
    if count >= trace.limits.steps:
        return trace
    limits = replace(trace.limits, steps=count)
    if len(trace.steps) <= count:
        return replace(trace, limits=limits)
    steps = trace.steps[:count]
    n_scopes = 1 + max((step.scope for step in steps), default=-1)
    return replace(
        trace,
        steps=steps,
        scopes=trace.scopes[:n_scopes],
        ending=Ending("step_limit", f"more than {count:,} steps"),
        limits=limits,
        assumptions=trace.assumptions and first_assumptions(trace.assumptions, count),
        choices=first_choices(trace.choices, count),
    )


def trace_to_json(trace: Trace) -> dict[str, Any]:
    """A trace as JSON data; `trace_from_json` is its inverse."""
    # Left out of most traces, so that they are the same bytes as those of earlier versions.
    assumed = trace.assumptions and {"assumptions": assumptions_to_fields(trace.assumptions)}
    chosen = trace.choices and {"choices": [choice_to_fields(each) for each in trace.choices]}
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
        **(assumed or {}),
        **(chosen or {}),
    }


def step_to_json(step: Step) -> list[Any]:
    """A step as a list: event, line, scope, changed, gone, value, thread if not the main one."""
    thread = [step.thread] if step.thread else []
    changed, gone = dict(step.changed), list(step.gone)
    return [step.event, step.line, step.scope, changed, gone, step.value, *thread]


def step_from_json(row: list[Any]) -> Step:
    """The step from the list that `step_to_json` returned."""
    event, line, scope, changed, gone, value, *thread = row
    return make_step(event, int(line), int(scope), changed, gone, value, *thread)


def trace_from_json(data: dict[str, Any]) -> Trace:
    """The trace from the data that `trace_to_json` returned.

    Raises:
        InputError: The data has another format, or is not a trace.
    """
    if data.get("format") != FORMAT:
        raise InputError(
            f"the trace has the format {data.get('format')!r}, but this version of worldline reads "
            f"the format {FORMAT}; record the program again"
        )
    try:
        return Trace(
            program=program_from_fields(data["program"]),
            steps=tuple(step_from_json(row) for row in data["steps"]),
            scopes=tuple(Scope(f, n, tuple(v), p) for f, n, v, p in data["scopes"]),
            ending=Ending(**data["ending"]),
            limits=Limits(**data["limits"]),
            origin=Origin(**data["origin"]),
            stdout=data["stdout"],
            notes=tuple(data["notes"]),
            assumptions=assumptions_from_fields(data["assumptions"])
            if "assumptions" in data
            else None,
            choices=choices_from_json(data),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"this is not a trace written by worldline: {error!r}; record the program again"
        ) from error
