"""A seed, a level and numbers go in; programs that were written and executed come out.

Candidate n of a level depends on nothing but these three, so that it is the same wherever, and in
whatever order, candidates are made.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from worldline.align.literals import literal
from worldline.benchmarks.draws import Draws
from worldline.errors import RecorderError
from worldline.generate.facets import facets_of
from worldline.generate.levels import LEVELS
from worldline.generate.normal import program_key, source_key
from worldline.predict import Question
from worldline.recorders import PythonRecorder
from worldline.trace import Limits, Program, Trace, parse_source

NOT_FINISHED = "did not finish"
TOO_MANY_STEPS = "too many steps"
TOO_LONG = "a value is too long"
NO_LITERAL = "the result is no literal"
VERSION_BOUND = "Pythons trace it differently"
_SUSPECT = re.compile(r" (?:and|or|else) |[\[({][^\n]* for ")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Candidates to be made: of one level, from a number on. `most_steps` and `longest_value`
    (characters) are what they may have."""

    seed: int
    level: str
    first: int
    count: int
    most_steps: int
    longest_value: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """A program that was executed; or, without a question, why it is none that can be kept.

    The keys are the same for programs that differ only in names and formatting: `key` with the
    call, `source_key` without it.
    """

    level: str
    number: int
    question: Question | None
    reason: str = ""
    key: str = ""
    source_key: str = ""


def make_candidates(chunk: Chunk, recorder: PythonRecorder) -> list[Candidate]:
    """Write and execute the programs of a chunk, in their order."""
    numbers = range(chunk.first, chunk.first + chunk.count)
    return [_make(chunk, number, recorder) for number in numbers]


def write_program(seed: int, level: str, number: int) -> Program:
    """A candidate as it is written, not yet executed."""
    return LEVELS[level](Draws("generate", seed, level, number))


def question_id(level: str, seed: int, number: int) -> str:
    """ "loops", 0, 17 -> "loops_0_000017": files made from several seeds can be put together."""
    return f"{level}_{seed}_{number:06}"


def _make(chunk: Chunk, number: int, recorder: PythonRecorder) -> Candidate:
    program = write_program(chunk.seed, chunk.level, number)
    # One step more than is kept: a program that is cut there has too many.
    trace = recorder.record(program, limits=Limits(steps=chunk.most_steps + 1))
    reason = _reason(trace, chunk)
    if reason:
        return Candidate(chunk.level, number, None, reason)
    question = Question(
        question_id(chunk.level, chunk.seed, number),
        program,
        trace.result,
        facets_of(chunk.level, trace),
    )
    return Candidate(
        chunk.level, number, question, "", program_key(program), source_key(program.source)
    )


def _reason(trace: Trace, chunk: Chunk) -> str:
    """Why a program is not kept; nothing where it is."""
    if trace.ending.reason == "step_limit" or len(trace.steps) > chunk.most_steps:
        return TOO_MANY_STEPS
    if not trace.ending.is_complete:
        # What is kept would depend on how busy a machine is.
        raise RecorderError(
            f"a program of {chunk.level} was stopped ({trace.ending.reason}: "
            f"{trace.ending.detail}), as on a machine that is too busy; the same command (without "
            "--restart) goes on"
        )
    if trace.result is None:
        return NOT_FINISHED
    if max(map(len, _values(trace)), default=0) > chunk.longest_value:
        return TOO_LONG
    try:
        literal(trace.result)
    except ValueError:
        return NO_LITERAL
    return VERSION_BOUND if _is_version_bound(trace.program.source) else ""


def _is_version_bound(source: str) -> bool:
    """Whether a function of the program's own is called behind `and`, `or` or `if … else`, or there
    is any comprehension: Pythons differ in what they say is executed when such a call returns, and
    in whether a comprehension is a call."""
    # Most programs have nothing of it, and reading a program takes longer than looking for a word.
    if not _SUSPECT.search(source):
        return False
    tree = parse_source(source) or ast.Module([], [])
    own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return any(
        isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id in own
        for node in ast.walk(tree)
        if isinstance(node, ast.BoolOp | ast.IfExp)
        for inner in ast.walk(node)
    ) or any(isinstance(node, _COMPREHENSIONS) for node in ast.walk(tree))


def _values(trace: Trace) -> Sequence[str]:
    found = [value for step in trace.steps for value in step.changed.values()]
    return [*found, *(step.value for step in trace.steps if step.value is not None)]
