"""Execution of inputs: which calls of a function run, and which branches they reach."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worldline.core.trace import Limits, Program, Trace, difference
from worldline.data.harvest.annotation_inputs import annotation_inputs
from worldline.data.harvest.branch_coverage import (
    BranchPair,
    find_function,
    function_branches,
    reached_branches,
)
from worldline.data.harvest.constant_inputs import constant_inputs
from worldline.data.harvest.function_slice import FUNCTION, GENERATOR
from worldline.data.harvest.symbolic import SymbolicExecutor
from worldline.languages.python.recorder import PythonRecorder, parse_literal

# Sources of inputs, in the order in which their inputs are preferred.
INPUT_SOURCES = ("doctest", "test", "call", "constants", "annotations", "symbolic")
# Without symbolic execution, which takes seconds for each function.
DEFAULT_SOURCES = tuple(source for source in INPUT_SOURCES if source != "symbolic")
_SECOND_HASH_SEED = 1


@dataclass(frozen=True, slots=True)
class FunctionTask:
    """A stand-alone function and the calls that were found for it.

    Attributes:
        id: its name in the harvest: "package/module.py:function".
        name: name of the function.
        text: the slice.
        calls: sources of inputs, and calls.
        kind: its kind, as in `FunctionSlice`.
    """

    id: str
    name: str
    text: str
    calls: tuple[tuple[str, str], ...] = ()
    kind: str = FUNCTION


@dataclass(frozen=True, slots=True)
class HarvestLimits:
    """Limits of each function and each of its inputs.

    Attributes:
        max_steps: Drop inputs with a longer trace.
        max_value_chars: Drop inputs with a longer result.
        max_inputs: Number of inputs to keep of a function, at most.
        sources: The sources of inputs.
    """

    max_steps: int = 1000
    max_value_chars: int = 2000
    max_inputs: int = 8
    sources: tuple[str, ...] = DEFAULT_SOURCES


@dataclass(frozen=True, slots=True)
class RunningInput:
    """An input that runs: its source, its result, its steps, and the branches that it reaches."""

    source: str
    call: str
    result: str
    steps: int
    reached: frozenset[BranchPair]


@dataclass(frozen=True, slots=True)
class FunctionOutcome:
    """Result of the inputs of one function.

    Attributes:
        id: the function's task.
        inputs: inputs that run, the most useful ones first.
        branches: all branches of the function.
        left_out: number of other inputs by source and reason.
    """

    id: str
    inputs: tuple[RunningInput, ...] = ()
    branches: frozenset[BranchPair] = frozenset()
    left_out: Mapping[tuple[str, str], int] = field(default_factory=dict)


class InputExecutor:
    """Executes the inputs of functions in the sandbox, twice with different hash seeds."""

    def __init__(self, limits: HarvestLimits) -> None:
        self._limits = limits
        self._symbolic = SymbolicExecutor() if "symbolic" in limits.sources else None
        self._recorders = [PythonRecorder(hash_seed=seed) for seed in (0, _SECOND_HASH_SEED)]

    def close(self) -> None:
        """End the interpreters."""
        for recorder in self._recorders:
            recorder.close()

    def run(self, tasks: Sequence[FunctionTask]) -> list[FunctionOutcome]:
        """Execute the inputs of some functions."""
        inputs = {
            task.id: collect_inputs(task, self._limits.sources, self._symbolic) for task in tasks
        }
        programs = [Program(task.text, call) for task in tasks for call in inputs[task.id]]
        # One step above the limit: a trace that reaches it has too many steps.
        limits = Limits(
            steps=self._limits.max_steps + 1,
            seconds=2.0,
            memory_mb=512,
            value_chars=self._limits.max_value_chars,
        )
        traces = self._record(self._recorders[0], programs, limits)
        reasons = {trace.program: self._rejection(trace) for trace in traces}
        # Most inputs do not run: they are not executed again.
        running = [program for program in programs if not reasons[program]]
        again = dict(zip(running, self._record(self._recorders[1], running, limits), strict=True))
        results = {
            trace.program: (trace, reasons[trace.program] or _repeat_reason(trace, again))
            for trace in traces
        }
        return [self._outcome(task, inputs[task.id], results) for task in tasks]

    def _record(
        self, recorder: PythonRecorder, programs: list[Program], limits: Limits
    ) -> list[Trace]:
        traces = recorder.record_group(programs, limits=limits)
        return [
            trace or recorder.record(program, limits=limits)
            for program, trace in zip(programs, traces, strict=True)
        ]

    def _outcome(
        self,
        task: FunctionTask,
        inputs: Mapping[str, str],
        results: Mapping[Program, tuple[Trace, str]],
    ) -> FunctionOutcome:
        function = find_function(task.text, task.name)
        running: list[RunningInput] = []
        left_out: Counter[tuple[str, str]] = Counter()
        for call, source in inputs.items():
            trace, reason = results[Program(task.text, call)]
            if reason:
                left_out[source, reason] += 1
                continue
            reached = reached_branches(function, trace)
            result = trace.result or ""
            running.append(RunningInput(source, call, result, len(trace.steps), reached))
        ordered = tuple(_useful_first(running))
        return FunctionOutcome(task.id, ordered, function_branches(function), left_out)

    def _rejection(self, trace: Trace) -> str:
        """Reason to leave out an input after its first execution; empty if there is none."""
        if trace.ending.reason == "step_limit" or len(trace.steps) > self._limits.max_steps:
            return "too many steps"
        if trace.ending.reason == "raised":
            return "raises an exception"
        if trace.result is None:
            return f"does not finish ({trace.ending.reason})"
        try:
            parse_literal(trace.result)
        except ValueError:
            return "the result is no literal"
        return ""


def _repeat_reason(trace: Trace, again: Mapping[Program, Trace]) -> str:
    """Reason to leave out an input after its second execution; empty if there is none."""
    return "not deterministic" if difference(trace, again[trace.program]) else ""


def collect_inputs(
    task: FunctionTask, sources: Sequence[str], symbolic: SymbolicExecutor | None = None
) -> dict[str, str]:
    """The calls to execute, with the source that has each of them first.

    A generator is executed to its end: the call is `list(f(…))`.
    """
    calls = [(source, call) for source, call in task.calls if source in sources]
    calls.sort(key=lambda each: INPUT_SOURCES.index(each[0]))
    if "constants" in sources:
        calls += [("constants", call) for call in constant_inputs(task.text, task.name)]
    if "annotations" in sources:
        calls += [("annotations", call) for call in annotation_inputs(task.text, task.name)]
    if symbolic is not None:
        calls += [("symbolic", call) for call in symbolic.find_inputs(task.text, task.name)]
    inputs: dict[str, str] = {}
    for source, call in calls:
        inputs.setdefault(f"list({call})" if task.kind == GENERATOR else call, source)
    return inputs


def _useful_first(inputs: Sequence[RunningInput]) -> list[RunningInput]:
    """Inputs that reach a new branch first, then those of a new path; otherwise in their order."""
    reached: set[BranchPair] = set()
    paths: set[frozenset[BranchPair]] = set()
    groups: tuple[list[RunningInput], ...] = ([], [], [])
    for each in inputs:
        has_new_branch = not groups[0] or not each.reached <= reached
        groups[0 if has_new_branch else 1 + (each.reached in paths)].append(each)
        reached |= each.reached
        paths.add(each.reached)
    return [each for group in groups for each in group]
