"""A real trace and an imagined one go in; where they part, and what comes after, comes out."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.align.breakoff import divergence_within_cut
from worldline.align.divergence import Divergence
from worldline.align.recovery import Recovery, find_recovery
from worldline.align.walk import Guess, Walk
from worldline.codecs import Decoded
from worldline.trace import Trace


@dataclass(frozen=True, slots=True)
class Alignment:
    """The two executions side by side up to where they part.

    `matched` steps are the same; `rules` counts the equality rules that it took. Without a
    divergence the imagined one is a beginning of the real one, or all of it.
    """

    matched: int
    is_whole: bool
    divergence: Divergence | None
    recovery: Recovery | None
    rules: Mapping[str, int] = field(default_factory=dict)


def align(truth: Trace, predicted: Decoded) -> Alignment:
    """Pair the steps of two executions, in order, up to where they part."""
    walk = Walk(truth)
    for index, (step, guess, written) in enumerate(
        zip(truth.steps, predicted.steps, predicted.written, strict=False)
    ):
        divergence = walk.compare_step(
            index,
            step,
            Guess(guess.event, written.line, written.locals, guess.value, predicted.knows_events),
        )
        if divergence is not None:
            return Alignment(
                index, False, divergence, find_recovery(truth, predicted, index), dict(walk.rules)
            )
        walk.advance(step)
    matched = min(len(truth.steps), len(predicted.steps))
    divergence = _end_divergence(walk, predicted, matched)
    is_whole = divergence is None and _is_whole(truth, predicted, matched)
    recovery = None if divergence is None else find_recovery(truth, predicted, matched)
    return Alignment(matched, is_whole, divergence, recovery, dict(walk.rules))


def _end_divergence(walk: Walk, predicted: Decoded, matched: int) -> Divergence | None:
    """All pairs match: does one side go on without the other?"""
    truth = walk.truth
    if len(predicted.steps) > matched:
        if not truth.is_whole:
            return None
        last, extra = truth.steps[-1], predicted.steps[matched]
        return Divergence(
            step=matched,
            where="end",
            event=None,
            line=last.line,
            scope=last.scope,
            executed=last.line,
            true="the end",
            predicted=predicted.written[matched].line,
            predicted_event=extra.event,
            predicted_line=predicted.written[matched].line,
        )
    if matched >= len(truth.steps):
        return None
    step = truth.steps[matched]
    if predicted.stop == "cut":
        return divergence_within_cut(walk, matched, step, predicted.fragment)
    if predicted.stop == "damaged" or _is_left_by_exception(truth, matched):
        return None
    return Divergence(
        step=matched,
        where="end",
        event=step.event,
        line=step.line,
        scope=step.scope,
        executed=walk.executed(step),
        true=walk.program.line(step.line),
        predicted="the end",
    )


def _is_left_by_exception(truth: Trace, matched: int) -> bool:
    """Whether only the unwinding of the entry point is missing, which CWM's own traces omit."""
    step = truth.steps[matched]
    is_last = matched == len(truth.steps) - 1
    return is_last and step.event == "return" and step.value is None


def _is_whole(truth: Trace, predicted: Decoded, matched: int) -> bool:
    if not truth.is_whole or predicted.stop == "damaged":
        return False
    return matched == len(truth.steps) or _is_left_by_exception(truth, matched)
