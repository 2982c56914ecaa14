"""Breakpoints: where each kind stops, forwards and backwards, and where it must not."""

import pytest

from tests.analysis.replay.test_lock_step import replay_of, two_replays
from tests.support.replay_programs import EXCEPTION, GENERATOR, NESTED, RECURSION
from worldline.analysis.replay import (
    Breakpoint,
    Breakpoints,
    DataBreakpoint,
    FunctionBreakpoint,
    LineBreakpoint,
    Replay,
    Stop,
    find_stop,
    parse_expression,
    stack_at,
)
from worldline.languages.python.recorder import PythonRecorder


def stops(
    replay: Replay, *own: Breakpoint, backwards: bool = False, raised: bool = False
) -> list[Stop]:
    """All stops from one end to the other, which is the last one."""
    found: list[Stop] = []
    row = replay.length - 1 if backwards else 0
    breakpoints = Breakpoints(own, on_exception=raised)
    while not found or found[-1].reason not in ("start", "end"):
        found.append(find_stop(replay, row, breakpoints, backwards=backwards))
        row = found[-1].row
    return found


def lines(replay: Replay, found: list[Stop]) -> list[int | None]:
    execution = replay.tracks[0].execution
    return [execution.lines[stop.row] for stop in found]


def test_a_line_stops_at_each_visit(recorder: PythonRecorder) -> None:
    _, replay = replay_of(recorder, NESTED, "total([1, 2, 3])")
    forwards = stops(replay, LineBreakpoint(5, 2))
    assert [(stop.reason, stop.ids) for stop in forwards] == [("line", (5,))] * 3 + [("end", ())]
    assert lines(replay, forwards[:-1]) == [2, 2, 2]
    backwards = stops(replay, LineBreakpoint(5, 2), backwards=True)
    assert [stop.row for stop in backwards[:-1]] == [stop.row for stop in forwards[-2::-1]]
    assert (backwards[-1].row, backwards[-1].reason) == (0, "start")


def test_a_line_that_is_not_executed_never_stops(recorder: PythonRecorder) -> None:
    _, replay = replay_of(recorder, NESTED, "total([])")
    assert [stop.reason for stop in stops(replay, LineBreakpoint(1, 2))] == ["end"]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [("x == 2", 1), ("x > 1", 2), ("s >= 1 and x in xs", 2), ("x == 9", 0), ("nothing == 1", 0)],
)
def test_conditions(recorder: PythonRecorder, condition: str, expected: int) -> None:
    _, replay = replay_of(recorder, NESTED, "total([1, 2, 3])")
    found = stops(replay, LineBreakpoint(1, 8, parse_expression(condition)))
    assert len(found) - 1 == expected


def test_a_message_is_written_without_a_stop(recorder: PythonRecorder) -> None:
    _, replay = replay_of(recorder, NESTED, "total([1, 2])")
    written: list[str] = []
    own = LineBreakpoint(1, 8, message="x = {x}, {x * 2}, {f()}")
    stop = find_stop(replay, 0, Breakpoints((own,)), on_message=written.append)
    assert stop.reason == "end"
    assert [text.split(", <")[0] for text in written] == ["x = 1, 2", "x = 2, 4"]
    assert "would execute code" in written[0]


def test_a_function_stops_where_it_is_called(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, RECURSION, "fib(3)")
    found = stops(replay, FunctionBreakpoint(1, "fib"))[:-1]
    assert {trace.steps[stop.row].event for stop in found} == {"call"}
    assert len(found) == 5
    condition = parse_expression("n == 1")
    assert len(stops(replay, FunctionBreakpoint(1, "fib", condition))) - 1 == 2
    assert [stop.reason for stop in stops(replay, FunctionBreakpoint(1, "fi"))] == ["end"]


def test_a_generator_stops_where_it_is_called_not_where_it_is_resumed(
    recorder: PythonRecorder,
) -> None:
    _, replay = replay_of(recorder, GENERATOR, "use()")
    assert len(stops(replay, FunctionBreakpoint(1, "count"))) - 1 == 1
    # The line of the `yield`: three times executed, and three times resumed.
    assert len(stops(replay, LineBreakpoint(1, 4))) - 1 == 3


def test_a_method_is_found_by_both_names(recorder: PythonRecorder) -> None:
    source = "class A:\n    def f(self):\n        return 1\n\ndef g():\n    return A().f()\n"
    _, replay = replay_of(recorder, source, "g()")
    for name in ("f", "A.f"):
        assert [stop.reason for stop in stops(replay, FunctionBreakpoint(1, name))] == [
            "function",
            "end",
        ]


def test_a_variable_that_changes(recorder: PythonRecorder) -> None:
    _, replay = replay_of(recorder, NESTED, "total([1, 2])")
    found = stops(replay, DataBreakpoint(1, "s"))[:-1]
    assert [stop.text for stop in found] == [
        "s changed from no value to 0",
        "s changed from 0 to 1",
        "s changed from 1 to 5",
    ]
    assert all(stop.reason == "data" for stop in found)


def test_a_variable_of_one_scope(recorder: PythonRecorder) -> None:
    _, replay = replay_of(recorder, RECURSION, "fib(3)")
    execution = replay.tracks[0].execution
    assert len(stops(replay, DataBreakpoint(1, "a"))) - 1 == 2
    inner = next(
        stack_at(execution, n)[0] for n, step in enumerate(execution.steps) if "a" in step.changed
    )
    scope = execution.frames[inner.frame].scope
    assert len(stops(replay, DataBreakpoint(1, "a", scope=scope))) - 1 == 1
    assert len(stops(replay, DataBreakpoint(1, "a", side="predicted"))) - 1 == 0


def test_an_exception_stops_once_where_it_is_raised(recorder: PythonRecorder) -> None:
    trace, replay = replay_of(recorder, EXCEPTION, "outer()")
    assert sum(step.event == "exception" for step in trace.steps) == 2
    found = stops(replay, raised=True)
    assert [(stop.reason, stop.text) for stop in found[:-1]] == [
        ("exception", "raises KeyError('missing')")
    ]
    assert lines(replay, found[:1]) == [2]
    assert [stop.reason for stop in stops(replay)] == ["end"]


def test_a_divergence_stops_in_both_directions(recorder: PythonRecorder) -> None:
    replay = two_replays(recorder, NESTED, "total([1, 2])", '"s": "5"', '"s": "6"')
    (forwards, _), (backwards, _) = stops(replay), stops(replay, backwards=True)
    assert forwards.row == backwards.row == replay.divergence_row
    assert (forwards.reason, forwards.side) == ("divergence", "predicted")
    assert forwards.text.endswith("s = 6, actual 5")
    off = find_stop(replay, 0, Breakpoints(on_divergence=False))
    assert off.reason == "end"


def test_several_breakpoints_at_one_step_stop_once(recorder: PythonRecorder) -> None:
    _, replay = replay_of(recorder, NESTED, "total([4])")
    found = stops(replay, LineBreakpoint(1, 7), DataBreakpoint(2, "s"))
    assert [stop.ids for stop in found] == [(1, 2), (1, 2), ()]


def test_a_search_can_be_cancelled(recorder: PythonRecorder) -> None:
    _, replay = replay_of(recorder, NESTED, "total([1, 2])")
    own = LineBreakpoint(1, 2, parse_expression("n == 99"))
    stop = find_stop(replay, 0, Breakpoints((own,)), is_cancelled=lambda: True)
    assert stop.reason == "pause"
