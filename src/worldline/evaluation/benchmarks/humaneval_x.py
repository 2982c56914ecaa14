"""HumanEval-X: what the calls in the tests of HumanEval's solutions return, in other languages.

A row has a declaration, a solution and a test. Each assertion that compares one call with a value
is a question. A language is one module with its `TestSyntax`, and an entry in `_TESTS`.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError, ProgramError
from worldline.core.language import get_language
from worldline.core.trace import Program
from worldline.evaluation.benchmarks.assertion_parser import UnusableAssertion
from worldline.evaluation.benchmarks.benchmark import Benchmark, SkippedItem
from worldline.evaluation.benchmarks.humaneval_x_cpp import CPP_TESTS
from worldline.evaluation.benchmarks.humaneval_x_java import JAVA_TESTS
from worldline.evaluation.benchmarks.humaneval_x_javascript import JAVASCRIPT_TESTS
from worldline.evaluation.benchmarks.published_data import Rows, find_published_file
from worldline.evaluation.benchmarks.stated_call import (
    StatedCall,
    TestSyntax,
    is_close,
    parse_stated_calls,
)
from worldline.evaluation.runs import is_expected
from worldline.models.prediction import Question, read_json_lines

_NAME = "humaneval-x"
_FIELDS = ("task_id", "declaration", "canonical_solution", "test")
# The name of its file, and the syntax of its tests, by language.
_TESTS: Mapping[str, tuple[str, TestSyntax]] = {
    "javascript": ("js", JAVASCRIPT_TESTS),
    "cpp": ("cpp", CPP_TESTS),
    "java": ("java", JAVA_TESTS),
}


def humaneval_x(
    data: str | Path | None = None, *, language: str = "javascript", per_problem: int = 5
) -> Benchmark:
    """HumanEval-X: HumanEval's solutions and tests in another language (Zheng et al., 2023).

    Args:
        data: The file, or the folder with js.jsonl.gz, cpp.jsonl.gz and java.jsonl.gz.
        language: `javascript`, `cpp` or `java`.
        per_problem: Maximum number of calls per problem; 0 for all.
    """
    if language not in _TESTS:
        raise InputError(f"{_NAME}: the language can be {' or '.join(_TESTS)}, not {language!r}")
    if per_problem < 0:
        raise InputError(f"per_problem must be 0 (all) or more, found {per_problem}")
    rows = _rows(data, language)
    items = [item for at, row in rows for item in _questions(row, at, language, per_problem)]
    asked = [item for item in items if not isinstance(item, SkippedItem)]
    tolerances = {q.id: call.tolerance for q, call in asked if call.tolerance is not None}
    return Benchmark(
        f"{_NAME}-{_TESTS[language][0]}",
        tuple(question for question, _ in asked),
        {"language": language, "per_problem": per_problem},
        tuple(item for item in items if isinstance(item, SkippedItem)),
        partial(_is_correct, tolerances),
    )


def _rows(data: str | Path | None, language: str) -> Rows:
    name = f"{_TESTS[language][0]}.jsonl"
    names = (f"humaneval_x/{name}.gz", f"humaneval_x/{name}", f"{name}.gz", name)
    file = find_published_file(names, data)
    if file is None:
        raise InputError(
            f"{_NAME} needs its file {name}.gz: give the file, or the folder that contains it, "
            "with --data, or set WORLDLINE_DATA to that folder; it is published with CodeGeeX "
            "(arXiv 2303.17568)"
        )
    return read_json_lines(file)


def _questions(
    row: dict[str, Any], place: str, language: str, limit: int
) -> Iterator[tuple[Question, StatedCall] | SkippedItem]:
    """Yield the questions of a problem, numbered, and its skipped assertions."""
    missing = [field for field in _FIELDS if not isinstance(row.get(field), str)]
    if missing:
        raise InputError(f"{place}: the problem has no text for {', '.join(missing)}")
    name, syntax = row["task_id"], _TESTS[language][1]
    functions = syntax.function.findall(row["declaration"])
    if not functions:
        raise InputError(f"{place}: no function is declared in {row['declaration'][-80:]!r}")
    # The declaration has no comment: that of the prompt shows results.
    source = (row["declaration"] + row["canonical_solution"]).strip("\n") + "\n"
    values = get_language(language).values
    number = 0
    for position, item in enumerate(
        parse_stated_calls(row["test"], functions[-1], syntax, values), 1
    ):
        problem = _problem(item, language)
        if problem or isinstance(item, UnusableAssertion):
            yield SkippedItem(f"{name} assert {position}", item.text, problem)
            continue
        id = f"{name.replace('/', '_')}_tc{number}"
        number += 1
        if limit and number > limit:
            yield SkippedItem(id, item.text, f"it is not among the first {limit} of its problem")
            continue
        program = Program(source, item.call, language=language)
        yield Question(id, program, item.expected, {"problem": name}), item


def _problem(item: StatedCall | UnusableAssertion, language: str) -> str:
    """Why an assertion is not a question; "" if it is one."""
    if isinstance(item, UnusableAssertion):
        return item.reason
    try:
        get_language(language).source.check_call(item.call)
    except ProgramError as error:
        return str(error)
    return ""


def _is_correct(tolerances: Mapping[str, float], question: Question, answer: str) -> bool:
    """Whether the answer is the value of the question's assertion, or within its tolerance."""
    if is_expected(question, answer):
        return True
    tolerance = tolerances.get(question.id)
    if tolerance is None:
        return False
    parse = question.program.values.parse_literal
    try:
        return is_close(parse(question.expected or ""), parse(answer), tolerance)
    except (ValueError, OverflowError):
        return False
