"""A real trace and an imagined one go in; where they part, and what comes after, comes out."""

from collections.abc import Mapping
from dataclasses import dataclass

from worldline.align.breakoff import divergence_within_cut
from worldline.align.comprehensions import comparable
from worldline.align.divergence import Divergence
from worldline.align.equality import compare
from worldline.align.realsteps import Guess, RealSteps
from worldline.align.recovery import Recovery, find_recovery
from worldline.codecs import Decoded
from worldline.trace import Trace


@dataclass(frozen=True, slots=True)
class Alignment:
    """The two executions side by side up to where they part.

    `truth` and `predicted` are what was compared, and what steps are counted in: without the
    steps inside comprehensions where the two come from different Pythons (`is_folded`). `matched`
    steps are the same; `rules` counts the equality rules that it took. Without a divergence the
    imagined one is a beginning of the real one, or all of it.
    """

    truth: Trace
    predicted: Decoded
    is_folded: bool
    matched: int
    is_whole: bool
    divergence: Divergence | None
    recovery: Recovery | None
    rules: Mapping[str, int]


def align(truth: Trace, predicted: Decoded) -> Alignment:
    """Pair the steps of two executions, in order, up to where they part."""
    real, imagined = comparable(truth, predicted)
    steps = RealSteps(real)
    matched, divergence = _match(steps, imagined)
    if divergence is None:
        divergence = _end_divergence(steps, imagined, matched)
    return Alignment(
        truth=real,
        predicted=imagined,
        is_folded=real is not truth,
        matched=matched,
        is_whole=divergence is None and _is_whole(real, imagined, matched),
        divergence=divergence,
        recovery=None if divergence is None else find_recovery(real, imagined, matched),
        rules=dict(steps.rules),
    )


def align_result(truth: Trace, predicted: Decoded, said: str) -> Alignment:
    """Put an imagined result, without any steps, beside the real execution, which is whole.

    Only how it ended can be compared: by a value, or by an exception.
    """
    index = max(n for n, step in enumerate(truth.steps) if step.value is not None)
    last = truth.steps[index]
    is_same = truth.result is not None and compare(truth.result, said).is_same
    divergence = Divergence(
        step=index,
        where="return" if truth.result is not None else "exception",
        event=last.event,
        line=last.line,
        scope=last.scope,
        executed=last.line,
        true=last.value or "",
        predicted=said,
    )
    return Alignment(
        truth=truth,
        predicted=predicted,
        is_folded=False,
        matched=0,
        is_whole=is_same,
        divergence=None if is_same else divergence,
        recovery=None,
        rules={},
    )


def _match(steps: RealSteps, predicted: Decoded) -> tuple[int, Divergence | None]:
    """How many steps match, and the divergence behind them where both go on."""
    pairs = zip(steps.truth.steps, predicted.steps, predicted.written, strict=False)
    matched = 0
    for step, guess, written in pairs:
        said = Guess(
            guess.event,
            written.line,
            written.locals,
            guess.value,
            predicted.knows_events,
            written.number,
            written.shows_state,
        )
        divergence = steps.compare_step(matched, step, said)
        if divergence is not None:
            return matched, divergence
        steps.advance(step, shows_state=written.shows_state)
        matched += 1
    return matched, None


def _end_divergence(steps: RealSteps, predicted: Decoded, matched: int) -> Divergence | None:
    """All pairs match: does one side go on without the other?"""
    truth = steps.truth
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
            predicted_number=predicted.written[matched].number,
        )
    if matched >= len(truth.steps):
        return None
    step = truth.steps[matched]
    if predicted.stop == "cut":
        return divergence_within_cut(steps, matched, step, predicted.fragment)
    if predicted.stop == "damaged" or _is_left_by_exception(truth, matched):
        return None
    return Divergence(
        step=matched,
        where="end",
        event=step.event,
        line=step.line,
        scope=step.scope,
        executed=steps.executed(step),
        true=steps.program.line(step.line),
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
