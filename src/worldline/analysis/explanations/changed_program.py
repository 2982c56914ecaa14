"""Programs with one operation changed, and their execution.

The lines of a changed program are those of the original, so its steps can be compared with those
of a prediction. Functions that it needs (`misread_operations`) are appended, and their steps are
removed.
"""

import ast
import inspect
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

from worldline.analysis.explanations import misread_operations
from worldline.analysis.explanations.misconception import Change, Source
from worldline.core.trace import Ending, Limits, Program, Step, Trace, parse_source
from worldline.languages.python.recorder import Recorder

_HELPER = re.compile(r"\b_misread_\w+")
_COUNTER = "_misread_now"
# Programs that are executed in one process.
BATCH_SIZE = 48
# Programs in one process after one has reached a limit.
_SIZE_AFTER_LIMIT = 6
# Steps that a program may take beyond those that are compared.
_EXTRA_STEPS = 300
# CPU time decides, so that the result does not depend on other processes.
_SECONDS, _CPU_SECONDS = 60.0, 5
_DRIVER = """\
def _load(text):
    namespace = {{"__name__": "program"}}
    try:
        exec(compile(text, _load.__code__.co_filename, "exec", dont_inherit=True), namespace)
        return namespace[{entry!r}]
    except BaseException:
        return None
_entries = [_load(text) for text in {texts!r}]
def main(): # << START_OF_TRACE
    for _entry in _entries:
        try:
            _entry and _entry()
        except BaseException: pass
"""
# The line of the driver that calls a program's entry point, counted from the driver's first.
_CALL_LINE = 12


@dataclass(frozen=True, slots=True)
class Variant:
    """A change, and the evaluations of its operation, counted from 0, to which it is applied.

    `first` None: all evaluations, without counting them. `last` None: to the end.
    """

    change: Change
    first: int | None = None
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Execution:
    """The execution of a changed program.

    Attributes:
        trace: Its steps, as if the original program had made them.
        evaluations: For each evaluation of the changed operation, the number of steps before it;
            empty if they were not counted.
    """

    trace: Trace
    evaluations: tuple[int, ...] = ()


def changed_text(source: Source, variant: Variant) -> str | None:
    """The text of a changed program; None if the change does not fit its lines."""
    change = variant.change
    start, stop = source.span(change.node)
    text, old, new = source.layout.text, source.segment(change.node), change.text
    is_statement = isinstance(change.node, ast.stmt)
    if variant.first is not None:
        if is_statement or change.after_program:
            return None
        last = "float('inf')" if variant.last is None else variant.last
        new = f"({new}) if {_COUNTER}({variant.first}, {last}) else ({old})"
    missing = old.count("\n") - new.count("\n")
    if missing < 0:
        return None
    padding = "\n" * missing
    new = f"{new}{padding}" if is_statement else f"({new}{padding})"
    changed = text[:start] + new + text[stop:]
    helpers = sorted(set(_HELPER.findall(f"{new}\n{change.after_program}")))
    parts = [inspect.getsource(getattr(misread_operations, name)) for name in helpers]
    result = "".join([changed, *parts, change.after_program and f"{change.after_program}\n"])
    with warnings.catch_warnings(action="ignore"):
        return result if parse_source(result) is not None else None


def execute_variants(
    program: Program,
    source: Source,
    variants: Sequence[Variant],
    recorder: Recorder,
    *,
    limits: Limits,
    steps: int,
) -> list[Execution | None]:
    """Execute changed programs, many in one process where that is safe.

    Args:
        program: The original program.
        source: Its parsed text.
        variants: The changes.
        recorder: Executes the programs.
        limits: The limits of the original recording.
        steps: How many steps of each program are compared.

    Returns:
        For each variant its execution; None if it cannot be executed.
    """
    texts = [changed_text(source, variant) for variant in variants]
    results: dict[int, Execution] = {}
    waiting = [index for index, text in enumerate(texts) if text is not None]
    size = BATCH_SIZE if _may_share_process(program) else 1
    while waiting:
        batch, waiting = waiting[:size], waiting[size:]
        batch_texts = [text for index in batch if (text := texts[index]) is not None]
        executions = _execute_batch(program, batch_texts, recorder, limits, steps)
        results.update(zip(batch, executions, strict=False))
        # A program that reached a limit ended the batch; those after it are executed again. It took
        # the steps of the whole batch, and there may be more like it: the next batches are small.
        if len(executions) < len(batch):
            size = min(size, _SIZE_AFTER_LIMIT)
        waiting = batch[len(executions) :] + waiting
    return [results.get(index) for index in range(len(variants))]


def _may_share_process(program: Program) -> bool:
    """Whether executions cannot influence each other through input, modules or objects."""
    words = ("__repr__", "random", "sys", "exec(", "eval(", "input(", "open(")
    return not program.stdin and not any(word in program.text for word in words)


def _execute_batch(
    program: Program, texts: Sequence[str], recorder: Recorder, limits: Limits, steps: int
) -> list[Execution]:
    """Execute some programs; fewer results if one of them reached a limit."""
    per_program = 2 * steps + _EXTRA_STEPS
    limits = replace(
        limits, steps=per_program * len(texts), seconds=_SECONDS, cpu_seconds=_CPU_SECONDS
    )
    n_lines = len(program.lines)
    if len(texts) == 1:
        alone = Program.from_text(texts[0], stdin=program.stdin, language=program.language)
        trace = recorder.record(alone, limits=limits)
        return [_make_execution(program, trace, trace.steps, n_lines)]
    offset = max(text.count("\n") for text in texts) + 1
    driver = "\n" * offset + _DRIVER.format(entry=program.entry, texts=list(texts))
    trace = recorder.record(Program.from_text(driver), limits=limits)
    call_line = offset + _CALL_LINE
    parts: list[list[Step]] = []
    for step in trace.steps:
        if step.line == call_line and step.event == "line":
            parts.append([])
        elif parts and step.line <= offset:
            parts[-1].append(step)
    if not parts:
        # Loading a program reached a limit: there is nothing to compare.
        parts = [[]]
    return [_make_execution(program, trace, part, n_lines) for part in parts]


def _make_execution(
    program: Program, trace: Trace, steps: Sequence[Step], n_lines: int
) -> Execution:
    """Keep the steps of the original lines, with scopes numbered in their order."""
    numbers: dict[int, int] = {}
    kept: list[Step] = []
    evaluations: list[int] = []
    for step in steps:
        if step.line > n_lines:
            is_counter = trace.scopes[step.scope].function == _COUNTER
            if step.event == "call" and is_counter:
                evaluations.append(len(kept))
            continue
        number = numbers.setdefault(step.scope, len(numbers))
        # `replace` takes three times as long, and there are hundreds of thousands of steps.
        kept.append(
            Step(step.event, step.line, number, step.changed, step.gone, step.value, step.thread)
        )
    scopes = tuple(trace.scopes[number] for number in numbers)
    changed = replace(
        trace, program=program, steps=tuple(kept), scopes=scopes, ending=_ending(trace, kept)
    )
    return Execution(changed, tuple(evaluations))


def _ending(trace: Trace, steps: Sequence[Step]) -> Ending:
    """How one execution ended, as its last step shows."""
    if not steps or steps[-1].event != "return" or steps[-1].scope != 0:
        return trace.ending if not trace.ending.is_complete else Ending("killed")
    return Ending("raised" if steps[-1].value is None else "finished")
