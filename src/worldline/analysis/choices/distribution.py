"""Distribution of the results of a program with choices, or of its states at a step."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from worldline.analysis.choices.choice_tree import (
    MAX_EXECUTIONS,
    Leaf,
    ResultRecorder,
    enumerate_executions,
)
from worldline.analysis.choices.possibility import ChoiceRecorder
from worldline.core.trace import Limits, Program, Trace, state_at

# A state is the step of a complete trace, which takes longer to record than a result.
MAX_TRACES = 2_000
_DRAW_LIMITS = Limits(seconds=300.0, cpu_seconds=300)


@dataclass(frozen=True, slots=True)
class Distribution:
    """Outcomes of a program and their probabilities, the most probable first.

    Attributes:
        probabilities: For each outcome, as text, its probability. An exception is "raises …".
        executions: The number of executions.
        is_exact: Whether all executions were enumerated; otherwise they were sampled.
    """

    probabilities: Mapping[str, Fraction]
    executions: int
    is_exact: bool

    def __repr__(self) -> str:
        kind = "exact" if self.is_exact else f"{self.executions:,} draws"
        return f"Distribution({len(self.probabilities)} outcomes, {kind})"


def result_distribution(
    program: Program,
    recorder: ResultRecorder,
    *,
    draws: int | None = None,
    seed: int = 0,
    max_executions: int = MAX_EXECUTIONS,
    limits: Limits | None = None,
) -> Distribution:
    """The distribution of a program's results; for a module, of what it prints.

    Args:
        program: The program.
        recorder: Executes the program.
        draws: Sample this many executions; by default, all are enumerated.
        seed: Seed of the samples.
        max_executions: Maximum number of executions to enumerate.
        limits: Limits of all draws together, or of 500 enumerated executions.

    Raises:
        NotFiniteError: The program cannot be enumerated.
    """
    if draws is not None:
        counts = recorder.draw_results(program, draws, seed=seed, limits=limits or _DRAW_LIMITS)
        shares = {outcome: Fraction(count, draws) for outcome, count in counts.items()}
        return make_distribution(
            [(_outcome_text(*outcome), share) for outcome, share in shares.items()],
            executions=draws,
            is_exact=False,
        )
    leaves = enumerate_executions(program, recorder, max_executions=max_executions, limits=limits)
    pairs = [
        (_outcome_text(leaf.execution.ending, leaf.execution.result), leaf.probability)
        for leaf in leaves
    ]
    return make_distribution(pairs, executions=len(leaves), is_exact=True)


def state_distribution(
    program: Program, leaves: list[Leaf], recorder: ChoiceRecorder, step: int
) -> Distribution:
    """The distribution of the states at one step, over enumerated executions.

    Args:
        program: The program.
        leaves: Its executions, from `enumerate_executions`.
        recorder: Records a trace of each.
        step: The number of the step.
    """
    pairs = []
    for leaf in leaves:
        trace, _ = recorder.record_choosing(
            program, leaf.execution.choices, is_systematic=True, limits=Limits(steps=step + 1)
        )
        pairs.append((_state_text(trace, step), leaf.probability))
    return make_distribution(pairs, executions=len(leaves), is_exact=True)


def _state_text(trace: Trace, step: int) -> str:
    """A step as text: "line 4: x=1, y=2"; or that there is none."""
    if step >= len(trace.steps):
        return f"the program ended before step {step}"
    at_step = trace.steps[step]
    if not at_step.has_locals:
        return f"line {at_step.line}: {at_step.event} {at_step.value}"
    order = {name: n for n, name in enumerate(trace.scopes[at_step.scope].variables)}
    variables = sorted(
        state_at(trace.steps, step).items(), key=lambda item: order.get(item[0], len(order))
    )
    state = ", ".join(f"{name}={value}" for name, value in variables)
    return f"line {at_step.line}: {state}"


def _outcome_text(ending: str, result: str) -> str:
    return {"finished": "", "raised": "raises ", "exited": "exits "}[ending] + result


def make_distribution(
    pairs: Sequence[tuple[str, Fraction]], *, executions: int, is_exact: bool
) -> Distribution:
    """Add up the probabilities of equal outcomes."""
    totals: dict[str, Fraction] = defaultdict(Fraction)
    for text, probability in pairs:
        totals[text] += probability
    ordered = sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    return Distribution(dict(ordered), executions, is_exact)
