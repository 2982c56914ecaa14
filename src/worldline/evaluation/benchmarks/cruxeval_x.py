"""CRUXEval-X, output prediction: CRUXEval's functions in other languages.

A row has a whole program, whose test calls the function `f` and compares. The id of a question is
that of the same problem in CRUXEval, so that runs of two languages are paired by it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError, ProgramError
from worldline.core.language import get_language
from worldline.core.trace import Program
from worldline.evaluation.benchmarks.benchmark import Benchmark, SkippedItem
from worldline.evaluation.benchmarks.cruxeval_x_cpp import split_cpp_row
from worldline.evaluation.benchmarks.cruxeval_x_go import split_go_row
from worldline.evaluation.benchmarks.cruxeval_x_java import split_java_row
from worldline.evaluation.benchmarks.cruxeval_x_rust import split_rust_row
from worldline.evaluation.benchmarks.published_data import Rows, find_published_file
from worldline.languages.javascript.javascript_tokens import tokenize
from worldline.languages.source_tokens import Token, matching_bracket, split_at
from worldline.models.prediction import Question, read_json_lines

# Names of the files, by language.
_FILES = {
    "javascript": "js",
    "typescript": "ts",
    "cpp": "cpp",
    "java": "java",
    "rust": "rs",
    "go": "go",
}
# Texts with which the test begins, after the function.
_TEST_STARTS = ("declare var require", "const assert = require", "import assert", "function test(")
_NAME = "cruxeval-x"
# The source, the call and the expected value of a row, in languages with other tests.
_SPLITTERS = {
    "cpp": split_cpp_row,
    "java": split_java_row,
    "rust": split_rust_row,
    "go": split_go_row,
}


def cruxeval_x(data: str | Path | None = None, *, language: str = "javascript") -> Benchmark:
    """CRUXEval-X: what CRUXEval's functions return in another language (Xu et al., 2024).

    Args:
        data: The file, or the folder with js.jsonl, ts.jsonl, cpp.jsonl, java.jsonl, rs.jsonl and
            go.jsonl.
        language: `javascript`, `typescript`, `cpp`, `java`, `rust` or `go`.
    """
    if language not in _FILES:
        raise InputError(f"{_NAME}: the language can be {' or '.join(_FILES)}, not {language!r}")
    items = [_question(row, place, language) for place, row in _rows(data, language)]
    return Benchmark(
        f"{_NAME}-{_FILES[language]}",
        tuple(item for item in items if isinstance(item, Question)),
        {"language": language},
        tuple(item for item in items if isinstance(item, SkippedItem)),
    )


def _rows(data: str | Path | None, language: str) -> Rows:
    name = f"{_FILES[language]}.jsonl"
    file = find_published_file((name, f"cruxeval_x/{name}", f"{name}.gz"), data)
    if file is None:
        raise InputError(
            f"{_NAME} needs its file {name}: give the file, or the folder that contains it, with "
            "--data, or set WORLDLINE_DATA to that folder; it is published with arXiv 2408.13001"
        )
    return read_json_lines(file)


def _question(row: dict[str, Any], place: str, language: str) -> Question | SkippedItem:
    id, code = f"sample_{row.get('id')}", row.get("code")
    if not isinstance(code, str):
        raise InputError(f"{place}: the row has no text for code")
    parts = _SPLITTERS.get(language, _split_row)(code)
    if parts is None:
        return SkippedItem(id, code, "its test does not compare one call with a value")
    source, call, expected = parts
    try:
        get_language(language).source.check_call(call)
    except ProgramError as error:
        return SkippedItem(id, call, str(error))
    return Question(id, Program(source, call, language=language), expected)


def _split_row(code: str) -> tuple[str, str, str] | None:
    """The source, the call and the expected value of a row; None if its test is another one."""
    start = min((n for n in map(code.find, _TEST_STARTS) if n >= 0), default=len(code))
    asserted = _asserted(code[start:])
    return None if asserted is None else (code[:start].rstrip() + "\n", *asserted)


def _asserted(test: str) -> tuple[str, str] | None:
    """The call and the value of the first assertion: `assert.deepEqual(candidate(1), 2)`."""
    tokens = tokenize(test)
    for index in _assertions(tokens):
        end = matching_bracket(tokens, index)
        parts = split_at(tokens[index + 1 : end], frozenset(","))
        if len(parts) >= 2 and parts[0] and parts[0][0].text == "candidate" and parts[1]:
            call = test[parts[0][1].start : parts[0][-1].end]
            return f"f{call}", test[parts[1][0].start : parts[1][-1].end]
    return None


def _assertions(tokens: tuple[Token, ...]) -> Iterator[int]:
    """Indices of the parentheses that open the arguments of assertions."""
    for index, token in enumerate(tokens[:-1]):
        if token.text in ("deepEqual", "deepStrictEqual", "equal", "strictEqual"):
            yield index + 1
