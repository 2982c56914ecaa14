"""Effects of interventions: failures that became correct, tokens used, and what they broke."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldline.analysis.interventions import INTERVENTIONS, InterventionName
from worldline.analysis.stats import (
    Difference,
    Ratio,
    Share,
    accuracy_difference,
    mean_difference,
    ratio_of_totals,
    share,
)
from worldline.evaluation.metrics.pairing import correct_share, mean_over_repeats
from worldline.evaluation.metrics.run_accuracy import correct_share_of, is_graded
from worldline.evaluation.runs import ScoredSample, cause_tests, has_cause, sample_name

RepeatsByName = Mapping[str, tuple[ScoredSample, ...]]
SamplesByIntervention = Mapping[InterventionName, Sequence[ScoredSample]]
# Interventions that are compared on the failures they have in common: one against chance, or one
# that needs the actual execution against one that needs only the source.
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
    """The effect of one intervention on the failures of one cause.

    Attributes:
        intervention: The intervention.
        cause: The cause; None for all causes.
        recovered: The share of failures that became correct.
        farther: The difference in correct steps before the divergence.
        tokens: Generated tokens, as a multiple of those before.
    """

    intervention: InterventionName
    cause: str | None
    recovered: Share
    farther: Difference
    tokens: Ratio

    def __repr__(self) -> str:
        return (
            f"Effect({self.intervention} on {self.cause or 'all causes'}: "
            f"{self.recovered.correct} of {self.recovered.of} recovered)"
        )


@dataclass(frozen=True, slots=True)
class Contrast:
    """The difference in recovered failures between two interventions on the same failures."""

    first: InterventionName
    second: InterventionName
    difference: Difference


@dataclass(frozen=True, slots=True)
class Fix:
    """An intervention that does not need the actual execution, as a way to improve accuracy.

    Attributes:
        intervention: The intervention.
        recovered: The share of failures that became correct.
        broken: The share of correct samples that became incorrect.
        gain: The accuracy that the run would gain: recovered minus broken samples.
        low: The gain with the worse ends of both intervals.
        high: The gain with the better ends of both intervals.
        tokens: Generated tokens, as a multiple of those before.
    """

    intervention: InterventionName
    recovered: Share
    broken: Share
    gain: float
    low: float
    high: float
    tokens: Ratio

    def __repr__(self) -> str:
        return f"Fix({self.intervention}: gain {self.gain:+.3f} [{self.low:.3f}, {self.high:.3f}])"

    @property
    def is_shown(self) -> bool:
        """Whether the gain is positive even with the worse ends of the intervals."""
        return self.low > 0


@dataclass(frozen=True, slots=True)
class InterventionResults:
    """The results of all interventions on a run.

    Attributes:
        failures: The number of failures with a cause.
        causes: The number of failures of each cause.
        confirmed: For each cause, the share of failures whose cause is confirmed.
        refuted: For each cause, the share of failures whose cause is refuted.
        by: The number of confirmed failures by cause and by what confirmed them.
        refuted_by: The number of refuted failures by cause and by what refuted them.
        effects: The effects of each intervention on each cause.
        contrasts: Comparisons of two interventions.
        fixes: Interventions that could be used to improve accuracy.
    """

    failures: int
    causes: Mapping[str, int]
    confirmed: Mapping[str, Share]
    refuted: Mapping[str, Share]
    by: Mapping[tuple[str, str], int]
    refuted_by: Mapping[tuple[str, str], int]
    effects: tuple[Effect, ...]
    contrasts: tuple[Contrast, ...]
    fixes: tuple[Fix, ...]

    @property
    def cheapest(self) -> Fix | None:
        """The fix with the fewest tokens: of those with a certain gain, else with any gain."""
        certain = [fix for fix in self.fixes if fix.is_shown]
        candidates = certain or [fix for fix in self.fixes if fix.gain > 0]
        return min(candidates, key=lambda fix: fix.tokens.value or 0.0, default=None)

    def __repr__(self) -> str:
        confirmed = sum(share.correct for share in self.confirmed.values())
        refuted = sum(share.correct for share in self.refuted.values())
        return (
            f"InterventionResults({confirmed} of {self.failures} failures confirmed, "
            f"{refuted} refuted)"
        )


def measure_interventions(
    base: Sequence[ScoredSample], interventions: SamplesByIntervention
) -> InterventionResults:
    """Measure the effects of interventions, compared sample by sample with the original run.

    Args:
        base: The samples of the original run.
        interventions: The samples of each intervention.
    """
    failed = {sample_name(sample): sample for sample in base if has_cause(sample)}
    correct = {sample_name(sample): sample for sample in base if sample.verdict == "correct"}
    causes = Counter(sample.cause or "" for sample in failed.values())
    tests = cause_tests(base, interventions)
    confirmed, refuted = (
        Counter((failed[name].cause or "", by) for name, by in names.items())
        for names in (tests.confirmed, tests.refuted)
    )
    repeats = {name: _repeats_by_name(samples) for name, samples in interventions.items()}
    return InterventionResults(
        failures=len(failed),
        causes=dict(causes.most_common()),
        confirmed=_shares(confirmed, causes),
        refuted=_shares(refuted, causes),
        by=dict(confirmed),
        refuted_by=dict(refuted),
        effects=tuple(_effects(repeats, failed)),
        contrasts=tuple(_contrasts(repeats, failed)),
        fixes=tuple(_fixes(repeats, failed, correct)),
    )


def _shares(counts: Mapping[tuple[str, str], int], causes: Counter[str]) -> dict[str, Share]:
    """For each cause, the share of its failures that are counted."""
    return {
        cause: share(sum(n for (of_cause, _), n in counts.items() if of_cause == cause), of)
        for cause, of in causes.most_common()
    }


def _repeats_by_name(samples: Iterable[ScoredSample]) -> RepeatsByName:
    by_name: dict[str, list[ScoredSample]] = defaultdict(list)
    for sample in filter(is_graded, samples):
        by_name[sample.sample].append(sample)
    return {name: tuple(repeats) for name, repeats in by_name.items()}


def _effects(
    repeats: Mapping[InterventionName, RepeatsByName], failed: Mapping[str, ScoredSample]
) -> Iterable[Effect]:
    causes = list(dict.fromkeys(sample.cause for sample in failed.values()))
    for intervention, after in repeats.items():
        for cause in (None, *causes):
            names = [n for n in after if n in failed and cause in (None, failed[n].cause)]
            if names:
                yield _effect(intervention, cause, after, failed, names)


def _effect(
    intervention: InterventionName,
    cause: str | None,
    after: RepeatsByName,
    before: Mapping[str, ScoredSample],
    names: Sequence[str],
) -> Effect:
    steps = [(before[n].matched_steps, mean_over_repeats(after[n], "matched_steps")) for n in names]
    differences = [b - a for a, b in steps if a is not None and b is not None]
    return Effect(
        intervention,
        cause,
        correct_share_of([sample for n in names for sample in after[n]], is_graded),
        mean_difference(differences),
        _token_ratio(after, before, names),
    )


def _token_ratio(
    after: RepeatsByName, before: Mapping[str, ScoredSample], names: Sequence[str]
) -> Ratio:
    pairs = [
        (before[n].completion_tokens, mean_over_repeats(after[n], "completion_tokens"))
        for n in names
    ]
    known = [(float(a), b) for a, b in pairs if a is not None and b is not None]
    return ratio_of_totals([a for a, _ in known], [b for _, b in known])


def _contrasts(
    repeats: Mapping[InterventionName, RepeatsByName], failed: Mapping[str, ScoredSample]
) -> Iterable[Contrast]:
    for first, second in CONTRASTS:
        a, b = repeats.get(first, {}), repeats.get(second, {})
        shared = [name for name in a if name in b and name in failed]
        if shared:
            gains = [correct_share(b[name]) - correct_share(a[name]) for name in shared]
            yield Contrast(first, second, accuracy_difference(gains))


def _fixes(
    repeats: Mapping[InterventionName, RepeatsByName],
    failed: Mapping[str, ScoredSample],
    correct: Mapping[str, ScoredSample],
) -> Iterable[Fix]:
    total = len(failed) + len(correct)
    for intervention, after in repeats.items():
        failed_names = [n for n in after if n in failed]
        if INTERVENTIONS[intervention].needs_actual or not failed_names:
            continue
        correct_names = [n for n in after if n in correct]
        recovered = correct_share_of([s for n in failed_names for s in after[n]], is_graded)
        n_broken = sum(correct_share(after[n]) < 1 for n in correct_names)
        broken = share(n_broken, len(correct_names))
        # The intervention applies only to some of the failures.
        weights = recovered.of / total, len(correct) / total
        yield Fix(
            intervention,
            recovered,
            broken,
            _gain(recovered.value, broken.value, weights),
            _gain(recovered.low, broken.high, weights),
            _gain(recovered.high, broken.low, weights),
            _token_ratio(after, {**failed, **correct}, [*failed_names, *correct_names]),
        )


def _gain(recovered: float | None, broken: float | None, weights: tuple[float, float]) -> float:
    """The gain in accuracy; `weights` are the shares of treated failures and correct samples."""
    return (recovered or 0.0) * weights[0] - (broken or 0.0) * weights[1]
