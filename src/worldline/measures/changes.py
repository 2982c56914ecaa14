"""Pairs of two runs go in; in which groups of samples B gained and lost comes out."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from worldline.measures.breakdown import Source, groupings
from worldline.measures.pairs import Pair
from worldline.stats import Difference, adjusted, right_difference

# What is known of an answer that is not right.
_DIAGNOSED = ("outcome", "differs_in", "kind", "cause")


@dataclass(frozen=True, slots=True)
class Change:
    """Gains and losses in one group of the shared samples.

    By `diagnosis`, a pair is in a group if either side has an answer that is not right and is
    diagnosed so (cause `miscopied`, say), and it gained or lost there if the side that is right
    less often has one. `adjusted_p` is adjusted for the number of groups in which anything
    changed; none in the others, which cannot say anything.
    """

    source: Source | Literal["diagnosis"]
    name: str
    group: str
    pairs: int
    gained: int
    lost: int
    difference: Difference
    adjusted_p: float | None


def find_changes(pairs: Sequence[Pair]) -> tuple[Change, ...]:
    """Gains and losses by diagnosis, by the benchmark's facets and by difficulty."""
    found = [*_by_diagnosis(pairs), *_by_groups(pairs)]
    # Where nothing changed nothing could have been found: it does not count as a try.
    tried = [place for place, change in enumerate(found) if change.gained or change.lost]
    p_values = adjusted([found[place].difference.p for place in tried])
    for place, p in zip(tried, p_values, strict=True):
        found[place] = replace(found[place], adjusted_p=p)
    return tuple(found)


def _by_diagnosis(pairs: Sequence[Pair]) -> Iterator[Change]:
    for name in _DIAGNOSED:
        groups: dict[str, list[float]] = defaultdict(list)
        for pair in pairs:
            lost_by = {getattr(row, name) for row in pair.losing}
            for word in {getattr(row, name) for row in pair.not_right} - {None}:
                groups[word].append(pair.gain if word in lost_by else 0.0)
        for word in sorted(groups, key=lambda word: (-len(groups[word]), word)):
            yield _change("diagnosis", name, word, groups[word])


def _by_groups(pairs: Sequence[Pair]) -> Iterator[Change]:
    gains = {pair.sample: pair.gain for pair in pairs}
    for source, grouping in groupings({pair.sample: (*pair.a, *pair.b) for pair in pairs}):
        for name, groups in grouping.items():
            for group, samples in groups.items():
                yield _change(source, name, group, [gains[sample] for sample in samples])


def _change(
    source: Source | Literal["diagnosis"], name: str, group: str, gains: Sequence[float]
) -> Change:
    gained, lost = sum(gain > 0 for gain in gains), sum(gain < 0 for gain in gains)
    difference = right_difference(gains)
    return Change(source, name, group, len(gains), gained, lost, difference, None)
