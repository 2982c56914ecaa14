"""Changes of strings in traces go in; how many tokens change for a character comes out."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from worldline.diagnose import edit_distance, moved, operation_facts, value_kind
from worldline.tokens import Tokenizer
from worldline.trace import Trace


@dataclass(frozen=True, slots=True)
class Stability:
    """How many tokens of a string change with its characters, where a line does one operation; no
    operation stands for all changes together."""

    operation: str
    changes: int
    characters: int
    tokens: int

    @property
    def ratio(self) -> float:
        """Tokens that change for each character that does."""
        return self.tokens / self.characters


def measure_stability(
    traces: Iterable[tuple[str, Trace]], tokenizer: Tokenizer
) -> tuple[Stability, ...]:
    """How stable strings are in a vocabulary: of all changes first, then by operation, those with
    the most changes first. A line with several operations counts for each of them."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for _, trace in traces:
        for line, before, after in _string_changes(trace):
            characters = edit_distance(before, after)
            # Strings that are too long to be compared say nothing.
            if not characters:
                continue
            tokens = moved(tokenizer.encode(before), tokenizer.encode(after))
            operations = set(operation_facts(trace.program.text, line).operations)
            for operation in {"", *operations}:
                found[operation].append((characters, tokens))
    measured = [
        Stability(name, len(pairs), sum(c for c, _ in pairs), sum(t for _, t in pairs))
        for name, pairs in found.items()
    ]
    return tuple(
        sorted(measured, key=lambda one: (one.operation != "", -one.changes, one.operation))
    )


def _string_changes(trace: Trace) -> Iterator[tuple[int, str, str]]:
    """The line that ran, and a string before and behind it."""
    known: dict[tuple[int, str], str] = {}
    lines: dict[int, int] = {}
    for step in trace.steps:
        for name, value in step.changed.items():
            before = known.get((step.scope, name))
            is_text = before is not None and value_kind(before) == value_kind(value) == "str"
            if is_text and before is not None and step.scope in lines:
                yield lines[step.scope], before, value
            known[step.scope, name] = value
        for name in step.gone:
            known.pop((step.scope, name), None)
        if step.has_locals:
            lines[step.scope] = step.line
