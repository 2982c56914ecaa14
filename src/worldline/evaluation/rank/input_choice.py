"""Choice of the inputs that distinguish candidates best."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldline.core.util.text import pluralize


@dataclass(frozen=True, slots=True)
class ChosenInput:
    """An input, and what it distinguishes.

    Attributes:
        call: The call.
        before: Sizes of the groups of candidates that the inputs chosen before did not distinguish,
            largest first.
        after: Sizes of the groups with this input.
        pairs: The number of pairs of candidates that this input distinguishes for the first time.
    """

    call: str
    before: tuple[int, ...]
    after: tuple[int, ...]
    pairs: int

    @property
    def reason(self) -> str:
        """Why it was chosen, in words.

        "it splits 8 candidates in 1 group into 3 groups of 5, 2, 1: 17 new pairs differ"
        """
        sizes = ", ".join(map(str, self.after[:8])) + (", …" if len(self.after) > 8 else "")
        pairs = f"{pluralize(self.pairs, 'new pair')} differ{'s' if self.pairs == 1 else ''}"
        return (
            f"it splits {pluralize(sum(self.before), 'candidate')} in "
            f"{pluralize(len(self.before), 'group')} into {pluralize(len(self.after), 'group')} "
            f"of {sizes}: {pairs}"
        )


def choose_inputs(
    outputs: Mapping[str, Sequence[str | None]], count: int
) -> tuple[ChosenInput, ...]:
    """Choose inputs one after the other, each the one that distinguishes most pairs of candidates.

    The choice is greedy: an input counts by the pairs that no earlier one has distinguished. Among
    equal inputs, one with more values wins, then the shorter one, then the earlier one. It ends
    early if no other input distinguishes anything.

    {"f(0)": ["0", "0", "0"], "f(2)": ["4", "4", "5"]}, 2 -> "f(2)" alone

    Args:
        outputs: For each call, the output of each candidate; None without a value.
        count: The number of inputs.
    """
    calls = list(outputs)
    n = len(outputs[calls[0]]) if calls else 0
    groups: list[tuple[int, ...]] = [tuple(range(n))] if n else []
    chosen: list[ChosenInput] = []
    while len(chosen) < count and calls:
        best = max(
            calls,
            key=lambda call: (
                _new_pairs(groups, outputs[call]),
                sum(output is not None for output in outputs[call]),
                -len(call),
            ),
        )
        pairs = _new_pairs(groups, outputs[best])
        if not pairs:
            break
        split = _split(groups, outputs[best])
        chosen.append(ChosenInput(best, _sizes(groups), _sizes(split), pairs))
        groups = split
        calls.remove(best)
    return tuple(chosen)


def _split(groups: Sequence[Sequence[int]], outputs: Sequence[str | None]) -> list[tuple[int, ...]]:
    parts: dict[tuple[int, str | None], list[int]] = defaultdict(list)
    for number, group in enumerate(groups):
        for position in group:
            parts[number, outputs[position]].append(position)
    return [tuple(part) for part in parts.values()]


def _new_pairs(groups: Sequence[Sequence[int]], outputs: Sequence[str | None]) -> int:
    """The number of pairs within a group that have different outputs."""
    return _pairs(groups) - _pairs(_split(groups, outputs))


def _pairs(groups: Sequence[Sequence[int]]) -> int:
    return sum(len(group) * (len(group) - 1) // 2 for group in groups)


def _sizes(groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(sorted(map(len, groups), reverse=True))
