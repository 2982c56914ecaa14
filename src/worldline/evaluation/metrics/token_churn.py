"""Token churn: how many tokens of a string change when some of its characters do."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from worldline.analysis.diagnosis import (
    count_changed_tokens,
    edit_distance,
    operation_facts,
    value_kind,
)
from worldline.core.trace import Trace
from worldline.models.tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class TokenChurn:
    """Changes of strings by one operation.

    Attributes:
        operation: The operation; empty for all changes.
        changes: The number of changes.
        characters: The number of characters changed.
        tokens: The number of tokens changed.
    """

    operation: str
    changes: int
    characters: int
    tokens: int

    @property
    def ratio(self) -> float:
        """Changed tokens per changed character."""
        return self.tokens / self.characters


def measure_token_churn(
    traces: Iterable[tuple[str, Trace]], tokenizer: Tokenizer
) -> tuple[TokenChurn, ...]:
    """Measure how many tokens change with the characters of strings.

    Args:
        traces: The traces, each with its name.
        tokenizer: The tokenizer to measure.

    Returns:
        All changes, then those by operation, most frequent first. A line with several operations
        counts for each of them.
    """
    changes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for _, trace in traces:
        for line, before, after in _string_changes(trace):
            characters = edit_distance(before, after)
            # Skips strings that are too long to compare.
            if not characters:
                continue
            tokens = count_changed_tokens(tokenizer.encode(before), tokenizer.encode(after))
            operations = set(operation_facts(trace.program.text, line).operations)
            for operation in {"", *operations}:
                changes[operation].append((characters, tokens))
    results = [
        TokenChurn(name, len(pairs), sum(c for c, _ in pairs), sum(t for _, t in pairs))
        for name, pairs in changes.items()
    ]
    return tuple(
        sorted(results, key=lambda churn: (churn.operation != "", -churn.changes, churn.operation))
    )


def _string_changes(trace: Trace) -> Iterator[tuple[int, str, str]]:
    """The line that changed a string, with the string before and after."""
    values: dict[tuple[int, str], str] = {}
    last_line: dict[int, int] = {}
    for step in trace.steps:
        for name, value in step.changed.items():
            before = values.get((step.scope, name))
            is_string = before is not None and value_kind(before) == value_kind(value) == "str"
            if is_string and before is not None and step.scope in last_line:
                yield last_line[step.scope], before, value
            values[step.scope, name] = value
        for name in step.gone:
            values.pop((step.scope, name), None)
        if step.has_locals:
            last_line[step.scope] = step.line
