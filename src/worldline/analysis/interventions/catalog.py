"""Catalog of interventions, and the causes that each can confirm."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from worldline.analysis.diagnosis import CauseName

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
    "more-tokens",
]


@dataclass(frozen=True, slots=True)
class Intervention:
    """One change to a prediction.

    `needs_actual`: it uses the actual execution, so that it can confirm a cause but not improve a
    model in use.
    """

    name: InterventionName
    sentence: str
    needs_actual: bool


# Cheapest first: the rest of an output, then a new output, then a longer one.
INTERVENTIONS: Mapping[InterventionName, Intervention] = {
    intervention.name: intervention
    for intervention in (
        Intervention("resample", "drawn again from the divergence", True),
        Intervention("patch", "given the one actual value, or line, where it diverged", True),
        Intervention("guided", "kept to the control-flow graph", False),
        Intervention("force-state", "given every actual state", True),
        Intervention("force-actions", "given every actual line", True),
        Intervention("expressions-line", "one operation a line, where it diverged", True),
        Intervention("expressions", "one operation a line, in the whole program", False),
        Intervention("strings-line", "character by character, where it diverged", True),
        Intervention("strings", "character by character, in the whole program", False),
        Intervention("more-tokens", "given four times the tokens", False),
    )
}

# Interventions that remove just this cause; if one makes a sample correct, its cause is confirmed.
INTERVENTIONS_BY_CAUSE: Mapping[CauseName, tuple[InterventionName, ...]] = {
    "truncated": ("more-tokens",),
    "runaway_repetition": ("resample", "patch"),
    # `guided` follows the result that the prediction writes.
    "self_contradiction": ("guided", "patch"),
    # A hallucinated line contradicts nothing but the control-flow graph.
    "hallucinated_line": ("guided", "patch"),
    "loop_miscounted": ("patch",),
    "branch_misjudged": ("patch",),
    "call_error": ("guided", "patch"),
    "exception_error": ("patch",),
    "wrong_end": ("guided", "patch"),
    "copy_error": ("patch",),
    "wrong_loop_item": ("patch",),
    "mutation_while_iterating": ("patch",),
    "hidden_values": ("expressions-line",),
    "steps_skipped": ("patch",),
    "steps_inserted": ("patch",),
    "steps_repeated": ("patch",),
    "aliasing": ("patch",),
    "hidden_state": ("patch",),
    "not_computable": ("patch",),
    "negative_index": ("patch",),
    "character_slip": ("strings-line",),
    "string_semantics": ("strings-line",),
    "comparison": ("patch",),
    "arithmetic": ("patch",),
    "container_handling": ("patch",),
}
# Confirmed without a new prediction: executing the program shows that the trace is correct.
CONFIRMED_BY_EXECUTION: frozenset[CauseName] = frozenset({"answer_extraction", "wrong_reference"})
