"""Positions in a replay: every motion, forwards and backwards, with the states of each step."""

from typing import Any

import pytest

from tests.support.predictions import predict, replaced, text_of
from tests.support.replay_programs import (
    EXCEPTION,
    GENERATOR,
    NESTED,
    RECURSION,
    THREADS,
    all_programs,
)
from worldline.analysis.alignment import align
from worldline.analysis.replay import (
    Replay,
    changes_at,
    index_prediction,
    index_trace,
    locals_at,
    move,
    replay_both,
    replay_one,
    stack_at,
)
from worldline.core.trace import Program, Trace
from worldline.interfaces.report import step_pairs
from worldline.languages.python.recorder import PythonRecorder


def replay_of(recorder: PythonRecorder, source: str, call: str) -> tuple[Trace, Replay]:
    trace = recorder.record(Program(source, call))
    return trace, replay_one(index_trace(trace))


def walk(replay: Replay, start: int, motion: str) -> list[int]:
    """The rows of repeated moves, with the start."""
    rows = [start]
    while (row := move(replay, rows[-1], motion, "actual")) is not None:  # type: ignore[arg-type]
        rows.append(row)
    return rows


def events(trace: Trace, rows: list[int]) -> list[tuple[str, int]]:
    return [(trace.steps[row].event, trace.steps[row].line) for row in rows]


def test_every_program_forwards_and_backwards_has_the_recorded_states(
    recorder: PythonRecorder,
) -> None:
    traces = [trace for p in all_programs() if (trace := recorder.record(p)).steps]
    assert len(traces) >= 85
    for trace in traces:
        execution = index_trace(trace)
        replay = replay_one(execution)
        expected = list(trace.states())
        forwards = walk(replay, 0, "in")
        backwards = walk(replay, forwards[-1], "back")
        assert forwards == list(range(len(trace.steps)))
        assert backwards == forwards[::-1]
        for row in (*forwards, *backwards):
            top = stack_at(execution, row)[0]
            state = locals_at(execution, top)
            assert state == expected[row]
            assert list(state) == list(expected[row])
            assert execution.frames[top.frame].scope == trace.steps[row].scope


@pytest.mark.data
def test_traces_of_cruxeval_forwards_and_backwards(
    recorder: PythonRecorder, cruxeval: list[dict[str, Any]]
) -> None:
    for row in cruxeval[:100]:
        trace = recorder.record(Program(row["code"], f"f({row['input']})"))
        execution = index_trace(trace)
        replay = replay_one(execution)
        for number, expected in enumerate(trace.states()):
            for motion, there in (("in", number + 1), ("back", number - 1)):
                target = move(replay, number, motion, "actual")  # type: ignore[arg-type]
                assert target == (there if 0 <= there < len(trace.steps) else None)
            assert locals_at(execution, stack_at(execution, number)[0]) == expected


def test_over_skips_the_calls_of_a_line(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, NESTED, "total([1, 2])")
    start = next(n for n, step in enumerate(trace.steps) if step.line == 8)
    assert events(trace, walk(replay, start, "over"))[:4] == [
        ("line", 8),
        ("line", 7),
        ("line", 8),
        ("line", 7),
    ]


def test_back_over_is_the_reverse_of_over_inside_a_function(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, NESTED, "total([1, 2])")
    start = next(n for n, step in enumerate(trace.steps) if step.line == 8)
    returned = [n for n, step in enumerate(trace.steps) if step.event == "return"][-2]
    forwards = [row for row in walk(replay, start, "over") if row <= returned]
    backwards = [row for row in walk(replay, returned, "back_over") if row >= start]
    assert backwards == forwards[::-1]


def test_out_arrives_in_the_caller(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, NESTED, "total([3])")
    inside = next(n for n, step in enumerate(trace.steps) if step.line == 2)
    target = move(replay, inside, "out", "actual")
    assert target is not None
    assert events(trace, [target]) == [("line", 7)]
    assert locals_at(replay.tracks[0].execution, stack_at(index_trace(trace), target)[0]) == {
        "xs": "[3]",
        "s": "9",
        "x": "3",
    }


def test_out_of_the_entry_point_is_the_end(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, NESTED, "total([])")
    assert move(replay, 0, "out", "actual") == len(trace.steps) - 1
    assert move(replay, len(trace.steps) - 1, "out", "actual") is None
    assert move(replay, 0, "back", "actual") is None


def test_recursion_has_a_frame_for_each_call(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, RECURSION, "fib(3)")
    execution = replay.tracks[0].execution
    deepest = max(range(len(trace.steps)), key=execution.depth)
    stack = stack_at(execution, deepest)
    assert [execution.function(entry.frame) for entry in stack] == ["fib"] * 3 + ["main"]
    assert [locals_at(execution, entry).get("n") for entry in stack] == ["1", "2", "3", None]
    # The callers are on the line of their call.
    assert [execution.lines[entry.step] for entry in stack[1:3]] == [4, 4]


