"""What is known of samples, by name, goes in; groups of samples alike in it come out."""

from collections import Counter, defaultdict
from collections.abc import Mapping

# A benchmark's own facets or a difficulty, and its groups of samples in the order to read them in.
Grouping = dict[str, dict[str, list[str]]]
Values = Mapping[str, str | int]

# So many different numbers are shown as they are, more in bins; more words are `others`, and so
# many are names, not groups.
_MOST_NUMBERS = 8
_MOST_WORDS = 12
_NAMES = 24


def group_samples(values: Mapping[str, Values], *, is_listed: bool = False) -> Grouping:
    """Group samples by each thing that is known of them.

    Up to eight different numbers are groups of their own; more are put into bins that end at
    powers of two, which are the same for every run. A word is a group; with `is_listed` a text
    is a list of words, and its sample is in the group of each. Of many words the rarest are
    `others`; more than two dozen are names, and group nothing.

    {"a": {"depth": 1}, "b": {"depth": 2}} -> {"depth": {"1": ["a"], "2": ["b"]}}
    """
    names: dict[str, dict[str, str | int]] = {}
    for sample, known in values.items():
        for name, value in known.items():
            names.setdefault(name, {})[sample] = value
    grouped = {name: _groups(found, is_listed) for name, found in names.items()}
    return {name: groups for name, groups in grouped.items() if groups}


def _groups(found: Mapping[str, str | int], is_listed: bool) -> dict[str, list[str]]:
    numbers = {sample: value for sample, value in found.items() if isinstance(value, int)}
    if len(numbers) == len(found):
        return _number_groups(numbers)
    words = {
        sample: dict.fromkeys(str(value).split() if is_listed else [str(value)])
        for sample, value in found.items()
    }
    counts = Counter(word for some in words.values() for word in some)
    if len(counts) > _NAMES:
        return {}
    kept = sorted(counts, key=lambda word: (-counts[word], word))[:_MOST_WORDS]
    groups: dict[str, list[str]] = {word: [] for word in kept}
    others: list[str] = []
    for sample, some in words.items():
        for word in some:
            groups.get(word, others).append(sample)
    # A word of the benchmark's own may be `others`, too.
    rest = [*groups.get("others", ()), *others]
    return groups | ({"others": list(dict.fromkeys(rest))} if rest else {})


def _number_groups(numbers: Mapping[str, int]) -> dict[str, list[str]]:
    is_binned = len(set(numbers.values())) > _MOST_NUMBERS
    groups = defaultdict(list)
    for sample, number in sorted(numbers.items(), key=lambda item: item[1]):
        groups[bin_of(number) if is_binned else str(number)].append(sample)
    return dict(groups)


def bin_of(number: int) -> str:
    """The bin that a number is in: up to the next power of two.

    0 -> "0"; 1 -> "1"; 3 -> "2–3"; 20 -> "16–31"; -7 -> "below 0"
    """
    if number < 0:
        return "below 0"
    if number < 2:
        return str(number)
    low = 1 << (number.bit_length() - 1)
    return f"{low}–{2 * low - 1}"
