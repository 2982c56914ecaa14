"""Candidates: programs that were written and executed, not yet selected.

A candidate depends only on the seed, its level and its number. It is the same in every process
and in any order of generation.
"""

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Trace, parse_source
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.canonical_hash import hash_program, hash_source
from worldline.data.generation.facets import measure_facets
from worldline.data.generation.javascript import (
    TranslationError,
    translate_literal,
    translate_program,
)
from worldline.data.generation.levels import LEVELS
from worldline.languages.python.answer_equality import parse_literal
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

NOT_FINISHED = "did not finish"
TOO_MANY_STEPS = "too many steps"
TOO_LONG = "a value is too long"
NO_LITERAL = "the result is no literal"
VERSION_DEPENDENT = "Pythons trace it differently"
NO_TRANSLATION = "no translation"
TOO_LARGE = "a number is too large"
# Larger integers are not exact in JavaScript.
_LARGE_NUMBER = re.compile(r"(?<![.\d])\d{16,}")
# Source that may be version-dependent: a boolean operator, or a comprehension.
_SUSPECT = re.compile(r" (?:and|or|else) |[\[({][^\n]* for ")
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Candidates to generate: `count` of one level, from number `first` on.

    Candidates with more than `max_steps` steps, or with a value of more than `max_value_chars`
    characters, are rejected, and those that cannot be translated to the language.
    """

    seed: int
    level: str
    first: int
    count: int
    max_steps: int
    max_value_chars: int
    language: str = "python"


@dataclass(frozen=True, slots=True)
class Candidate:
    """An executed program, or the reason why it was rejected.

    The canonical hashes do not depend on names and layout: `program_hash` includes the call,
    `source_hash` does not.
    """

    level: str
    number: int
    question: Question | None
    reason: str = ""
    program_hash: str = ""
    source_hash: str = ""


def make_candidates(chunk: Chunk, recorder: PythonRecorder) -> list[Candidate]:
    """Write and execute the programs of a chunk, in the order of their numbers."""
    numbers = range(chunk.first, chunk.first + chunk.count)
    programs = [write_program(chunk.seed, chunk.level, number) for number in numbers]
    # One step above the limit: a trace that reaches it has too many steps.
    limits = Limits(steps=chunk.max_steps + 1)
    # In one process for many, programs take a fifth of the time; their traces are the same.
    traces = recorder.record_group(programs, limits=limits)
    return [
        _make_candidate(chunk, number, trace or recorder.record(program, limits=limits))
        for number, program, trace in zip(numbers, programs, traces, strict=True)
    ]


def write_program(seed: int, level: str, number: int) -> Program:
    """Write the program of a candidate, without executing it."""
    return LEVELS[level](SeededRandom("generate", seed, level, number))


def question_id(level: str, seed: int, number: int) -> str:
    """Question id that is unique across seeds: "loops", 0, 17 -> "loops_0_000017"."""
    return f"{level}_{seed}_{number:06}"


def _make_candidate(chunk: Chunk, number: int, trace: Trace) -> Candidate:
    program = trace.program
    reason = _rejection_reason(trace, chunk)
    if reason:
        return Candidate(chunk.level, number, None, reason)
    question = Question(
        question_id(chunk.level, chunk.seed, number),
        program,
        trace.result,
        measure_facets(chunk.level, trace),
    )
    return Candidate(
        chunk.level, number, question, "", hash_program(program), hash_source(program.source)
    )


def _rejection_reason(trace: Trace, chunk: Chunk) -> str:
    """Reason to reject a program; empty if there is none."""
    if trace.ending.reason == "step_limit" or len(trace.steps) > chunk.max_steps:
        return TOO_MANY_STEPS
    if not trace.ending.is_complete:
        # An error, not a rejection: the selected programs must not depend on the machine's load.
        raise RecorderError(
            f"a program of level {chunk.level} was stopped ({trace.ending.reason}: "
            f"{trace.ending.detail}); the machine may be overloaded: run the same command again "
            "(without --restart) to resume"
        )
    if trace.result is None:
        return NOT_FINISHED
    if max(map(len, _values(trace)), default=0) > chunk.max_value_chars:
        return TOO_LONG
    try:
        parse_literal(trace.result)
    except ValueError:
        return NO_LITERAL
    if _is_version_dependent(trace.program.source):
        return VERSION_DEPENDENT
    return "" if chunk.language == "python" else _translation_problem(trace)


def _translation_problem(trace: Trace) -> str:
    """Reason why a program cannot be translated with the same results."""
    if any(_LARGE_NUMBER.search(value) for value in _values(trace)):
        return TOO_LARGE
    try:
        translate_program(trace.program)
    except TranslationError:
        return NO_TRANSLATION
    return ""


def translate_question(question: Question, language: str) -> Question:
    """A selected question in another language, with the same id and facets."""
    if language == "python":
        return question
    expected = question.expected
    return replace(
        question,
        program=translate_program(question.program),
        expected=None if expected is None else translate_literal(expected),
    )


def _is_version_dependent(source: str) -> bool:
    """Whether Python versions record different traces of a program.

    They differ in the step after a call within `and`, `or` or `if … else`, and in whether a
    comprehension has a frame.
    """
    # A regular expression is faster than parsing, and most programs do not match.
    if not _SUSPECT.search(source):
        return False
    tree = parse_source(source) or ast.Module([], [])
    functions = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return any(
        isinstance(inner, ast.Call)
        and isinstance(inner.func, ast.Name)
        and inner.func.id in functions
        for node in ast.walk(tree)
        if isinstance(node, ast.BoolOp | ast.IfExp)
        for inner in ast.walk(node)
    ) or any(isinstance(node, _COMPREHENSIONS) for node in ast.walk(tree))


def _values(trace: Trace) -> Sequence[str]:
    changed = [value for step in trace.steps for value in step.changed.values()]
    return [*changed, *(step.value for step in trace.steps if step.value is not None)]
