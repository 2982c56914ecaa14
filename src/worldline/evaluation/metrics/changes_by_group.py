"""Gains and losses between two runs in groups of samples."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from worldline.analysis.stats import Difference, accuracy_difference, adjust_p_values
from worldline.core.util.text import truncate_text
from worldline.evaluation.metrics.grouped_accuracy import QuerySource, group_by_source
from worldline.evaluation.metrics.pairing import Pair

# Fields of the diagnosis by which failures are grouped.
_DIAGNOSIS_FIELDS = ("outcome", "differs_in", "kind", "cause")


@dataclass(frozen=True, slots=True)
class GroupChange:
    """Gains and losses in one group of the shared samples.

    If the source is `diagnosis`, a group is one value of a field, such as the cause `copy_error`. A
    pair is in the group if a failure of either run has this value. It counts as gained or lost only
    if a failure of the less accurate run has it.

    Attributes:
        source: What the samples are grouped by.
        name: The field, facet or measure of difficulty.
        group: Its value or bin.
        pairs: The number of pairs in the group.
        gained: Pairs in which the second run is more accurate.
        lost: Pairs in which the second run is less accurate.
        difference: The difference in accuracy.
        adjusted_p: The p-value, adjusted for the number of groups with a change; None in a group
            without one.
    """

    source: QuerySource | Literal["diagnosis"]
    name: str
    group: str
    pairs: int
    gained: int
    lost: int
    difference: Difference
    adjusted_p: float | None

    def __repr__(self) -> str:
        group = truncate_text(f"{self.name} {self.group}", 40)
        return f"GroupChange({group}: {self.gained} gained, {self.lost} lost of {self.pairs} pairs)"


def find_changes(pairs: Sequence[Pair]) -> tuple[GroupChange, ...]:
    """Find gains and losses by diagnosis, by facet and by difficulty."""
    changes = [*_changes_by_diagnosis(pairs), *_changes_by_group(pairs)]
    # A group without a change could not have been significant, so it does not count as a test.
    tested = [index for index, change in enumerate(changes) if change.gained or change.lost]
    p_values = adjust_p_values([changes[index].difference.p for index in tested])
    for index, p in zip(tested, p_values, strict=True):
        changes[index] = replace(changes[index], adjusted_p=p)
    return tuple(changes)


def _changes_by_diagnosis(pairs: Sequence[Pair]) -> Iterator[GroupChange]:
    for field in _DIAGNOSIS_FIELDS:
        gains: dict[str, list[float]] = defaultdict(list)
        for pair in pairs:
            changed_values = {getattr(sample, field) for sample in pair.failures_of_worse}
            for value in {getattr(sample, field) for sample in pair.failures} - {None}:
                gains[value].append(pair.gain if value in changed_values else 0.0)
        for value in sorted(gains, key=lambda value: (-len(gains[value]), value)):
            yield _group_change("diagnosis", field, value, gains[value])


def _changes_by_group(pairs: Sequence[Pair]) -> Iterator[GroupChange]:
    gains = {pair.sample: pair.gain for pair in pairs}
    for source, grouping in group_by_source({pair.sample: (*pair.a, *pair.b) for pair in pairs}):
        for name, groups in grouping.items():
            for group, samples in groups.items():
                yield _group_change(source, name, group, [gains[sample] for sample in samples])


def _group_change(
    source: QuerySource | Literal["diagnosis"], name: str, group: str, gains: Sequence[float]
) -> GroupChange:
    gained, lost = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    difference = accuracy_difference(gains)
    return GroupChange(source, name, group, len(gains), gained, lost, difference, None)
