"""Row: one executed line in the notations for chat models, and the items of its effect."""

from dataclasses import dataclass
from typing import Literal

from worldline.core.trace import Event

ItemKind = Literal[
    "set",  # a variable is new or has a different value
    "del",  # a variable no longer exists
    "unknown",  # the value of a variable, or of all variables, could not be read
    "note",  # what a condition gave, or that a loop is done
    "enter",  # the scope is entered or resumed
    "call",  # the line has called a function, whose rows follow; it is not finished
    "raise",  # an exception is raised in the line
    "return",  # a value is returned or yielded
    "leave",  # an exception leaves the scope
    "scope",  # the number of the scope, if it is not the expected one
    "again",  # the row continues a line: it is not executed again
]
# Items without a name and a value.
BARE_KINDS: tuple[ItemKind, ...] = ("enter", "call", "leave", "again")
NOTES = ("True", "False", "done")
# Name of a "raise" item whose value is the recorded one; without it, the value is a short form.
EXACT = "\\"


@dataclass(frozen=True, slots=True)
class Item:
    """One part of an effect.

    Attributes:
        kind: what the item says.
        name: the variable, for "set", "del" and "unknown"; "" stands for all variables.
        value: the value, the note, or the number of the scope.
    """

    kind: ItemKind
    name: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One executed line and its effect, in the order in which they are written.

    Attributes:
        line: number of the source line.
        items: the effect.
        event: event of the step, in a notation that writes one row per step.
    """

    line: int
    items: tuple[Item, ...] = ()
    event: Event | None = None

    def has(self, kind: ItemKind) -> bool:
        """Whether one of the items is of this kind."""
        return any(item.kind == kind for item in self.items)

    @property
    def scope(self) -> int | None:
        """Number of the scope, if it is written."""
        numbers = [item.value for item in self.items if item.kind == "scope"]
        return int(numbers[0]) if numbers else None


UNKNOWN_EFFECT = (Item("unknown"),)
