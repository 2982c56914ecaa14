"""Inference of the scope of each step in CWM's format.

The format shows the line and the locals of a step, but not the activation it belongs to. That is
inferred from calls and returns, which need not balance: an exception thrown into a generator that
delegates reaches the inner one directly.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from worldline.core.language import get_language
from worldline.core.trace import Event, Program, Step, changed_locals
from worldline.models.codecs.decoded import StepText

UNCHANGED = ".."
# In place of a variable, the values of the choices that a line makes. No variable has this name.
CHOICE = ".choice"
# In place of a variable, the thread that runs from this step on.
THREAD_MARK = ".thread"
# The same before the value of a step without variables: ".thread 1: None", ".thread 1:".
_THREAD_VALUE = re.compile(r"\.thread ([0-9]{1,6}):(?: (.*))?", re.DOTALL)
_THREAD_NUMBER = re.compile(r"[0-9]{1,6}")
MARKS = frozenset({CHOICE, THREAD_MARK})
# A resumed generator is searched among this many scopes that were exited last.
_MAX_EXITED_SCOPES = 256


@dataclass(slots=True, eq=False)
class _Scope:
    """One activation of a function.

    Attributes:
        number: number of the scope.
        functions: line numbers with the text of the line it was called on. Its next line decides
            which of them it is.
        initial_names: variables that its first step shows.
        line: line of its last step.
        state: variables that its last step shows.
    """

    number: int
    functions: list[int]
    initial_names: frozenset[str]
    line: int = 0
    state: dict[str, str] = field(default_factory=dict)


class StepAssembler:
    """Builder of steps from their text, which tracks calls and returns.

    The value of `..` is looked up in the scope of the step.
    """

    def __init__(self, program: Program) -> None:
        self.steps: list[Step] = []
        self.step_texts: list[StepText] = []
        self._line_numbers: dict[str, list[int]] = {}
        for number, line in enumerate(program.lines, 1):
            self._line_numbers.setdefault(line, []).append(number)
        self._function_by_line = function_by_line(program)
        self._null = program.values.NULL
        self._defs = frozenset(self._function_by_line.values())
        self._entry_lines = _entry_lines(program)
        self._scopes: list[_Scope] = []
        # The active scopes of each thread, and the thread that runs.
        self._stacks: dict[int, list[_Scope]] = {}
        self._thread = 0
        self._has_returned = False
        self.names_threads = False
        self._exited: list[_Scope] = []

    @property
    def is_finished(self) -> bool:
        """Whether the entry point has returned; other threads may continue."""
        return self._has_returned

    @property
    def has_uncaught_exception(self) -> bool:
        """Whether the last step is an exception in the entry point, which may end the trace."""
        return self._is_last_of_entry("exception")

    @property
    def _stack(self) -> list[_Scope]:
        return self._stacks.setdefault(self._thread, [])

    @property
    def state(self) -> Mapping[str, str]:
        """Variables of the innermost scope that the text has shown."""
        return self._stack[-1].state if self._stack else {}

    def is_start_of_line(self, text: str) -> bool:
        """Whether a source line starts with this text."""
        return any(line.startswith(text) for line in self._line_numbers)

    def add_locals(self, event: Event, step_text: StepText) -> None:
        """Add a call or line step."""
        self._switch_thread(thread_number(step_text.locals.get(THREAD_MARK)))
        if event == "call" or not self._scopes:
            scope = self._enter(step_text)
        else:
            scope = self._scope_on(step_text.line)
        before = scope.state
        scope.state = {
            name: before.get(name, value) if value == UNCHANGED else value
            for name, value in step_text.locals.items()
            if name not in MARKS
        }
        gone = tuple(sorted(name for name in before if name not in scope.state))
        if event == "line" and len(scope.functions) > 1 and self._function_by_line:
            numbers = self._line_numbers.get(step_text.line, [])
            scope.functions = self._matching_functions(scope, numbers) or scope.functions
        scope.line = self._line_number(step_text.line, scope)
        changed = changed_locals(before, scope.state)
        self._add(Step(event, scope.line, scope.number, changed, gone), step_text)

    def add_value(self, event: Event, step_text: StepText, value: str) -> None:
        """Add a return or exception step."""
        thread, shown = split_thread(value)
        self._switch_thread(thread)
        if thread is not None:
            step_text = replace(step_text, locals={THREAD_MARK: str(thread)})
        scope = self._scope_at(step_text.line)
        # Usually a scope returns or raises on the line of its last step.
        is_same_line = scope.line in self._line_numbers.get(step_text.line, [])
        scope.line = scope.line if is_same_line else self._line_number(step_text.line, scope)
        last = self.steps[-1]
        # CWM writes a scope that is left by an exception as a return of None.
        is_unwound = event == "return" and shown == self._null and last.event == "exception"
        is_unwound = is_unwound and last.scope == scope.number
        self._add(
            Step(event, scope.line, scope.number, value=None if is_unwound else shown), step_text
        )
        if event == "return" and scope in self._stack:
            del self._stack[self._stack.index(scope) :]
            self._exited.append(scope)
        self._has_returned |= self._is_last_of_entry("return")

    def _switch_thread(self, thread: int | None) -> None:
        if thread is not None:
            self._thread, self.names_threads = thread, True

    def _is_last_of_entry(self, event: Event) -> bool:
        if not self.steps or self.steps[-1].event != event or self.steps[-1].scope != 0:
            return False
        return self.step_texts[-1].line in self._entry_lines or not self._entry_lines

    def _add(self, step: Step, step_text: StepText) -> None:
        self.steps.append(step)
        self.step_texts.append(step_text)

    def _enter(self, step_text: StepText) -> _Scope:
        scope = self._find_resumed(step_text)
        if scope is None:
            functions = self._line_numbers.get(step_text.line) or [0]
            scope = _Scope(len(self._scopes), functions, frozenset(step_text.locals) - MARKS)
            self._scopes.append(scope)
        else:
            self._exited.remove(scope)
        self._stack.append(scope)
        return scope

    def _find_resumed(self, step_text: StepText) -> _Scope | None:
        """The generator that a call resumes: the exited one with the most similar state.

        A call that enters a function is on the line of its `def`, a call that resumes a generator
        on the line of its `yield`. A generator expression has only one line; it is resumed if more
        variables are bound than when it was entered.
        """
        if step_text.line.lstrip().startswith(("def ", "async def ")):
            return None
        is_yield = any(word in step_text.line for word in ("yield", "await", "async "))
        names = step_text.locals.keys()
        if not is_yield and ".0" not in names:
            return None
        candidates = [
            scope
            for scope in self._exited[-_MAX_EXITED_SCOPES:]
            if scope.line in self._line_numbers.get(step_text.line, [])
            and scope.state.keys() <= names
            and (is_yield or (".0" in scope.initial_names and scope.initial_names < names))
        ]
        return max(
            candidates,
            key=lambda scope: (_matching_values(scope, step_text), scope.number),
            default=None,
        )

    def _scope_on(self, line: str) -> _Scope:
        """The scope whose function contains this line: the innermost one, or an exited one."""
        current = self._stack[-1] if self._stack else self._scopes[0]
        if self._may_contain(current, line):
            return current
        for scope in reversed(self._exited[-_MAX_EXITED_SCOPES:]):
            if self._may_contain(scope, line):
                self._exited.remove(scope)
                self._stack.append(scope)
                return scope
        return current

    def _scope_at(self, line: str) -> _Scope:
        """The scope whose last step is on this line: the innermost one, or an exited one."""
        numbers = self._line_numbers.get(line, [])
        for scope in [*reversed(self._stack), *reversed(self._exited[-_MAX_EXITED_SCOPES:])]:
            if scope.line in numbers:
                return scope
        return self._scope_on(line)

    def _may_contain(self, scope: _Scope, line: str) -> bool:
        numbers = self._line_numbers.get(line)
        if not numbers or not self._function_by_line:
            return True
        return bool(self._matching_functions(scope, numbers))

    def _matching_functions(self, scope: _Scope, numbers: list[int]) -> list[int]:
        """The possible functions of a scope that contain one of these lines."""
        matching = []
        for function in scope.functions:
            # A lambda or comprehension has no `def`; its steps are on the line it was called on.
            has_def = function in self._defs
            owner = function if has_def else self._function_by_line.get(function, 0)
            if any(self._function_by_line.get(n, 0) == owner or n == function for n in numbers):
                matching.append(function)
        return matching

    def _line_number(self, line: str, scope: _Scope) -> int:
        """Number of a source line; if several have this text, the next one after the last step.

        The format writes no line numbers, so the choice is a guess.
        """
        numbers = self._line_numbers.get(line, [])
        after = [n for n in numbers if n > scope.line]
        inside = [n for n in after or numbers if n >= scope.functions[0]]
        return (inside or after or numbers or [0])[0]


def thread_number(text: str | None) -> int | None:
    """The number of a thread in a mark; None if there is none: "2" -> 2"""
    return int(text) if text is not None and _THREAD_NUMBER.fullmatch(text) else None


def split_thread(value: str | None) -> tuple[int | None, str | None]:
    """The thread that is written before a value, and the value; None if there is none.

    ".thread 1: 7" -> 1, "7"; ".thread 1:" -> 1, None
    """
    match = _THREAD_VALUE.fullmatch(value) if value is not None else None
    return (None, value) if match is None else (int(match[1]), match[2] or None)


def _matching_values(scope: _Scope, step_text: StepText) -> int:
    """Number of shown values that are equal to those when the scope was exited."""
    shown = step_text.locals.items()
    return sum(value in (UNCHANGED, scope.state.get(name)) for name, value in shown)


def function_by_line(program: Program) -> Mapping[int, int]:
    """Line of the innermost function around each line; empty if the text does not parse.

    A line with a `def` itself belongs to the enclosing function, which executes it.
    """
    return _function_by_line(program.language, program.text)


@lru_cache(maxsize=64)
def _function_by_line(language: str, text: str) -> Mapping[int, int]:
    owners: dict[int, int] = {}
    # Inner functions come later, and overwrite the lines of outer ones.
    for each in get_language(language).source.functions(text):
        owners |= dict.fromkeys(range(each.first_line, each.last_line + 1), each.line)
    return owners


def _entry_lines(program: Program) -> set[str]:
    """Lines in the body of the function in which the trace starts."""
    lines = program.lines
    starts = [
        n for n, line in enumerate(lines) if line.rstrip().endswith(program.syntax.START_MARK)
    ]
    body = lines[starts[0] + 1 :] if starts else []
    ends = [n for n, line in enumerate(body) if line.strip() and not line[0].isspace()]
    return set(body[: ends[0]] if ends else body)
