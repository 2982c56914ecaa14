"""History of each variable, from which the state of any step is looked up."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from worldline.core.trace import Step


@dataclass(frozen=True, slots=True)
class VariableHistory:
    """The steps at which a variable changed, and its values there; None if it is gone."""

    steps: list[int] = field(default_factory=list)
    values: list[str | None] = field(default_factory=list)

    def at(self, step: int) -> str | None:
        """The value at a step; None if the variable does not exist there."""
        index = bisect_right(self.steps, step)
        return self.values[index - 1] if index else None

    def before(self, step: int) -> str | None:
        """The value before a step."""
        return self.at(step - 1)


# The histories of the variables of each scope, in the order in which they are shown.
Histories = Mapping[int, Mapping[str, VariableHistory]]


def build_histories(steps: Sequence[Step], variables: Iterable[Sequence[str]] = ()) -> Histories:
    """Build the histories of all variables.

    Args:
        steps: The steps of an execution.
        variables: The variables of each scope in the order of `locals()`, if it is known.
    """
    histories: dict[int, dict[str, VariableHistory]] = {}
    for number, step in enumerate(steps):
        of_scope = histories.setdefault(step.scope, {})
        for name, value in step.changed.items():
            history = of_scope.setdefault(name, VariableHistory())
            if not history.values or history.values[-1] != value:
                history.steps.append(number)
                history.values.append(value)
        for name in step.gone:
            if name in of_scope:
                of_scope[name].steps.append(number)
                of_scope[name].values.append(None)
    for scope, names in enumerate(variables):
        known = histories.get(scope, {})
        ordered = [name for name in names if name in known]
        rest = [name for name in known if name not in names]
        histories[scope] = {name: known[name] for name in (*ordered, *rest)}
    return histories
