"""Difference of two executions of the same program."""

from worldline.core.trace.trace import Trace


def difference(trace: Trace, second: Trace) -> str:
    """The first difference of two executions, in words; "" if there is none."""
    if second.ending != trace.ending or len(second.steps) != len(trace.steps):
        return (
            f"{len(trace.steps)} steps, {trace.ending}; then {len(second.steps)}, {second.ending}"
        )
    for number, (step, second_step) in enumerate(zip(trace.steps, second.steps, strict=True)):
        if step != second_step:
            return f"step {number}"
    return "standard output" if second.stdout != trace.stdout else ""