def test_a_resumed_generator_is_called_by_whoever_resumes_it(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, GENERATOR, "use()")
    execution = replay.tracks[0].execution
    yields = [n for n, s in enumerate(trace.steps) if s.event == "return" and s.line == 4]
    assert len(yields) == 3
    for row in yields:
        names = [execution.function(entry.frame) for entry in stack_at(execution, row)]
        assert names == ["count", "use", "main"]
        target = move(replay, row, "over", "actual")
        assert target is not None
        assert execution.lines[target] == 10
    # `over` on the `for` does not enter the generator.
    first = next(n for n, s in enumerate(trace.steps) if s.line == 9 and s.event == "line")
    assert move(replay, first, "over", "actual") == yields[0] + 1


def test_an_exception_leaves_the_inner_frame(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, EXCEPTION, "outer()")
    execution = replay.tracks[0].execution
    raised = [n for n, step in enumerate(trace.steps) if step.event == "exception"]
    depths = [len(stack_at(execution, row)) for row in raised]
    assert depths == [3, 2]
    assert move(replay, raised[0], "out", "actual") == raised[1]


def test_threads_move_on_their_own() -> None:
    with PythonRecorder(has_threads=True) as recorder:
        trace = recorder.record(Program(THREADS, "use()"))
    execution = index_trace(trace)
    replay = replay_one(execution)
    assert list(execution.thread_steps) == [0, 1]
    first = execution.thread_steps[1][0]
    rows = [first]
    while (row := move(replay, rows[-1], "in", "actual", thread=1)) is not None:
        rows.append(row)
    # After the last step of the thread, the end of the recording.
    assert rows[:-1] == list(execution.thread_steps[1])
    assert rows[-1] == replay.length - 1
    last = rows[-2]
    assert move(replay, last, "back", "actual", thread=1) == rows[-3]
    names = [execution.function(e.frame) for e in stack_at(execution, last, thread=0)]
    assert names == ["use", "main"]
    assert [execution.function(e.frame) for e in stack_at(execution, last)] == ["work"]
    assert stack_at(execution, 0, thread=1) == []


def test_changes_have_the_values_before_and_after(recorder: PythonRecorder) -> None:
    source = "def f():\n    a = 1\n    a = 2\n    del a\n    return 0\n"
    trace, replay = replay_of(recorder, source, "f()")
    execution = replay.tracks[0].execution
    changes = [changes_at(execution, row) for row in range(len(trace.steps))]
    assert [change for change in changes if change] == [
        {"a": (None, "1")},
        {"a": ("1", "2")},
        {"a": ("2", None)},
    ]


def two_replays(recorder: PythonRecorder, source: str, call: str, old: str, new: str) -> Replay:
    program = Program(source, call)
    trace = recorder.record(program)
    prediction = predict(program, replaced(old, new)(text_of(trace)))
    alignment = align(trace, prediction.decoded)
    return replay_both(
        index_trace(alignment.actual),
        index_prediction(
            alignment.predicted, program, actual=trace, matched_steps=alignment.matched_steps
        ),
        step_pairs(alignment),
        divergence=alignment.divergence,
        matched_steps=alignment.matched_steps,
    )


def test_two_executions_in_lock_step(recorder: PythonRecorder) -> None:
    replay = two_replays(recorder, NESTED, "total([1, 2])", '"s": "5"', '"s": "6"')
    actual, predicted = replay.tracks
    assert replay.divergence_row is not None
    states = []
    for row in range(replay.length):
        pair = []
        for track in (actual, predicted):
            assert track.is_at(row)
            pair.append(locals_at(track.execution, stack_at(track.execution, track.step(row))[0]))
        states.append(pair)
    wrong = [row for row, (a, b) in enumerate(states) if a != b]
    assert wrong[0] == replay.divergence_row
    assert (states[wrong[0]][0]["s"], states[wrong[0]][1]["s"]) == ("5", "6")
    names = [predicted.execution.function(n) for n in range(len(predicted.execution.frames))]
    assert names == ["main", "total", "square", "square"]


def test_a_skipped_step_leaves_the_prediction_behind(recorder: PythonRecorder) -> None:
    source = "def f(x):\n    a = x + 1\n    b = a + 1\n    c = b + 1\n    return c\n"
    step = '<|line_sep|>{"x": "..", "a": "2"}<|action_sep|>    b = a + 1\n<|frame_sep|>'
    replay = two_replays(recorder, source, "f(1)", step, "")
    predicted = replay.track("predicted")
    assert predicted is not None
    missing = [row for row in range(replay.length) if not predicted.is_at(row)]
    assert missing == [replay.divergence_row]
    # It is shown at its last step before the gap.
    assert predicted.step(missing[0]) == predicted.step(missing[0] - 1)
    assert move(replay, missing[0], "over", "predicted") == missing[0] + 1


@pytest.mark.parametrize("motion", ["in", "over", "out", "back", "back_over"])
def test_no_motion_leaves_the_replay(recorder: PythonRecorder, motion: str) -> None:
    replay = two_replays(recorder, NESTED, "total([1, 2])", '"s": "5"', '"s": "6"')
    for row in range(replay.length):
        for side in ("actual", "predicted"):
            target = move(replay, row, motion, side)  # type: ignore[arg-type]
            assert target is None or 0 <= target < replay.length
            if target is not None:
                assert (target < row) == motion.startswith("back")
