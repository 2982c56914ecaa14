"""Nodes of a program's code: the instructions, and the steps that may follow each."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

FrameExit = Literal["return", "yield", "reraise"]


class Transition(NamedTuple):
    """A transition to another instruction, with a line step there or without."""

    target: int
    has_line_step: bool


@dataclass(frozen=True, slots=True)
class InstructionNode:
    """One instruction and the steps that may follow it.

    Attributes:
        line: its line in the source.
        successors: transitions without an exception.
        exception_successors: transitions after an exception step.
        frame_exit: how it leaves the frame, if it does.
        may_raise: whether it may have an exception step.
        is_uncaught: whether an exception raised here leaves the frame.
        may_absorb_exception: whether it may continue after an exception as if there had been none.
        may_call: whether it may call functions of the program.
        known_callees: functions of the program of which it certainly calls one, and immediately.
        raised_lines: for a re-raise that reports the line of the original exception: the lines
            where that exception may have had its exception step.
        forwarded_lines: the same for lines without one, which had only raised it again; None is
            the frame's current line.
        is_delegation: whether it yields a value of the generator it delegates to.
        possible_callees: functions of the program that it may call; None for those of its line.
        resumption_line: for a yield, the line of the call step that resumes it; None for the line
            of its return step.
    """

    line: int | None
    successors: tuple[Transition, ...]
    exception_successors: tuple[Transition, ...]
    frame_exit: FrameExit | None
    may_raise: bool
    is_uncaught: bool
    may_absorb_exception: bool
    may_call: bool
    known_callees: tuple[int, ...]
    raised_lines: frozenset[int | None]
    forwarded_lines: frozenset[int | None]
    is_delegation: bool = False
    possible_callees: frozenset[int] | None = None
    resumption_line: int | None = None


@dataclass(frozen=True, slots=True)
class FunctionInstructions:
    """The nodes of one function, and the index of the one where it starts."""

    start: int
    nodes: tuple[InstructionNode, ...]


@dataclass(frozen=True, slots=True)
class ProgramInstructions:
    """The nodes of every function of a program, in the order of its control-flow graph.

    Attributes:
        functions: the functions of the program.
        only_called_directly: functions that are called only from nodes that list them in
            `known_callees`.
        created_generators: line -> generators that it may create. Up to Python 3.11, a generator
            that is closed before its first step is started with the exception that closes it.
    """

    functions: tuple[FunctionInstructions, ...]
    only_called_directly: frozenset[int]
    created_generators: Mapping[int, Counter[int]]
