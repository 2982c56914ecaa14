"""What came behind a divergence: did the imagined execution find back to the real one?"""

from dataclasses import dataclass
from difflib import SequenceMatcher

from worldline.align.equality import canonical, compare
from worldline.codecs import Decoded
from worldline.trace import Step, Trace, states

# How many real steps further than it wrote a prediction may have got.
REACH = 1_000


@dataclass(frozen=True, slots=True)
class Recovery:
    """What happened behind the divergence.

    `times`: how often the imagined execution found back to the real one (runs of steps that
    match in event, line and full state); `steps`: how many steps those are.
    """

    times: int
    steps: int
    is_result_right: bool | None


def find_recovery(truth: Trace, predicted: Decoded, start: int) -> Recovery:
    """Look for runs of steps behind the divergence that match in event, line and full state."""
    real = truth.steps[: len(predicted.steps) + REACH]
    # Where some states are not shown, none can be compared: which steps are paired is not known.
    has_states = all(written.shows_state for written in predicted.written)
    ours = _keys(real, [truth.source_line(s) for s in real], predicted.knows_events, has_states)
    theirs = _keys(
        predicted.steps, [w.line for w in predicted.written], predicted.knows_events, has_states
    )
    blocks = SequenceMatcher(
        None, ours[start:], theirs[start:], autojunk=False
    ).get_matching_blocks()
    # A single step can agree by chance; two in a row, with their whole states, hardly do.
    found = [block.size for block in blocks if block.size >= 2]
    return Recovery(len(found), sum(found), _is_result_right(truth, predicted))


def _keys(
    steps: tuple[Step, ...], lines: list[str], knows_events: bool, has_states: bool
) -> list[str]:
    """Each step as one text: what it shows, with all locals."""
    keys = []
    for step, state, line in zip(steps, states(steps), lines, strict=True):
        event = step.event if knows_events or not step.has_locals else "step"
        if step.has_locals and not has_states:
            shown = ""
        elif step.has_locals:
            shown = repr(sorted((name, canonical(value)) for name, value in state.items()))
        else:
            shown = canonical(str(step.value))
        keys.append(f"{event}\0{line}\0{shown}")
    return keys


def _is_result_right(truth: Trace, predicted: Decoded) -> bool | None:
    """Whether the imagined execution returned what the real one did; none if it never returned."""
    if truth.result is None or predicted.stop != "ended" or not predicted.steps:
        return None
    last = predicted.steps[-1]
    if last.event != "return" or last.scope != 0:
        return None
    return compare(truth.result, "None" if last.value is None else last.value).is_same
