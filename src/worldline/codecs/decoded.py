"""What a reader of a model's text returns: the steps it could read, and why it stopped."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from worldline.trace import Event, Step

Stop = Literal[
    "ended",  # the trace says that it is over
    "cut",  # the text ran out first
    "damaged",  # something stands there that is not a step
]


@dataclass(frozen=True, slots=True)
class Written:
    """A step as it was written: the source line, the locals with their `..`, its place.

    `number`: that of the line, where the format tells lines of the same text apart.
    `shows_state` is false where the format leaves the state of a step out.
    """

    line: str
    locals: Mapping[str, str]
    start: int
    end: int
    number: int | None = None
    shows_state: bool = True


@dataclass(frozen=True, slots=True)
class Fragment:
    """The beginning of a step that the text broke off in."""

    event: Event | None = None
    locals: Mapping[str, str] = field(default_factory=dict)
    open_name: str | None = None
    open_value: str | None = None
    line: str | None = None
    is_line_whole: bool = False


@dataclass(frozen=True, slots=True)
class Decoded:
    """The steps in a text, where and why reading stopped, and what came after.

    `knows_events` is false for a text that does not tell a call from a line; `shows_steps` for a
    format that only asks for the result.
    """

    steps: tuple[Step, ...]
    written: tuple[Written, ...]
    stop: Stop
    reason: str
    position: int
    after: str
    fragment: Fragment | None = None
    knows_events: bool = True
    shows_steps: bool = True


@dataclass(frozen=True, slots=True)
class After:
    """What a model wrote behind its trace."""

    explanation: str
    answer: str | None
    is_repeating: bool
