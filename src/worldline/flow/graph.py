"""What a control-flow graph is: for every function of a program, which line may follow which."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from worldline.trace import Scope

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
    """A decision that a line takes: the next lines within the construct's block, and the others.

    line 1 of "for x in y:\\n    a()\\nb()" -> Branch("for", inside {2}, outside {3})

    A loop's block is all of the loop but its `else`; that of an expression is its own lines.
    """

    kind: BranchKind
    inside: frozenset[int]
    outside: frozenset[int]


@dataclass(frozen=True, slots=True)
class FunctionFlow:
    """The line steps of one function (or module, class body, lambda, comprehension).

    `first_line`: where its source begins, and `depth`: how many functions it lies inside.
    `is_generator`: whether it can be left and resumed, as coroutines can too.
    `call_lines`: where its call step is: the line of its `def`, or of its first decorator.
    `entry`: its first line steps.
    `successors`: line step -> the next ones in the same frame. It includes what comes after a
    yield, and where an exception goes on to that has had its exception step: after the end of a
    `finally`, a bare `raise`, an `except` that did not match.
    `exceptional`: line step -> the next ones after an exception step on that line.
    `exits`: lines that may return; `reraises`: lines from which an exception that was caught may
    leave the frame without another exception step.
    `yields`: lines that may yield, or await -> the line steps that may follow when resumed.
    `branches`: lines that decide something.
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
    exceptional: Mapping[int, frozenset[int]]
    exits: frozenset[int]
    reraises: frozenset[int]
    yields: Mapping[int, frozenset[int]]
    branches: Mapping[int, tuple[Branch, ...]]

    @property
    def lines(self) -> frozenset[int]:
        """The lines on which this function can have a line step."""
        return frozenset(self.successors)


@dataclass(frozen=True, slots=True)
class FlowGraph:
    """The control flow of a program, as the Python that made it would run it.

    `python` is its version: from 3.12 on comprehensions have no frames, and the line steps of
    statements over several lines differ a little between versions. `functions` has the module
    first and each function before those inside it; `callees_at` holds indexes into it.
    """

    functions: tuple[FunctionFlow, ...]
    callees_at: Mapping[int, tuple[int, ...]]
    python: tuple[int, int]

    def function_at(self, line: int) -> tuple[FunctionFlow, ...]:
        """The functions that can have a line step on a line, the innermost last.

        line 1 of "f = lambda x: x" -> the module, the lambda
        """
        found = [function for function in self.functions if line in function.successors]
        return tuple(sorted(found, key=lambda function: function.depth))

    def functions_of(self, scope: Scope) -> tuple[FunctionFlow, ...]:
        """The functions that a scope of a trace may be; several where one line has two lambdas."""
        return tuple(
            function
            for function in self.functions
            if (function.qualname, function.first_line) == (scope.function, scope.line)
        )

    def successors(self, line: int) -> frozenset[int]:
        """The lines that may follow a line in the same frame, whichever function it belongs to."""
        return frozenset().union(*(f.successors[line] for f in self.function_at(line)))

    def is_legal(
        self, function: FunctionFlow, line: int, next_line: int, *, is_after_exception: bool = False
    ) -> bool:
        """Whether a line step may follow another in a frame of the function.

        `is_after_exception`: there was an exception step in between.
        """
        if next_line in function.successors.get(line, ()):
            return True
        return is_after_exception and next_line in function.exceptional.get(line, ())

    def loop_exit(self, line: int, next_line: int) -> Literal["stays", "leaves"] | None:
        """Whether going on to a line stays in the loop that another one heads, or leaves it.

        "for x in y:\\n    a()\\nb()": 1, 2 -> "stays"; 1, 3 -> "leaves"; 2, 1 -> None

        None where the line heads no loop, or the next one cannot follow it. A `for` or `while`
        goes before a comprehension in its head. A loop on one line that goes back to itself
        stays, even if it may have been left and begun again by a `while True` around it.
        """
        for function in reversed(self.function_at(line)):
            loops = [b for b in function.branches.get(line, ()) if b.kind in LOOPS]
            if loops and next_line in function.successors[line]:
                heads = [loop for loop in loops if loop.kind != "comprehension"] or loops
                return "stays" if any(next_line in head.inside for head in heads) else "leaves"
        return None

    def callees(self, line: int) -> tuple[FunctionFlow, ...]:
        """The functions that may be called, or resumed, from a line; rather too many than too few.

        line 5 of a program where it is "y = g(x) + 1" -> g
        """
        return tuple(self.functions[index] for index in self.callees_at.get(line, ()))
