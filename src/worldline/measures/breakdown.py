"""Judged samples of a run go in; how it does on the easy and on the hard ones comes out."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.measures.accuracy import Accuracy, accuracy
from worldline.measures.groups import Grouping, Values, group_samples
from worldline.runs.judged import Judged

# Whose word a group is: the benchmark's own, or measured on the true execution.
Source = Literal["facets", "difficulty"]


@dataclass(frozen=True, slots=True)
class GroupAccuracy:
    """How a run does on the samples of one group: `depth` is `3`, `steps` are `16–31`."""

    source: Source
    name: str
    group: str
    accuracy: Accuracy


def breakdown(rows: Sequence[Judged]) -> tuple[GroupAccuracy, ...]:
    """The accuracy in each group of samples, by the benchmark's facets and by difficulty."""
    by_sample = defaultdict(list)
    for row in rows:
        by_sample[row.sample].append(row)
    return tuple(
        GroupAccuracy(source, name, group, accuracy([row for s in samples for row in by_sample[s]]))
        for source, grouping in groupings(by_sample)
        for name, groups in grouping.items()
        for group, samples in groups.items()
    )


def groupings(by_sample: Mapping[str, Sequence[Judged]]) -> tuple[tuple[Source, Grouping], ...]:
    """Samples grouped by what is known of each, from all its rows."""
    facets = {s: agreed([row.facets for row in rows]) for s, rows in by_sample.items()}
    measured = {s: agreed([row.difficulty for row in rows]) for s, rows in by_sample.items()}
    return (
        ("facets", group_samples(facets)),
        ("difficulty", group_samples(measured, is_listed=True)),
    )


def agreed(known: Sequence[Values]) -> Values:
    """What the rows of one sample say of it, without that in which they disagree.

    [{"steps": 17, "calls": 2}, {"steps": 17, "calls": 3}, {}] -> {"steps": 17}
    """
    first: dict[str, str | int] = {}
    disputed = set()
    for values in known:
        for name, value in values.items():
            if first.setdefault(name, value) != value:
                disputed.add(name)
    return {name: value for name, value in first.items() if name not in disputed}
