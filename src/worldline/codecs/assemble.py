"""Steps as written go in, one after the other; steps with scopes and changes come out."""

from collections.abc import Mapping

from worldline.codecs.decoded import Written
from worldline.trace import Event, Step, changes

UNCHANGED = ".."


class Assembler:
    """Follows calls and returns, so that `..` can be looked up in the right scope."""

    def __init__(self, lines: list[str]) -> None:
        self.steps: list[Step] = []
        self.written: list[Written] = []
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(lines, 1):
            self._places.setdefault(line, []).append(number)
        self._states: list[dict[str, str]] = []
        self._lines: list[int] = []
        self._functions: list[int] = []
        self._entered: list[frozenset[str]] = []
        self._stack: list[int] = []
        self._left: list[int] = []

    @property
    def is_over(self) -> bool:
        """Whether the scope of the entry point has been left."""
        return bool(self._states) and not self._stack

    @property
    def state(self) -> Mapping[str, str]:
        """The state of the scope that is being executed, as far as it was written."""
        return self._states[self._stack[-1]] if self._stack else {}

    def add_locals(self, event: Event, written: Written) -> None:
        """Add a call or line step."""
        if event == "call" or not self._stack:
            self._enter(written)
        scope = self._stack[-1]
        before = self._states[scope]
        after = {
            name: before.get(name, value) if value == UNCHANGED else value
            for name, value in written.locals.items()
        }
        gone = tuple(name for name in before if name not in after)
        line = self._place(written.line, scope)
        self._add(Step(event, line, scope, changes(before, after), gone), written)
        self._states[scope] = after

    def add_value(self, event: Event, written: Written, value: str) -> None:
        """Add a return or exception step."""
        scope = self._stack[-1]
        step = Step(event, self._place(written.line, scope), scope, value=value)
        if event == "return":
            last = self.steps[-1] if self.steps else None
            if value == "None" and last and last.event == "exception" and last.scope == scope:
                # CWM's format writes a scope left by an exception as a return of None.
                step = Step(event, step.line, scope)
            self._left.append(self._stack.pop())
        self._add(step, written)

    def _add(self, step: Step, written: Written) -> None:
        self.steps.append(step)
        self.written.append(written)
        self._lines[step.scope] = step.line

    def _enter(self, written: Written) -> None:
        resumed = self._resumed(written)
        if resumed is None:
            resumed = len(self._states)
            self._states.append({})
            self._lines.append(0)
            self._entered.append(frozenset(written.locals))
            self._functions.append((self._places.get(written.line) or [0])[0])
        else:
            self._left.remove(resumed)
        self._stack.append(resumed)

    def _resumed(self, written: Written) -> int | None:
        """The generator that a call re-enters: of those left, the one whose state fits best.

        A call that enters a function stands on the line of its `def`, one that resumes a
        generator on the line of its yield. A generator expression has but one line; it is
        resumed where more is bound than when it was entered.
        """
        if written.line.lstrip().startswith(("def ", "async def ")):
            return None
        is_yield = any(word in written.line for word in ("yield", "await", "async "))
        names = written.locals.keys()
        fitting = [
            scope
            for scope in self._left
            if self._lines[scope] in self._places.get(written.line, [])
            and self._states[scope].keys() <= names
            and (is_yield or (".0" in names and self._entered[scope] < names))
        ]
        return max(fitting, key=lambda scope: (self._agreement(scope, written), scope), default=None)

    def _agreement(self, scope: int, written: Written) -> int:
        state = self._states[scope]
        shown = written.locals.items()
        return sum(value in (UNCHANGED, state.get(name)) for name, value in shown)

    def _place(self, line: str, scope: int) -> int:
        """The number of a source line; where the text stands more than once, the next one on.

        The format writes lines without their numbers, so that is all that can be known.
        """
        places = self._places.get(line, [])
        after = [n for n in places if n > self._lines[scope]]
        inside = [n for n in after or places if n >= self._functions[scope]]
        return (inside or after or places or [0])[0]
