"""Real steps are gone over one by one; an imagined step goes in, the divergence there comes out."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from worldline.align.divergence import Difference, Divergence
from worldline.align.equality import compare, is_opaque
from worldline.codecs import UNCHANGED
from worldline.trace import Event, Step, Trace


@dataclass(frozen=True, slots=True)
class Guess:
    """One imagined step, as written; see `Written`."""

    event: Event
    line: str
    locals: Mapping[str, str]
    value: str | None
    knows_event: bool = True
    number: int | None = None
    shows_state: bool = True


class RealSteps:
    """The real steps that were matched so far: each scope's last state and line, and the rules of
    equality that it took."""

    def __init__(self, truth: Trace) -> None:
        self.truth = truth
        self.program = truth.program
        self.states: dict[int, dict[str, str]] = {}
        self.last_line: dict[int, int] = {}
        self.stack: list[int] = []
        self.rules: Counter[str] = Counter()
        # For each scope, the lines that changed variables since its state was last shown.
        self.unseen: dict[int, dict[str, int]] = {}

    def advance(self, step: Step, *, shows_state: bool = True) -> None:
        """Go over one real step that the imagined one matched."""
        if shows_state and step.has_locals:
            self.unseen.pop(step.scope, None)
        elif step.has_locals:
            changed = dict.fromkeys((*step.changed, *step.gone), self.executed(step))
            self.unseen.setdefault(step.scope, {}).update(changed)
        self.states[step.scope] = self.after(step)
        self.last_line[step.scope] = step.line
        if step.event == "call":
            self.stack.append(step.scope)
        elif step.event == "return" and self.stack:
            self.stack.pop()

    def after(self, step: Step) -> dict[str, str]:
        """The real state of the step's scope, the step's own changes included."""
        state = {**self.states.get(step.scope, {}), **step.changed}
        return {name: value for name, value in state.items() if name not in step.gone}

    def executed(self, step: Step) -> int:
        """The line that ran just before and led to this step."""
        if step.event in ("return", "exception"):
            return step.line
        if step.event == "call":
            return self.last_line.get(self.stack[-1], step.line) if self.stack else step.line
        return self.last_line.get(step.scope, step.line)

    def _writer(self, step: Step, name: str) -> int:
        """The line that ran before a step, or one before it that changed a variable unseen."""
        unseen = self.unseen.get(step.scope, {})
        return (
            self.executed(step) if name in step.changed else unseen.get(name, self.executed(step))
        )

    def same(self, true: str, predicted: str) -> bool:
        """Compare two values and remember the rule it took."""
        found = compare(true, predicted)
        if found.is_same and found.rule is not None:
            self.rules[found.rule] += 1
        return found.is_same

    def compare_step(self, index: int, step: Step, guess: Guess) -> Divergence | None:
        """The divergence at this step, if there is one."""
        line = self.program.line(step.line)
        is_same_event = step.event == guess.event or (
            not guess.knows_event and step.has_locals and guess.event in ("call", "line")
        )
        is_same_line = line == guess.line if guess.number is None else step.line == guess.number
        if not is_same_event:
            return self.action_divergence(index, step, guess)
        if not step.has_locals:
            if not is_same_line:
                return self.action_divergence(index, step, guess)
            return self.value_divergence(index, step, guess)
        shows = guess.shows_state
        differences = self.local_differences(step, guess.locals) if shows else ()
        # Binding the loop variable follows from the decision to go on or to leave.
        if not is_same_line and (not differences or self._follows_for(step)):
            return self.action_divergence(index, step, guess, differences)
        return self.state_divergence(index, step, guess, differences) if differences else None

    def local_differences(self, step: Step, shown: Mapping[str, str]) -> tuple[Difference, ...]:
        """Locals that differ, in the order in which they were written; then those left out."""
        true = self.after(step)
        before = self.states.get(step.scope, {})
        found = []
        for name, written in shown.items():
            value = before.get(name, written) if written == UNCHANGED else written
            if name not in true:
                found.append(Difference(name, None, value))
            elif not self.same(true[name], value):
                found.append(Difference(name, true[name], value))
        missing = [name for name in true if name not in shown and not is_opaque(true[name])]
        return tuple(found + [Difference(name, true[name], None) for name in missing])

    def _follows_for(self, step: Step) -> bool:
        executed = self.program.line(self.executed(step)).lstrip()
        return step.event == "line" and executed.startswith(("for ", "async for "))

    def action_divergence(
        self, index: int, step: Step, guess: Guess, differences: tuple[Difference, ...] = ()
    ) -> Divergence:
        return Divergence(
            step=index,
            where="action",
            event=step.event,
            line=step.line,
            scope=step.scope,
            # What ran before the step, also where the step is a return or a raise.
            executed=self.last_line.get(step.scope, step.line)
            if step.event != "call"
            else self.executed(step),
            true=self.program.line(step.line),
            predicted=guess.line,
            differences=differences,
            predicted_event=guess.event,
            predicted_line=guess.line,
            predicted_number=guess.number,
        )

    def value_divergence(self, index: int, step: Step, guess: Guess) -> Divergence | None:
        true = "None" if step.value is None else step.value
        value = "None" if guess.value is None else guess.value
        if self.same(true, value):
            return None
        return Divergence(
            step=index,
            where="return" if step.event == "return" else "exception",
            event=step.event,
            line=step.line,
            scope=step.scope,
            executed=step.line,
            true=true,
            predicted=value,
            predicted_event=guess.event,
            predicted_line=guess.line,
            predicted_number=guess.number,
        )

    def state_divergence(
        self, index: int, step: Step, guess: Guess, differences: tuple[Difference, ...]
    ) -> Divergence:
        first = differences[0]
        scope = self.truth.scopes[step.scope]
        # A generator that is resumed is called, too, but its parameters are locals by then.
        is_entered = step.event == "call" and step.scope not in self.states
        is_argument = is_entered and first.name in scope.variables[: scope.parameters]
        return Divergence(
            step=index,
            where="argument" if is_argument else "state",
            event=step.event,
            line=step.line,
            scope=step.scope,
            executed=self._writer(step, first.name),
            true="" if first.true is None else first.true,
            predicted="" if first.predicted is None else first.predicted,
            variable=first.name,
            differences=differences,
            predicted_event=guess.event,
            predicted_line=guess.line,
            predicted_number=guess.number,
        )
