"""Steps as written go in, one after the other; steps with scopes and changes come out.

A text says which line a step is on and what its locals are, not to which activation of which
function it belongs. That is followed here from calls and returns, which need not balance: an
exception thrown into a generator that delegates reaches the inner one directly.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.codecs.decoded import Written
from worldline.trace import START_MARK, Event, Program, Step, changes, parse_source

UNCHANGED = ".."
# A generator that is resumed is looked for among so many scopes that were left last.
_REMEMBERED = 256


@dataclass(slots=True, eq=False)
class _Scope:
    """One activation: its number, what it shows, the line it is on and the one it was called on.

    `functions`: where the line that it was called on stands; its next line tells which it is.
    """

    number: int
    functions: list[int]
    entered: frozenset[str]
    line: int = 0
    state: dict[str, str] = field(default_factory=dict)


class Assembler:
    """Follows calls and returns, so that `..` can be looked up in the right scope."""

    def __init__(self, program: Program) -> None:
        self.steps: list[Step] = []
        self.written: list[Written] = []
        self._places: dict[str, list[int]] = {}
        for number, line in enumerate(program.lines, 1):
            self._places.setdefault(line, []).append(number)
        self._owners = _owners(program.text)
        self._defs = frozenset(self._owners.values())
        self._entry_lines = _entry_lines(program)
        self._scopes: list[_Scope] = []
        self._stack: list[_Scope] = []
        self._left: list[_Scope] = []

    @property
    def is_over(self) -> bool:
        """Whether the entry point has been left."""
        return self._is_last_of_entry("return")

    @property
    def is_raised_out(self) -> bool:
        """Whether the last step is an exception in the entry point, which may end a trace."""
        return self._is_last_of_entry("exception")

    @property
    def state(self) -> Mapping[str, str]:
        """The state of the scope that is being executed, as far as it was written."""
        return self._stack[-1].state if self._stack else {}

    def is_start_of_line(self, text: str) -> bool:
        """Whether a line of the source begins with this text."""
        return any(line.startswith(text) for line in self._places)

    def add_locals(self, event: Event, written: Written) -> None:
        """Add a call or line step."""
        if event == "call" or not self._scopes:
            scope = self._enter(written)
        else:
            scope = self._scope_on(written.line)
        before = scope.state
        scope.state = {
            name: before.get(name, value) if value == UNCHANGED else value
            for name, value in written.locals.items()
        }
        gone = tuple(sorted(name for name in before if name not in scope.state))
        if event == "line" and len(scope.functions) > 1 and self._owners:
            places = self._places.get(written.line, [])
            scope.functions = self._owners_of(scope, places) or scope.functions
        scope.line = self._place(written.line, scope)
        changed = changes(before, scope.state)
        self._add(Step(event, scope.line, scope.number, changed, gone), written)

    def add_value(self, event: Event, written: Written, value: str) -> None:
        """Add a return or exception step."""
        scope = self._scope_at(written.line)
        # A scope returns or raises on the line that it is on.
        is_here = scope.line in self._places.get(written.line, [])
        scope.line = scope.line if is_here else self._place(written.line, scope)
        last = self.steps[-1]
        # CWM's format writes a scope left by an exception as a return of None.
        is_unwound = event == "return" and value == "None" and last.event == "exception"
        is_unwound = is_unwound and last.scope == scope.number
        self._add(
            Step(event, scope.line, scope.number, value=None if is_unwound else value), written
        )
        if event == "return" and scope in self._stack:
            del self._stack[self._stack.index(scope) :]
            self._left.append(scope)

    def _is_last_of_entry(self, event: Event) -> bool:
        if not self.steps or self.steps[-1].event != event or self.steps[-1].scope != 0:
            return False
        return self.written[-1].line in self._entry_lines or not self._entry_lines

    def _add(self, step: Step, written: Written) -> None:
        self.steps.append(step)
        self.written.append(written)

    def _enter(self, written: Written) -> _Scope:
        scope = self._resumed(written)
        if scope is None:
            functions = self._places.get(written.line) or [0]
            scope = _Scope(len(self._scopes), functions, frozenset(written.locals))
            self._scopes.append(scope)
        else:
            self._left.remove(scope)
        self._stack.append(scope)
        return scope

    def _resumed(self, written: Written) -> _Scope | None:
        """The generator that a call re-enters: of those left, the one whose state fits best.

        A call that enters a function stands on the line of its `def`, one that resumes a
        generator on the line of its yield. A generator expression has but one line; it is
        resumed where more is bound than when it was entered.
        """
        if written.line.lstrip().startswith(("def ", "async def ")):
            return None
        is_yield = any(word in written.line for word in ("yield", "await", "async "))
        names = written.locals.keys()
        if not is_yield and ".0" not in names:
            return None
        fitting = [
            scope
            for scope in self._left[-_REMEMBERED:]
            if scope.line in self._places.get(written.line, [])
            and scope.state.keys() <= names
            and (is_yield or (".0" in scope.entered and scope.entered < names))
        ]
        return max(
            fitting, key=lambda scope: (_agreement(scope, written), scope.number), default=None
        )

    def _scope_on(self, line: str) -> _Scope:
        """The scope whose function has this line: the current one, else one that was left."""
        current = self._stack[-1] if self._stack else self._scopes[0]
        if self._fits(current, line):
            return current
        for scope in reversed(self._left[-_REMEMBERED:]):
            if self._fits(scope, line):
                self._left.remove(scope)
                self._stack.append(scope)
                return scope
        return current

    def _scope_at(self, line: str) -> _Scope:
        """The scope that is on this line: the innermost, else one that was left."""
        places = self._places.get(line, [])
        for scope in [*reversed(self._stack), *reversed(self._left[-_REMEMBERED:])]:
            if scope.line in places:
                return scope
        return self._scope_on(line)

    def _fits(self, scope: _Scope, line: str) -> bool:
        places = self._places.get(line)
        if not places or not self._owners:
            return True
        return bool(self._owners_of(scope, places))

    def _owners_of(self, scope: _Scope, places: list[int]) -> list[int]:
        """Which of the functions that a scope may be have one of these lines."""
        found = []
        for function in scope.functions:
            # A lambda or comprehension has no `def`: its steps are on the line it was called on.
            has_def = function in self._defs
            owner = function if has_def else self._owners.get(function, 0)
            if any(self._owners.get(n, 0) == owner or n == function for n in places):
                found.append(function)
        return found

    def _place(self, line: str, scope: _Scope) -> int:
        """The number of a source line; where the text stands more than once, the next one on.

        The format writes lines without their numbers, so that is all that can be known.
        """
        places = self._places.get(line, [])
        after = [n for n in places if n > scope.line]
        inside = [n for n in after or places if n >= scope.functions[0]]
        return (inside or after or places or [0])[0]


def _agreement(scope: _Scope, written: Written) -> int:
    """How many of the values shown are those that the scope was left with."""
    shown = written.locals.items()
    return sum(value in (UNCHANGED, scope.state.get(name)) for name, value in shown)


def _owners(text: str) -> dict[int, int]:
    """For each line the `def` whose body has it, by its line; none where it does not parse.

    A `def` line itself belongs to the function around it, which executes it.
    """
    tree = parse_source(text)
    if tree is None:
        return {}
    owners: dict[int, int] = {}
    defs = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    # The walk goes outside in, so that an inner function overwrites what is its own.
    for node in defs:
        first = _first_line(node.body[0])
        owners |= dict.fromkeys(range(first, (node.end_lineno or first) + 1), _first_line(node))
    return owners


def _first_line(node: ast.stmt) -> int:
    """Where a statement begins: at its first decorator, where a call of it is reported, too."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _entry_lines(program: Program) -> set[str]:
    """The lines in the body of the function where the trace starts."""
    lines = program.lines
    starts = [n for n, line in enumerate(lines) if line.rstrip().endswith(START_MARK)]
    body = lines[starts[0] + 1 :] if starts else []
    ends = [n for n, line in enumerate(body) if line.strip() and not line[0].isspace()]
    return set(body[: ends[0]] if ends else body)
