"""Choices: values of an execution that do not follow from the program, such as random numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from worldline.core.util.text import truncate_text


@dataclass(frozen=True, slots=True)
class Choice:
    """One value that does not follow from the program.

    Attributes:
        name: The function, as in "random.randint".
        arguments: Its arguments, as text.
        value: The value, as a literal. For items of a sequence, their positions: "[2, 0, 1]".
        domain: The possible values: "range(1, 7)", "permutations(3)", "samples(5, 2)" (two
            positions of five), "weights([1, 3], 2)" (two positions, with these weights), "bits(8)",
            "unit" (a number from [0, 1)), "interval(0, 5)", "clock"; "" if not known.
        line: The line of the program.
        step: The number of the step whose line has the call; None if that was not recorded, because
            it belongs to the module and the trace begins with a call.
    """

    name: str
    arguments: str
    value: str
    domain: str
    line: int
    step: int | None = None

    def __repr__(self) -> str:
        value = truncate_text(self.value, 40)
        return f"Choice({truncate_text(self.expression, 60)} → {value}, line {self.line})"

    @property
    def expression(self) -> str:
        """The call with its arguments: "random.randint(1, 6)"."""
        return f"{self.name}({self.arguments})"


def first_choices(choices: tuple[Choice, ...], steps: int) -> tuple[Choice, ...]:
    """The choices of the first steps."""
    return tuple(each for each in choices if each.step is None or each.step < steps)


def choice_to_fields(choice: Choice) -> list[Any]:
    """The fields of a choice, as JSON data."""
    return [getattr(choice, name) for name in Choice.__slots__]


def choice_from_fields(fields: list[Any]) -> Choice:
    """The choice from the fields that `choice_to_fields` returned."""
    name, arguments, value, domain, line, step = fields
    return Choice(name, arguments, value, domain, int(line), None if step is None else int(step))


def choices_from_json(data: Mapping[str, Any]) -> tuple[Choice, ...]:
    """The choices of a trace in JSON; a trace without choices has no such key."""
    return tuple(map(choice_from_fields, data.get("choices", ())))
