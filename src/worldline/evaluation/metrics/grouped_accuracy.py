"""Accuracy of a run in groups of samples, by facet and by difficulty."""

from collections import defaultdict
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.core.util.text import truncate_text
from worldline.evaluation.metrics.binning import Grouping, Values, group_samples
from worldline.evaluation.metrics.run_accuracy import Accuracy, accuracy
from worldline.evaluation.runs.scored_sample import ScoredSample

# What samples are grouped by: facets of the benchmark, or difficulty of the actual execution.
QuerySource = Literal["facets", "difficulty"]


@dataclass(frozen=True, slots=True)
class GroupAccuracy:
    """The accuracy on one group of samples, such as `depth` `3` or `steps` `16–31`."""

    source: QuerySource
    name: str
    group: str
    accuracy: Accuracy

    def __repr__(self) -> str:
        group = truncate_text(f"{self.name} {self.group}", 40)
        return f"GroupAccuracy({group}: {self.accuracy.of_all!r})"


def accuracy_by_group(
    samples: Sequence[ScoredSample], *, names: Container[str] | None = None
) -> tuple[GroupAccuracy, ...]:
    """Measure the accuracy in each group of samples, by facet and by difficulty.

    Args:
        samples: The samples of a run.
        names: The facets and measures of difficulty to group by; by default all.
    """
    by_name = defaultdict(list)
    for sample in samples:
        by_name[sample.sample].append(sample)
    return tuple(
        GroupAccuracy(
            source, name, group, accuracy([sample for n in members for sample in by_name[n]])
        )
        for source, grouping in group_by_source(by_name, names=names)
        for name, groups in grouping.items()
        for group, members in groups.items()
    )


def group_by_source(
    by_name: Mapping[str, Sequence[ScoredSample]], *, names: Container[str] | None = None
) -> tuple[tuple[QuerySource, Grouping], ...]:
    """Group samples by their facets and by their difficulty, or by some of them."""
    facets = {n: consistent_values([s.facets for s in repeats]) for n, repeats in by_name.items()}
    difficulty = {
        n: consistent_values([s.difficulty for s in repeats]) for n, repeats in by_name.items()
    }
    return (
        ("facets", group_samples(facets, names=names)),
        ("difficulty", group_samples(difficulty, names=names, split_words=True)),
    )


def consistent_values(repeats: Sequence[Values]) -> Values:
    """The values of one sample on which all its repeats agree.

    [{"steps": 17, "calls": 2}, {"steps": 17, "calls": 3}, {}] -> {"steps": 17}
    """
    if len(repeats) == 1:
        return repeats[0]
    first: dict[str, str | int] = {}
    inconsistent = set()
    for values in repeats:
        for name, value in values.items():
            if first.setdefault(name, value) != value:
                inconsistent.add(name)
    return {name: value for name, value in first.items() if name not in inconsistent}
