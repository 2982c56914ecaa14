"""A run and what was tried on its failures go in; what each intervention turned right, what it
cost and what it broke comes out."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldline.intervene import INTERVENTIONS, InterventionName
from worldline.measures.accuracy import is_judged, share_of
from worldline.measures.pairs import mean_of, right_share
from worldline.runs import Judged, confirmed_causes, is_explained, sample_name
from worldline.stats import (
    Difference,
    Ratio,
    Share,
    mean_difference,
    ratio_of_totals,
    right_difference,
    share,
)

Rows = Mapping[str, tuple[Judged, ...]]
Tried = Mapping[InterventionName, Sequence[Judged]]
# What is set against what, on the failures that both were tried on: a change against mere chance,
# and what takes the truth against what takes the source alone.
CONTRASTS: tuple[tuple[InterventionName, InterventionName], ...] = (
    ("resample", "patch"),
    ("resample", "guided"),
    ("resample", "expressions-line"),
    ("resample", "strings-line"),
    ("guided", "patch"),
    ("guided", "force-actions"),
)


@dataclass(frozen=True, slots=True)
class Effect:
    """What one intervention did to the failures of one cause, or of all causes (none).

    `farther`: how many more steps are right. `tokens`: what the model wrote, as a multiple of what
    it wrote before.
    """

    intervention: InterventionName
    cause: str | None
    recovered: Share
    farther: Difference
    tokens: Ratio


@dataclass(frozen=True, slots=True)
class Contrast:
    """Two interventions on the same failures: how much more often the second turns one right."""

    first: InterventionName
    second: InterventionName
    difference: Difference


@dataclass(frozen=True, slots=True)
class Fix:
    """An intervention that takes no truth, as a way to use the model: what the accuracy of the run
    would gain (what it recovers, less what it breaks of the right ones that were asked), and at how
    many times the tokens. `low` and `high` are the gain by the worse and by the better ends of both
    intervals."""

    intervention: InterventionName
    recovered: Share
    broken: Share
    gain: float
    low: float
    high: float
    tokens: Ratio

    @property
    def is_shown(self) -> bool:
        """Whether it gains something even by the worse ends."""
        return self.low > 0


@dataclass(frozen=True, slots=True)
class Interventions:
    """What was learned of the failures of a run. `confirmed`: of the failures of each cause, how
    many turned right by what removes just that; `by` counts by which."""

    failures: int
    causes: Mapping[str, int]
    confirmed: Mapping[str, Share]
    by: Mapping[tuple[str, str], int]
    effects: tuple[Effect, ...]
    contrasts: tuple[Contrast, ...]
    fixes: tuple[Fix, ...]

    @property
    def cheapest(self) -> Fix | None:
        """Of the fixes that are shown to gain, or else seem to: the one of the fewest tokens."""
        shown = [fix for fix in self.fixes if fix.is_shown]
        gaining = shown or [fix for fix in self.fixes if fix.gain > 0]
        return min(gaining, key=lambda fix: fix.tokens.value or 0.0, default=None)


def measure_interventions(base: Sequence[Judged], tried: Tried) -> Interventions:
    """Count what interventions did, in pairs with what was before."""
    failed = {sample_name(row): row for row in base if is_explained(row)}
    right = {sample_name(row): row for row in base if row.verdict == "right"}
    causes = Counter(row.cause or "" for row in failed.values())
    confirmed = confirmed_causes(base, tried)
    counts = Counter(failed[name].cause or "" for name in confirmed)
    found = {name: _by_sample(rows) for name, rows in tried.items()}
    return Interventions(
        failures=len(failed),
        causes=dict(causes.most_common()),
        confirmed={cause: share(counts[cause], of) for cause, of in causes.most_common()},
        by=dict(Counter((failed[name].cause or "", by) for name, by in confirmed.items())),
        effects=tuple(_effects(found, failed)),
        contrasts=tuple(_contrasts(found, failed)),
        fixes=tuple(_fixes(found, failed, right)),
    )


def _by_sample(rows: Iterable[Judged]) -> Rows:
    found: dict[str, list[Judged]] = defaultdict(list)
    for row in filter(is_judged, rows):
        found[row.sample].append(row)
    return {name: tuple(rows) for name, rows in found.items()}


def _effects(
    tried: Mapping[InterventionName, Rows], failed: Mapping[str, Judged]
) -> Iterable[Effect]:
    causes = list(dict.fromkeys(row.cause for row in failed.values()))
    for name, rows in tried.items():
        for cause in (None, *causes):
            chosen = [n for n in rows if n in failed and cause in (None, failed[n].cause)]
            if chosen:
                yield _effect(name, cause, rows, failed, chosen)


def _effect(
    name: InterventionName,
    cause: str | None,
    rows: Rows,
    before: Mapping[str, Judged],
    chosen: Sequence[str],
) -> Effect:
    steps = [(before[n].matched_steps, mean_of(rows[n], "matched_steps")) for n in chosen]
    farther = [b - a for a, b in steps if a is not None and b is not None]
    return Effect(
        name,
        cause,
        share_of([row for n in chosen for row in rows[n]], is_judged),
        mean_difference(farther),
        _tokens(rows, before, chosen),
    )


def _tokens(rows: Rows, before: Mapping[str, Judged], chosen: Sequence[str]) -> Ratio:
    pairs = [(before[n].written_tokens, mean_of(rows[n], "written_tokens")) for n in chosen]
    known = [(float(a), b) for a, b in pairs if a is not None and b is not None]
    return ratio_of_totals([a for a, _ in known], [b for _, b in known])


def _contrasts(
    tried: Mapping[InterventionName, Rows], failed: Mapping[str, Judged]
) -> Iterable[Contrast]:
    for first, second in CONTRASTS:
        a, b = tried.get(first, {}), tried.get(second, {})
        both = [name for name in a if name in b and name in failed]
        if both:
            gains = [right_share(b[name]) - right_share(a[name]) for name in both]
            yield Contrast(first, second, right_difference(gains))


def _fixes(
    tried: Mapping[InterventionName, Rows],
    failed: Mapping[str, Judged],
    right: Mapping[str, Judged],
) -> Iterable[Fix]:
    judged = len(failed) + len(right)
    for name, rows in tried.items():
        hit = [n for n in rows if n in failed]
        if INTERVENTIONS[name].needs_truth or not hit:
            continue
        recovered = share_of([row for n in hit for row in rows[n]], is_judged)
        kept = [n for n in rows if n in right]
        lost = sum(right_share(rows[n]) < 1 for n in kept)
        broken = share(lost, len(kept))
        # It can only be done to some of them.
        of_failed, of_right = recovered.of / judged, len(right) / judged

        def gain(
            won: float | None, gone: float | None, a: float = of_failed, b: float = of_right
        ) -> float:
            return (won or 0.0) * a - (gone or 0.0) * b

        yield Fix(
            name,
            recovered,
            broken,
            gain(recovered.value, broken.value),
            gain(recovered.low, broken.high),
            gain(recovered.high, broken.low),
            _tokens(rows, {**failed, **right}, [*hit, *kept]),
        )
