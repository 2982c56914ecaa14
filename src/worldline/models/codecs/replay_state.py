"""State of a replayed execution, which predicts the scope of the next step.

A format writes the scope of a step only if it is not the expected one. Encoder and decoder follow
the same rule, so no scope is lost, however unusual the execution.
"""

from collections.abc import Collection
from dataclasses import dataclass, field

from worldline.core.errors import InputError
from worldline.core.trace import Event, Program, Trace


@dataclass(slots=True, eq=False)
class Activation:
    """One activation of a function.

    Attributes:
        number: number of the scope.
        line: line of its last step.
        state: variables that were shown so far.
        has_shown_state: whether its last step showed the state. If so, a variable that the next
            step omits is unchanged.
    """

    number: int
    line: int = 0
    state: dict[str, str] = field(default_factory=dict)
    has_shown_state: bool = True


class ReplayState:
    """Scopes and call stack after the steps so far."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.lines = program.lines
        self.step_count = 0
        # Value that was returned or raised last.
        self.last_value = ""
        self._scopes: dict[int, Activation] = {}
        self._stack: list[Activation] = []
        # Scopes that may be resumed, by the line on which they were left.
        self._suspended: dict[int, list[Activation]] = {}

    @property
    def line(self) -> int:
        """Line of the innermost scope; 0 before the first step."""
        return self._stack[-1].line if self._stack else 0

    @property
    def stack(self) -> tuple[Activation, ...]:
        """Scopes that are active, the innermost one last."""
        return tuple(self._stack)

    @property
    def innermost(self) -> Activation | None:
        """The scope that executes; None before the first step and after the last."""
        return self._stack[-1] if self._stack else None

    def source_line(self, number: int) -> str:
        """Text of a line of the program; empty if there is no such line."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def activation(self, number: int) -> Activation:
        """The scope of that number; a new one if it has had no step."""
        return self._scopes.get(number) or Activation(number)

    def expected_scope(self, event: Event, line: int, names: Collection[str] = ()) -> int:
        """Number of the scope in which the next step is expected.

        A call is expected in a new scope or a resumed generator, every other event in the innermost
        scope. `names` are the variables that changed; they identify a resumed generator.
        """
        if event == "call" or not self._scopes:
            resumed = self._find_resumed(line, names)
            return len(self._scopes) if resumed is None else resumed.number
        return self._stack[-1].number if self._stack else 0

    def advance(
        self, event: Event, line: int, *, scope: int | None = None, names: Collection[str] = ()
    ) -> Activation:
        """Replay one step, in the expected scope or in a different one."""
        number = self.expected_scope(event, line, names) if scope is None else scope
        activation = self._scopes.setdefault(number, Activation(number))
        for scopes in (self._stack, self._suspended.get(activation.line, [])):
            if activation in scopes:
                scopes.remove(activation)
        activation.line = line
        scopes = self._suspended.setdefault(line, []) if event == "return" else self._stack
        scopes.append(activation)
        self.step_count += 1
        return activation

    def _find_resumed(self, line: int, names: Collection[str]) -> Activation | None:
        """The generator that a call on this line resumes: the last one that was left on it.

        A call that enters a function is on the line of its `def`, a call that resumes a generator
        on the line of its `yield`. A generator expression has only one line; a new iterator means
        that it is entered.
        """
        suspended = self._suspended.get(line)
        text = self.source_line(line)
        if not suspended or text.lstrip().startswith(("def ", "async def ")):
            return None
        is_yield = any(word in text for word in ("yield", "await", "async "))
        candidates = [
            scope for scope in suspended if is_yield or (".0" in scope.state and ".0" not in names)
        ]
        return candidates[-1] if candidates else None


def start_replay(trace: Trace) -> ReplayState:
    """The state before the first step of a trace.

    Raises:
        InputError: the trace has several threads.
    """
    if trace.has_threads:
        raise InputError(
            "this codec cannot encode the steps of several threads: use cwm-choices or "
            "delta-choices, or record the program without --threads"
        )
    return ReplayState(trace.program)
