"""Accuracy on composed functions, compared with the accuracy on their functions alone.

The baseline of a composition is the product of the accuracies of its functions alone (its atoms).
There are two comparisons. In each, the observed and the expected share have the same kind of
denominator and the same samples:

- of all: every sample that is not correct counts as a failure, truncated ones included. Functions
  alone are short and hardly ever truncated, so a gap may be caused by the token limit.
- of answered: only samples with an answer, and only answers of the functions alone. Truncation has
  no influence, but samples with an answer are the easier ones, and those that diverged and
  continued until they were truncated are missing: read it with `diverged_before_truncation`.

Samples with an infrastructure error are in neither. Repeats count as samples. With few atoms the
baselines are coarse (a function with 4 of 5 correct may have an accuracy of 90%), and a little too
high if a function occurs twice in one composition.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldline.core.errors import InputError
from worldline.evaluation.metrics.run_accuracy import is_answered, is_graded
from worldline.evaluation.runs.scored_sample import ScoredSample

# Facets that all questions of the benchmark `composition` have, and no other questions.
FACETS = ("data_type", "depth", "form", "functions")


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Numbers of samples by verdict, and of those that diverged before they were truncated."""

    correct: int
    incorrect: int
    no_answer: int
    truncated: int
    infra_error: int
    diverged_before_truncation: int

    @property
    def answered(self) -> int:
        """Samples with an answer."""
        return self.correct + self.incorrect

    @property
    def all(self) -> int:
        """Samples without an infrastructure error."""
        return self.answered + self.no_answer + self.truncated


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """The number of correct samples, compared with the number expected from the functions alone.

    Attributes:
        samples: Samples with a baseline.
        correct: Correct ones among them.
        expected: The sum of their baselines.
        left_out: Samples without a baseline, because a function was not predicted alone.
    """

    samples: int
    correct: int
    expected: float
    left_out: int

    @property
    def observed(self) -> float | None:
        """The share of correct samples, of those with a baseline."""
        return self.correct / self.samples if self.samples else None

    @property
    def baseline(self) -> float | None:
        """The share expected if a composition only needs each of its functions to be correct."""
        return self.expected / self.samples if self.samples else None


@dataclass(frozen=True, slots=True)
class CompositionCell:
    """The results for one data type, depth and form."""

    data_type: str
    depth: int
    form: str
    tally: VerdictCounts
    of_all: BaselineComparison
    of_answered: BaselineComparison

    def __repr__(self) -> str:
        return (
            f"CompositionCell({self.data_type}, depth {self.depth}, {self.form}: "
            f"{self.tally.correct} of {self.tally.all} correct)"
        )


@dataclass(frozen=True, slots=True)
class CompositionResult:
    """The results of a composition run: cells, and functions alone by name and by data type."""

    cells: tuple[CompositionCell, ...]
    atoms: Mapping[str, VerdictCounts]
    atoms_by_type: Mapping[str, VerdictCounts]

    def __repr__(self) -> str:
        return f"CompositionResult({len(self.cells)} cells, {len(self.atoms)} atoms)"


def measure_composition(samples: Sequence[ScoredSample]) -> CompositionResult:
    """Compare the accuracy on compositions with that on their functions alone.

    string_reverse correct in 4 of 5 alone, string_upper in 5 of 5 ->
    a baseline of 0.8 for a composition of both

    Raises:
        InputError: The samples are not of the benchmark `composition`.
    """
    alone: dict[str, list[ScoredSample]] = defaultdict(list)
    by_type: dict[str, list[ScoredSample]] = defaultdict(list)
    composed: dict[tuple[str, int, str], list[ScoredSample]] = defaultdict(list)
    for sample in samples:
        data_type, depth, form = _cell_key(sample)
        if form == "atom":
            alone[str(sample.facets["functions"])].append(sample)
            by_type[data_type].append(sample)
        else:
            composed[data_type, depth, form].append(sample)
    atoms = {name: _count_verdicts(group) for name, group in sorted(alone.items())}
    return CompositionResult(
        cells=tuple(_cell(key, group, atoms) for key, group in sorted(composed.items())),
        atoms=atoms,
        atoms_by_type={name: _count_verdicts(group) for name, group in sorted(by_type.items())},
    )


def _cell_key(sample: ScoredSample) -> tuple[str, int, str]:
    missing = [name for name in FACETS if name not in sample.facets]
    if missing:
        raise InputError(
            f"{sample.sample} has no {', '.join(missing)} among its facets: only runs of the "
            "benchmark 'composition' have these results"
        )
    facets = sample.facets
    return str(facets["data_type"]), int(facets["depth"]), str(facets["form"])


def _count_verdicts(samples: Iterable[ScoredSample]) -> VerdictCounts:
    verdicts: Counter[str] = Counter()
    for sample in samples:
        verdicts[sample.verdict] += 1
        has_diverged = sample.verdict == "truncated" and sample.step is not None
        verdicts["diverged_before_truncation"] += has_diverged
    return VerdictCounts(
        correct=verdicts["correct"],
        incorrect=verdicts["incorrect"],
        no_answer=verdicts["no_answer"],
        truncated=verdicts["truncated"],
        infra_error=verdicts["infra_error"],
        diverged_before_truncation=verdicts["diverged_before_truncation"],
    )


def _cell(
    key: tuple[str, int, str], samples: Sequence[ScoredSample], atoms: Mapping[str, VerdictCounts]
) -> CompositionCell:
    graded, answered = list(filter(is_graded, samples)), list(filter(is_answered, samples))
    return CompositionCell(
        *key,
        tally=_count_verdicts(samples),
        of_all=_compare_with_baseline(graded, atoms, lambda tally: tally.all),
        of_answered=_compare_with_baseline(answered, atoms, lambda tally: tally.answered),
    )


def _compare_with_baseline(
    samples: Sequence[ScoredSample],
    atoms: Mapping[str, VerdictCounts],
    denominator: Callable[[VerdictCounts], int],
) -> BaselineComparison:
    shares = {
        name: tally.correct / denominator(tally)
        for name, tally in atoms.items()
        if denominator(tally)
    }
    correct = 0
    products: list[float] = []
    for sample in samples:
        names = str(sample.facets["functions"]).split()
        if all(name in shares for name in names):
            products.append(math.prod(shares[name] for name in names))
            correct += sample.verdict == "correct"
    return BaselineComparison(
        len(products), correct, math.fsum(products), len(samples) - len(products)
    )
