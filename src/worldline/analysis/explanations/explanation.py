"""Explanations of a divergence: changes of the program that reproduce it, and their odds."""

from dataclasses import dataclass, field
from typing import Any, Literal

from worldline.core.trace import Trace
from worldline.core.util.text import pluralize, truncate_text

# When a change is applied: at every execution, from the divergence on, or only there.
Occurrence = Literal["always", "from_divergence", "once"]
# An explanation is reported if at most this share of random wrong values would be explained, too.
MAX_CHANCE = 0.05


@dataclass(frozen=True, slots=True)
class Explanation:
    """A change of one operation whose execution yields the prediction.

    Attributes:
        misconception: The name of the misconception.
        sentence: The misconception, as one sentence.
        clause: What the operation would have to be: "`.rpartition` were `.partition`".
        operation: The operation: ".rpartition".
        line: Its line number.
        before: Its source text.
        after: The text that replaces it.
        occurrence: When the change is applied.
        steps_after: The number of predicted steps after the divergence that it also yields.
        trace: The execution of the changed program.
    """

    misconception: str
    sentence: str
    clause: str
    operation: str
    line: int
    before: str
    after: str
    occurrence: Occurrence
    steps_after: int
    trace: Trace = field(repr=False)

    def __repr__(self) -> str:
        return f"Explanation({self.misconception}: if {truncate_text(self.clause, 70)})"

    @property
    def execution(self) -> tuple[object, ...]:
        """The steps as a key; the same for changes that yield the identical execution."""
        return tuple(
            (step.event, step.line, tuple(step.changed.items()), step.gone, step.value)
            for step in self.trace.steps
        )


@dataclass(frozen=True, slots=True)
class ExplanationSearch:
    """The explanations of one divergence.

    Attributes:
        explanations: All changes that yield the predicted step, the best first.
        tried: The number of changed programs that were executed.
        values: The wrong values that they yield at the divergence, in canonical form.
        chance: How often a random wrong prediction would be explained as well; None if nothing
            explains this one.
        note: Why nothing was tried, if so.
    """

    explanations: tuple[Explanation, ...] = ()
    tried: int = 0
    values: frozenset[str] = frozenset()
    chance: float | None = None
    note: str = ""

    def __repr__(self) -> str:
        return f"ExplanationSearch({truncate_text(self.summary(), 100)})"

    @property
    def best(self) -> Explanation | None:
        """The best explanation, if it clearly beats chance."""
        is_clear = self.chance is not None and self.chance <= MAX_CHANCE
        return self.explanations[0] if self.explanations and is_clear else None

    @property
    def odds(self) -> int | None:
        """N, if one of N random wrong predictions would be explained as well."""
        return None if self.chance is None else max(1, round(1 / self.chance))

    def summary(self) -> str:
        """The result in one line.

        "explained if `.rpartition` were `.partition` (also the next 6 steps; odds 1:140)"
        """
        if self.note:
            return f"not explained: {self.note}"
        if not self.explanations:
            return f"not explained: none of {pluralize(self.tried, 'change')} yields the prediction"
        first = self.explanations[0]
        details = [f"odds 1:{self.odds}"]
        if first.steps_after:
            number = first.steps_after
            details.insert(
                0, f"also the next {pluralize(number, 'step') if number > 1 else 'step'}"
            )
        same = sum(each.execution == first.execution for each in self.explanations[1:])
        if same:
            verb = "yields" if same == 1 else "yield"
            details.append(f"{pluralize(same, 'other change')} {verb} the same")
        where = {"always": "", "from_divergence": ", from here on,", "once": ", here only,"}
        reason = f"if{where[first.occurrence]} {first.clause} ({'; '.join(details)})"
        if self.best is None:
            return f"not explained: no better than chance {reason}"
        return f"explained {reason}"


def explanation_to_json(search: ExplanationSearch) -> dict[str, Any]:
    """The result of a search as JSON data."""
    return {
        "is_explained": search.best is not None,
        "summary": search.summary(),
        "chance": search.chance,
        "odds": search.odds,
        "tried": search.tried,
        "distinct_values": len(search.values),
        "note": search.note,
        "explanations": [
            {
                "misconception": each.misconception,
                "sentence": each.sentence,
                "clause": each.clause,
                "operation": each.operation,
                "line": each.line,
                "before": each.before,
                "after": each.after,
                "occurrence": each.occurrence,
                "steps_after": each.steps_after,
            }
            for each in search.explanations
        ],
    }
