"""Steps go in one after the other; which scope the next one is in, by default, comes out.

A format that writes the scope only where it is another than this one loses none: whoever writes
and whoever reads follow the same rule, however strange the execution.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from worldline.errors import InputError
from worldline.trace import Event, Program, Trace


@dataclass(slots=True, eq=False)
class Running:
    """One activation: its number, the line it is on, and what is known of its state."""

    number: int
    line: int = 0
    state: dict[str, str] = field(default_factory=dict)
    # Whether its last step told its state, so that what is not told now is as it was then.
    is_told: bool = True


class Course:
    """The steps of an execution so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines = program.lines
        self.steps = 0
        self.returned = ""
        self._scopes: dict[int, Running] = {}
        self._stack: list[Running] = []
        # Scopes that may be resumed, by the line that they were left on.
        self._left: dict[int, list[Running]] = {}

    @property
    def line(self) -> int:
        """The line that the running scope is on; 0 before the first."""
        return self._stack[-1].line if self._stack else 0

    def text(self, line: int) -> str:
        """A line of the program; nothing where there is no such line."""
        return self.lines[line - 1] if 0 < line <= len(self.lines) else ""

    def scope(self, number: int) -> Running:
        """What is known of a scope; one that was not heard of yet is new."""
        return self._scopes.get(number) or Running(number)

    def expected(self, event: Event, line: int, names: Collection[str] = ()) -> int:
        """The scope of the next step, if nothing else is said: the running one, for a call a new
        one or a generator that goes on, which shows by the names that have changed."""
        if event == "call" or not self._scopes:
            resumed = self._resumed(line, names)
            return len(self._scopes) if resumed is None else resumed.number
        return self._stack[-1].number if self._stack else 0

    def take(
        self, event: Event, line: int, *, scope: int | None = None, names: Collection[str] = ()
    ) -> Running:
        """Go on by a step, in the scope that is expected or in another one."""
        number = self.expected(event, line, names) if scope is None else scope
        running = self._scopes.setdefault(number, Running(number))
        for place in (self._stack, self._left.get(running.line, [])):
            if running in place:
                place.remove(running)
        running.line = line
        place = self._left.setdefault(line, []) if event == "return" else self._stack
        place.append(running)
        self.steps += 1
        return running

    def _resumed(self, line: int, names: Collection[str]) -> Running | None:
        """The generator that a call goes on with: of those left on its line, the last one.

        A call that enters a function stands on the line of its `def`, one that resumes a
        generator on that of its yield. A generator expression has but one line; when it is
        entered, its iterator is new.
        """
        left = self._left.get(line)
        if not left or self.text(line).lstrip().startswith(("def ", "async def ")):
            return None
        is_yield = any(word in self.text(line) for word in ("yield", "await", "async "))
        fits = [scope for scope in left if is_yield or (".0" in scope.state and ".0" not in names)]
        return fits[-1] if fits else None


def course_of(trace: Trace) -> Course:
    """Where a trace begins; a format that writes one step behind the other has no threads."""
    if trace.has_threads:
        raise InputError(
            "a model's text has no place for the steps of several threads: record only the main"
        )
    return Course(trace.program)
