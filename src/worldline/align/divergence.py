"""A divergence: the first step at which two executions differ, and in what."""

from dataclasses import dataclass
from typing import Literal

from worldline.trace import Event

Where = Literal["argument", "state", "action", "return", "exception", "end"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One local that differs; none on a side where it does not exist."""

    name: str
    true: str | None
    predicted: str | None


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first step at which the two differ, and in what.

    `line` is the number of the true step's line; `executed` that of the line that ran just
    before and led here (for a return: the returning line itself). `predicted_event` and
    `predicted_line` are what was written instead, `predicted_number` its number where the format
    tells it. `is_within_cut` says that the text broke off
    inside this step, and was already wrong.
    """

    step: int
    where: Where
    event: Event | None
    line: int
    scope: int
    executed: int
    true: str
    predicted: str
    variable: str | None = None
    differences: tuple[Difference, ...] = ()
    predicted_event: Event | None = None
    predicted_line: str | None = None
    predicted_number: int | None = None
    is_within_cut: bool = False
