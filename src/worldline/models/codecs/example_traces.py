"""Worked examples of our own: small programs with their recorded traces.

The traces are stored, because codecs execute nothing. A test records them again.
"""

import json
from functools import cache
from importlib.resources import files

from worldline.core.errors import CodecError
from worldline.core.trace import Trace, trace_from_json

EXAMPLES_FILE = "example_traces.json"
MAX_SHOTS = 3


def example_traces(shots: int) -> tuple[Trace, ...]:
    """The first worked examples."""
    return _all_examples()[:shots]


def check_shots(shots: int) -> None:
    """Check that there are as many worked examples.

    Raises:
        CodecError: there are fewer.
    """
    if not 0 <= shots <= MAX_SHOTS:
        raise CodecError(f"there are {MAX_SHOTS} worked examples: give 0 to {MAX_SHOTS} shots")


@cache
def _all_examples() -> tuple[Trace, ...]:
    text = files(__package__).joinpath(EXAMPLES_FILE).read_text(encoding="utf-8")
    return tuple(trace_from_json(row) for row in json.loads(text))
