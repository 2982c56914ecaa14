"""Control-flow graph: which line may follow which, in every function of a program."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from worldline.core.trace import Scope

FunctionKind = Literal["module", "class", "function", "lambda", "comprehension"]
BranchKind = Literal[
    "if",
    "ternary",
    "while",
    "for",
    "comprehension",
    "match",
    "boolean",
    "comparison",
    "assert",
    "except",
    "with",
]
LOOPS: frozenset[BranchKind] = frozenset({"for", "while", "comprehension"})


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch of a line: the next lines inside the construct's block, and those outside it.

    line 1 of "for x in y:\\n    a()\\nb()" -> Branch("for", inside {2}, outside {3})

    A loop's block is the whole loop without its `else`; an expression's block is its own lines.
    """

    kind: BranchKind
    inside: frozenset[int]
    outside: frozenset[int]


@dataclass(frozen=True, slots=True)
class FunctionGraph:
    """Line steps of one function (or module, class body, lambda, comprehension).

    Attributes:
        name: its name.
        qualname: its qualified name.
        kind: what it is.
        first_line: the line where its source begins.
        depth: the number of functions it is nested in.
        is_generator: whether it can be suspended and resumed; also true for coroutines.
        call_lines: the line of its call step: the line of its `def`, or of its first decorator.
        entry: its first line steps.
        successors: line step -> the next ones in the same frame. Includes the steps after a yield,
            and those after an exception is raised again: at the end of a `finally`, by a bare
            `raise`, or because an `except` did not match.
        exception_successors: line step -> the next ones after an exception step on that line.
        exits: lines that may return.
        reraises: lines from which a caught exception may leave the frame without a second exception
            step.
        yields: lines that may yield or await -> the line steps that may follow when resumed.
        branches: line -> the branches on it.
    """

    name: str
    qualname: str
    kind: FunctionKind
    first_line: int
    depth: int
    is_generator: bool
    call_lines: frozenset[int]
    entry: frozenset[int]
    successors: Mapping[int, frozenset[int]]
    exception_successors: Mapping[int, frozenset[int]]
    exits: frozenset[int]
    reraises: frozenset[int]
    yields: Mapping[int, frozenset[int]]
    branches: Mapping[int, tuple[Branch, ...]]

    @property
    def lines(self) -> frozenset[int]:
        """Lines on which this function can have a line step."""
        return frozenset(self.successors)


@dataclass(frozen=True, slots=True)
class ControlFlowGraph:
    """Control flow of a program.

    Attributes:
        functions: the module first, and each function before those nested in it.
        callees_at: line -> indexes of the functions that may be called from it.
        python: the version of Python; None for other languages. From 3.12 on, comprehensions have
            no frames. The line steps of multi-line statements differ slightly between versions.
        expression_statements: the lines of each statement with comprehensions, whose inner steps
            `without_expression_frames` leaves out; None if it changes no trace of the language.
    """

    functions: tuple[FunctionGraph, ...]
    callees_at: Mapping[int, tuple[int, ...]]
    python: tuple[int, int] | None = None
    expression_statements: tuple[range, ...] | None = None

    def functions_at(self, line: int) -> tuple[FunctionGraph, ...]:
        """Functions that can have a line step on a line, the innermost last.

        line 1 of "f = lambda x: x" -> the module, the lambda
        """
        functions = [each for each in self.functions if line in each.successors]
        return tuple(sorted(functions, key=lambda function: function.depth))

    def functions_of(self, scope: Scope) -> tuple[FunctionGraph, ...]:
        """Functions that may belong to a scope of a trace; several if a line has two lambdas."""
        return tuple(
            function
            for function in self.functions
            if (function.qualname, function.first_line) == (scope.function, scope.line)
        )

    def successors(self, line: int) -> frozenset[int]:
        """Lines that may follow a line in the same frame, in any function."""
        return frozenset().union(*(f.successors[line] for f in self.functions_at(line)))

    def is_legal(
        self,
        function: FunctionGraph,
        line: int,
        next_line: int,
        *,
        after_exception: bool = False,
    ) -> bool:
        """Whether one line step may follow another in a frame of a function.

        Args:
            function: the function.
            line: the line of the first step.
            next_line: the line of the second step.
            after_exception: whether there was an exception step in between.
        """
        if next_line in function.successors.get(line, ()):
            return True
        return after_exception and next_line in function.exception_successors.get(line, ())

    def loop_exit(self, line: int, next_line: int) -> Literal["stays", "leaves"] | None:
        """Whether the step from a loop's header to another line stays in the loop or leaves it.

        "for x in y:\\n    a()\\nb()": 1, 2 -> "stays"; 1, 3 -> "leaves"; 2, 1 -> None

        A `for` or `while` takes precedence over a comprehension in its header. A loop on one line
        that goes back to itself stays, even if an enclosing `while True` may have restarted it.

        Returns:
            None if the line is no loop header or the next line cannot follow it.
        """
        for function in reversed(self.functions_at(line)):
            loops = [b for b in function.branches.get(line, ()) if b.kind in LOOPS]
            if loops and next_line in function.successors[line]:
                headers = [loop for loop in loops if loop.kind != "comprehension"] or loops
                return (
                    "stays" if any(next_line in header.inside for header in headers) else "leaves"
                )
        return None

    def callees(self, line: int) -> tuple[FunctionGraph, ...]:
        """Functions that may be called or resumed from a line (an over-approximation).

        line 5 of a program where it is "y = g(x) + 1" -> g
        """
        return tuple(self.functions[index] for index in self.callees_at.get(line, ()))
