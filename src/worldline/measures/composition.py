"""Judged samples of composed functions go in; what they reached, and their parts alone, comes out.

A composition is compared with its baseline: the product of how often each of its functions is
right when it is asked about alone. There are two such pairs, and in each the observed and the
expected share have one kind of denominator and are taken over the same samples:

- of all: whatever was not right counts as not right, a cut by the token budget as well. Functions
  alone are short and hardly ever cut, so a gap in this pair may be the budget's doing.
- of answered: only samples with an answer, and only answers of the functions alone. No cut has a
  part in it; but those that came to an answer are the easier ones, and a model that loses its way
  and goes on until it is cut is not among them: read it with `diverged_before_cut` beside it.

Samples that the infrastructure failed are in neither. Repeats of a question count as samples of
their own. A function that was right in 4 of 5 may well be right in 9 of 10: with few atoms,
baselines are coarse, and a little too high where a function comes twice in one composition.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldline.errors import InputError
from worldline.measures.accuracy import is_answered, is_judged
from worldline.runs.judged import Judged

# What only questions of that benchmark all have.
FACETS = ("data_type", "depth", "form", "functions")


@dataclass(frozen=True, slots=True)
class Tally:
    """Samples by their verdicts; `diverged_before_cut` of the `cut` were wrong already."""

    right: int
    wrong: int
    no_answer: int
    cut: int
    failed: int
    diverged_before_cut: int

    @property
    def answered(self) -> int:
        """Samples with an answer."""
        return self.right + self.wrong

    @property
    def all(self) -> int:
        """Samples that say something about the model: all but the failed ones."""
        return self.answered + self.no_answer + self.cut


@dataclass(frozen=True, slots=True)
class Paired:
    """How many of `samples` were right, and how many their functions alone let expect.

    `left_out` more samples have a function that was not asked about alone: they have no baseline,
    and are not in `right` either.
    """

    samples: int
    right: int
    expected: float
    left_out: int

    @property
    def observed(self) -> float | None:
        """The share that was right, of the samples that have a baseline."""
        return self.right / self.samples if self.samples else None

    @property
    def baseline(self) -> float | None:
        """The share that would be, if functions went right together as they do alone."""
        return self.expected / self.samples if self.samples else None


@dataclass(frozen=True, slots=True)
class Cell:
    """What the samples of one data type, depth and form reached."""

    data_type: str
    depth: int
    form: str
    tally: Tally
    of_all: Paired
    of_answered: Paired


@dataclass(frozen=True, slots=True)
class CompositionResult:
    """Cells by data type, depth and form; functions alone by name, and all those of a type."""

    cells: tuple[Cell, ...]
    atoms: Mapping[str, Tally]
    atoms_by_type: Mapping[str, Tally]


def measure_composition(samples: Sequence[Judged]) -> CompositionResult:
    """What compositions reached, beside what their functions alone let expect.

    string_reverse right in 4 of 5 alone, string_upper in 5 of 5 -> a baseline of 0.8 for both
    """
    alone: dict[str, list[Judged]] = defaultdict(list)
    by_type: dict[str, list[Judged]] = defaultdict(list)
    composed: dict[tuple[str, int, str], list[Judged]] = defaultdict(list)
    for sample in samples:
        data_type, depth, form = _place(sample)
        if form == "atom":
            alone[str(sample.facets["functions"])].append(sample)
            by_type[data_type].append(sample)
        else:
            composed[data_type, depth, form].append(sample)
    atoms = {name: _tally(found) for name, found in sorted(alone.items())}
    return CompositionResult(
        cells=tuple(_cell(place, found, atoms) for place, found in sorted(composed.items())),
        atoms=atoms,
        atoms_by_type={name: _tally(found) for name, found in sorted(by_type.items())},
    )


def _place(sample: Judged) -> tuple[str, int, str]:
    missing = [name for name in FACETS if name not in sample.facets]
    if missing:
        raise InputError(
            f"{sample.sample} has no {', '.join(missing)} among its facets: only runs of the "
            "benchmark 'composition' can be measured so"
        )
    facets = sample.facets
    return str(facets["data_type"]), int(facets["depth"]), str(facets["form"])


def _tally(samples: Iterable[Judged]) -> Tally:
    verdicts: Counter[str] = Counter()
    for sample in samples:
        verdicts[sample.verdict] += 1
        verdicts["diverged_before_cut"] += sample.verdict == "cut" and sample.step is not None
    return Tally(
        right=verdicts["right"],
        wrong=verdicts["wrong"],
        no_answer=verdicts["no_answer"],
        cut=verdicts["cut"],
        failed=verdicts["failed"],
        diverged_before_cut=verdicts["diverged_before_cut"],
    )


def _cell(
    place: tuple[str, int, str], samples: Sequence[Judged], atoms: Mapping[str, Tally]
) -> Cell:
    judged, answered = list(filter(is_judged, samples)), list(filter(is_answered, samples))
    return Cell(
        *place,
        tally=_tally(samples),
        of_all=_paired(judged, atoms, lambda tally: tally.all),
        of_answered=_paired(answered, atoms, lambda tally: tally.answered),
    )


def _paired(
    samples: Sequence[Judged], atoms: Mapping[str, Tally], out_of: Callable[[Tally], int]
) -> Paired:
    shares = {name: tally.right / out_of(tally) for name, tally in atoms.items() if out_of(tally)}
    right = 0
    products: list[float] = []
    for sample in samples:
        names = str(sample.facets["functions"]).split()
        if all(name in shares for name in names):
            products.append(math.prod(shares[name] for name in names))
            right += sample.verdict == "right"
    return Paired(len(products), right, math.fsum(products), len(samples) - len(products))
