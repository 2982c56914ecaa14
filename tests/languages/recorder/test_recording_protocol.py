"""Decoding of the rows that the child process writes."""

from typing import Any

import pytest

from worldline.core.errors import InputError
from worldline.core.trace import NO_VARIABLES, Step, step_from_json, step_to_json
from worldline.languages.python.recorder.recording_protocol import decode_step


@pytest.mark.parametrize(
    ("row", "step"),
    [
        (["line", 3, 0], Step("line", 3, 0)),
        (["call", 1, 2, {"x": "1"}, ["y"]], Step("call", 1, 2, {"x": "1"}, ("y",))),
        (["return", 4, 0, "1"], Step("return", 4, 0, value="1")),
        (["return", 4, 0], Step("return", 4, 0)),
        (["exception", 4, 1, "ValueError"], Step("exception", 4, 1, value="ValueError")),
    ],
)
def test_a_received_step_equals_the_stored_step(row: list[Any], step: Step) -> None:
    received = decode_step(0, *row)
    assert received == step == step_from_json(step_to_json(step))
    assert decode_step(2, *row).thread == 2
    # Steps without changes share one empty mapping.
    assert received.changed or received.changed is NO_VARIABLES


@pytest.mark.parametrize("event", ["jump", "", None])
def test_an_unknown_event_is_refused(event: Any) -> None:
    message = "is not an event; expected one of call, line, return, exception"
    with pytest.raises(InputError, match=message):
        decode_step(0, event, 1, 0)
    with pytest.raises(InputError, match=message):
        step_from_json([event, 1, 0, {}, [], None])
