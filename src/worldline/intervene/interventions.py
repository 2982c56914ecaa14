"""What can be changed about a prediction that failed, and for which cause it is called for."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from worldline.diagnose import CauseName

InterventionName = Literal[
    "resample",
    "patch",
    "expressions-line",
    "strings-line",
    "expressions",
    "strings",
    "guided",
    "force-state",
    "force-actions",
    "longer",
]


@dataclass(frozen=True, slots=True)
class Intervention:
    """One thing that is changed. `needs_truth`: it takes the real execution, so that it tells a
    cause and is no way to use a model."""

    name: InterventionName
    sentence: str
    needs_truth: bool


# Cheapest first: what is left of a text, then a text of its own, then a longer one.
INTERVENTIONS: Mapping[InterventionName, Intervention] = {
    found.name: found
    for found in (
        Intervention("resample", "drawn again from where it left reality", True),
        Intervention("patch", "given the one true value, or line, where it left reality", True),
        Intervention("guided", "kept to the control-flow graph", False),
        Intervention("force-state", "given every true state", True),
        Intervention("force-actions", "given every true line", True),
        Intervention("expressions-line", "one operation a line, where it left reality", True),
        Intervention("expressions", "one operation a line, in the whole program", False),
        Intervention("strings-line", "character by character, where it left reality", True),
        Intervention("strings", "character by character, in the whole program", False),
        Intervention("longer", "given four times the tokens", False),
    )
}
NAMES: tuple[InterventionName, ...] = get_args(InterventionName)

# What removes just this cause; turned right by it, a sample's cause is confirmed.
CALLED_FOR: Mapping[CauseName, tuple[InterventionName, ...]] = {
    "budget": ("longer",),
    "runaway_repetition": ("resample", "patch"),
    # The graph is the only thing that a made-up line offends.
    "line_made_up": ("guided", "patch"),
    "loop_miscounted": ("patch",),
    "branch_misjudged": ("patch",),
    "call_confused": ("guided", "patch"),
    "exception_confused": ("patch",),
    "wrong_end": ("guided", "patch"),
    "miscopied": ("patch",),
    "iteration_lost": ("patch",),
    "mutation_while_iterating": ("patch",),
    "hidden_values": ("expressions-line",),
    "string_handling": ("strings-line",),
    "comparison": ("patch",),
    "arithmetic": ("patch",),
    "container_handling": ("patch",),
}
# Nobody has to be asked: that the trace is right is what was found by executing the program.
CONFIRMED_BY_EXECUTION: frozenset[CauseName] = frozenset({"answer_extraction", "reference"})
