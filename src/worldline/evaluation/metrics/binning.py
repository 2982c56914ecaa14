"""Groups of samples with the same value, or values in the same bin."""

from collections import Counter, defaultdict
from collections.abc import Container, Mapping

# For each facet or measure of difficulty: its groups of samples, in reading order.
Grouping = dict[str, dict[str, list[str]]]
Values = Mapping[str, str | int]

# More different numbers than this are put into bins.
_MAX_NUMBERS = 8
# The rarest of more words than this form the group `others`.
_MAX_WORDS = 12
# More words than this are identifiers, and not grouped.
_MAX_DISTINCT_WORDS = 24


def group_samples(
    values: Mapping[str, Values],
    *,
    names: Container[str] | None = None,
    split_words: bool = False,
) -> Grouping:
    """Group samples by each of their values.

    Up to eight different numbers form one group each; more are put into bins that end at powers of
    two, which are the same for every run. Every word is a group; of many words the rarest form the
    group `others`. More than two dozen different words are identifiers, and are not grouped.

    {"a": {"depth": 1}, "b": {"depth": 2}} -> {"depth": {"1": ["a"], "2": ["b"]}}

    Args:
        values: The values of each sample, by name.
        names: The values to group by; by default all.
        split_words: Split texts into words; a sample is then in the group of each of its words.
    """
    values_by_name: dict[str, dict[str, str | int]] = {}
    for sample, sample_values in values.items():
        for name, value in sample_values.items():
            if names is None or name in names:
                values_by_name.setdefault(name, {})[sample] = value
    grouped = {
        name: _group_values(sample_values, split_words)
        for name, sample_values in values_by_name.items()
    }
    return {name: groups for name, groups in grouped.items() if groups}


def _group_values(values: Mapping[str, str | int], split_words: bool) -> dict[str, list[str]]:
    numbers = {sample: value for sample, value in values.items() if isinstance(value, int)}
    if len(numbers) == len(values):
        return _group_numbers(numbers)
    words_by_sample = {
        sample: dict.fromkeys(str(value).split() if split_words else [str(value)])
        for sample, value in values.items()
    }
    counts = Counter(word for words in words_by_sample.values() for word in words)
    if len(counts) > _MAX_DISTINCT_WORDS:
        return {}
    kept = sorted(counts, key=lambda word: (-counts[word], word))[:_MAX_WORDS]
    groups: dict[str, list[str]] = {word: [] for word in kept}
    others: list[str] = []
    for sample, words in words_by_sample.items():
        for word in words:
            groups.get(word, others).append(sample)
    # `others` may also be a word of the benchmark.
    rest = [*groups.get("others", ()), *others]
    return groups | ({"others": list(dict.fromkeys(rest))} if rest else {})


def _group_numbers(numbers: Mapping[str, int]) -> dict[str, list[str]]:
    is_binned = len(set(numbers.values())) > _MAX_NUMBERS
    samples_by_number: dict[int, list[str]] = defaultdict(list)
    for sample, number in numbers.items():
        samples_by_number[number].append(sample)
    groups: dict[str, list[str]] = defaultdict(list)
    for number, samples in sorted(samples_by_number.items()):
        groups[power_of_two_bin(number) if is_binned else str(number)] += samples
    return dict(groups)


def power_of_two_bin(number: int) -> str:
    """The bin of a number; bins end below powers of two.

    0 -> "0"; 1 -> "1"; 3 -> "2–3"; 20 -> "16–31"; -7 -> "below 0"
    """
    if number < 0:
        return "below 0"
    if number < 2:
        return str(number)
    low = 1 << (number.bit_length() - 1)
    return f"{low}–{2 * low - 1}"
