"""Judged samples go in; how many steps predictions stay right for comes out.

Steps are counted from 1: a sample is right for t steps when its first t steps are those of the real
execution. One that the token budget cut says nothing of what comes behind: it counts as long as it
was seen, and then no more (the estimate of Kaplan and Meier). So does one whose program has ended:
far out, only long programs are left, and the curve is theirs.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from worldline.measures.accuracy import is_judged
from worldline.runs.judged import Judged

# Outcomes of a trace that is right to its end. One that an exception ends may lack the last step.
_WHOLE = ("correct", "answer_lost", "reference_wrong")


@dataclass(frozen=True, slots=True)
class Risk:
    """A step at which predictions went wrong.

    Of the `at_risk` that were right before it and wrote it, so many diverged there, and for so
    many something stands there that is no step.
    """

    step: int
    at_risk: int
    diverged: int
    malformed: int

    @property
    def lost(self) -> int:
        """Those that were right before this step and not with it."""
        return self.diverged + self.malformed


@dataclass(frozen=True, slots=True)
class Point:
    """The curve at one step.

    Of the samples that have so many steps (`reached`), `right` are right up to this one and with
    it, `lost` are not, and of `unseen` it is not known: they ended before. `survival` is the
    estimate from all samples, `at_risk` how many of them still say something of this step. Since
    the point before, `steps` were written by samples that had been right, of which `lost_since`
    were not.
    """

    step: int
    reached: int
    right: int
    lost: int
    unseen: int
    at_risk: int
    survival: float
    steps: int
    lost_since: int

    @property
    def per_step(self) -> float | None:
        """The share of right steps since the point before."""
        return 1 - self.lost_since / self.steps if self.steps else None


@dataclass(frozen=True, slots=True)
class Horizon:
    """How far predictions stay right: the curve, and every step at which one was lost.

    `samples` have steps: `diverged`, `malformed`, `whole` (right to the program's end; `ran_on` of
    them wrote more steps behind it) or `unseen` (ended before it, right so far: cut). Outside are
    `without_steps` and `failed`. Of all `steps` that were written by samples that had been right,
    diverged + malformed were not. Of `unknown_length` samples it is not known how many steps their
    program has: they count among `reached` only as far as they were seen.
    """

    samples: int
    diverged: int
    malformed: int
    whole: int
    ran_on: int
    unseen: int
    without_steps: int
    failed: int
    unknown_length: int
    steps: int
    points: tuple[Point, ...]
    risks: tuple[Risk, ...]

    @property
    def lost(self) -> int:
        """Samples that went wrong at some step."""
        return self.diverged + self.malformed

    @property
    def per_step(self) -> float | None:
        """The share of right steps, of those written by samples that had been right."""
        return 1 - self.lost / self.steps if self.steps else None


@dataclass(frozen=True, slots=True)
class _Course:
    """How one sample went: right for so many steps, how it ended, and what its program has."""

    right: int
    end: str
    length: int
    is_length_known: bool
    has_run_on: bool

    @property
    def is_lost(self) -> bool:
        return self.end in ("diverged", "malformed")

    @property
    def seen(self) -> int:
        """The steps that it says something of: those that are right, and one that is not."""
        return self.right + self.is_lost


def measure_horizon(samples: Sequence[Judged]) -> Horizon:
    """How many samples stay right for 1, 2, 4, 8 … steps.

    One of 4 steps, all right; one of 4, cut behind 2; one of 4, wrong at the third
    -> survival 1.0 at 1 and 2, 0.5 at 4 (at step 3 two were at risk and one was lost)
    """
    judged = list(filter(is_judged, samples))
    courses = [found for sample in judged if (found := _course(sample)) is not None]
    ends = Counter(course.end for course in courses)
    risks = _risks(courses)
    return Horizon(
        samples=len(courses),
        diverged=ends["diverged"],
        malformed=ends["malformed"],
        whole=ends["whole"],
        ran_on=sum(course.has_run_on for course in courses),
        unseen=ends["unseen"],
        without_steps=len(judged) - len(courses),
        failed=len(samples) - len(judged),
        unknown_length=sum(not course.is_length_known for course in courses),
        steps=sum(course.seen for course in courses),
        points=_points(courses, risks),
        risks=risks,
    )


def _course(sample: Judged) -> _Course | None:
    """How a sample went; none where it has no steps."""
    right, length = sample.matched_steps, sample.true_steps
    if right is None:
        return None
    if length is None and "steps" in sample.difficulty:
        length = int(sample.difficulty["steps"])
    has_ended = length is not None and right >= length
    if has_ended or sample.outcome in _WHOLE:
        end = "whole"
    elif sample.step is not None:
        end = "diverged"
    else:
        end = "malformed" if sample.outcome == "malformed" else "unseen"
    seen = right + (end in ("diverged", "malformed"))
    return _Course(
        right=right,
        end=end,
        length=seen if length is None else length,
        is_length_known=length is not None,
        has_run_on=has_ended and sample.step is not None,
    )


def _risks(courses: Sequence[_Course]) -> tuple[Risk, ...]:
    seen = sorted(course.seen for course in courses)
    lost = Counter((course.seen, course.end) for course in courses if course.is_lost)
    return tuple(
        Risk(step, _at_least(seen, step), lost[step, "diverged"], lost[step, "malformed"])
        for step in sorted({step for step, _ in lost})
    )


def _points(courses: Sequence[_Course], risks: Sequence[Risk]) -> tuple[Point, ...]:
    seen = sorted(course.seen for course in courses)
    points: list[Point] = []
    before, step = 0, 1
    while seen and step <= seen[-1]:
        reached = [course for course in courses if course.length >= step]
        right = sum(course.right >= step for course in reached)
        lost = sum(course.is_lost and course.seen <= step for course in reached)
        survival = 1.0
        for risk in risks:
            if risk.step <= step:
                survival *= 1 - risk.lost / risk.at_risk
        points.append(
            Point(
                step=step,
                reached=len(reached),
                right=right,
                lost=lost,
                unseen=len(reached) - right - lost,
                at_risk=_at_least(seen, step),
                survival=survival,
                steps=sum(max(0, min(each, step) - before) for each in seen),
                lost_since=sum(risk.lost for risk in risks if before < risk.step <= step),
            )
        )
        before, step = step, step * 2
    return tuple(points)


def _at_least(ordered: Sequence[int], step: int) -> int:
    """How many of the numbers, which stand in order, are not below this one."""
    return len(ordered) - bisect_left(ordered, step)
