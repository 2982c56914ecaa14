"""Worked examples of our own: small programs with their recorded traces.

The traces are stored, because codecs execute nothing. A test records them again.
"""

import json
from functools import cache
from importlib.resources import files

from worldline.core.errors import CodecError
from worldline.core.trace import DEFAULT_LANGUAGE, Trace, trace_from_json

# One file for each language; TypeScript's examples are without types, and so JavaScript's.
EXAMPLES_FILES = {
    "python": "example_traces.json",
    "javascript": "example_traces_javascript.json",
    "typescript": "example_traces_javascript.json",
    "cpp": "example_traces_cpp.json",
    "java": "example_traces_java.json",
    "rust": "example_traces_rust.json",
    "go": "example_traces_go.json",
}
MAX_SHOTS = 3


def example_traces(shots: int, language: str = DEFAULT_LANGUAGE) -> tuple[Trace, ...]:
    """The first worked examples.

    Raises:
        CodecError: there are none in the language.
    """
    if shots and language not in EXAMPLES_FILES:
        raise CodecError(
            f"there are no worked examples in {language}; choose a codec without, or 0 shots"
        )
    return _all_examples(EXAMPLES_FILES[language])[:shots] if shots else ()


def check_shots(shots: int) -> None:
    """Check that there are as many worked examples.

    Raises:
        CodecError: there are fewer.
    """
    if not 0 <= shots <= MAX_SHOTS:
        raise CodecError(f"there are {MAX_SHOTS} worked examples: give 0 to {MAX_SHOTS} shots")


@cache
def _all_examples(file: str) -> tuple[Trace, ...]:
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return tuple(trace_from_json(row) for row in json.loads(text))
