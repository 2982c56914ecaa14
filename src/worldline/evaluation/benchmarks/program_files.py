"""Benchmark from the user's own program files.

Either JSONL files (`.jsonl` or `.jsonl.gz`) in the format of
`worldline.models.prediction.question_reader`, which includes the output of `worldline predict`. Or
program files (`.py`, `.js`, `.ts`) that end with the calls to predict and, if known, what they
return:

    def add(a, b):
        return a + b

    # call: add(1, 2)
    # expected: 3
    # call: add('x', 'y')

The calls of `sums.py` have the ids `sums_tc0` and `sums_tc1`. Or a folder of such files.
"""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.language import Language, language_of_file
from worldline.core.trace import DEFAULT_LANGUAGE, parse_source
from worldline.evaluation.benchmarks.benchmark import Benchmark
from worldline.models.prediction import questions_from_rows, read_json_lines

_ROWS = (".jsonl", ".jsonl.gz")


def load_program_files(path: str | Path) -> Benchmark:
    """Load a file, or all files of a folder (without its subfolders), as a benchmark.

    Raises:
        InputError: There is no program, or a file cannot be read.
    """
    path = Path(path)
    rows = chain.from_iterable(map(_rows, _files(path)))
    questions = tuple(questions_from_rows(rows))
    if not questions:
        raise InputError(f"{path} contains no programs; {_supported_files()}")
    return Benchmark(_bare_name(path), questions, {"path": str(path)})


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise InputError(f"there is no file or folder {path}")
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.is_file() and _is_supported(file))
        if not files:
            raise InputError(f"the folder {path} contains no programs; {_supported_files()}")
        return files
    if not _is_supported(path):
        raise InputError(f"{path} is not a file of programs; {_supported_files()}")
    return [path]


def _is_supported(file: Path) -> bool:
    return file.name.endswith(_ROWS) or language_of_file(file.name) is not None


def _supported_files() -> str:
    return (
        "give a .jsonl (or .jsonl.gz) file with id, code and call on each line, or a program "
        "(.py, .js, .ts) that ends with lines such as '# call: f(1, 2)', or a folder of these"
    )


def _bare_name(path: Path) -> str:
    """ "runs/mine.jsonl.gz" -> "mine" """
    name = path.resolve().name
    language = language_of_file(name)
    suffixes = (*_ROWS, *(language.suffixes if language is not None else ()))
    return next((name.removesuffix(end) for end in suffixes if name.endswith(end)), name)


def _rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    language = language_of_file(file.name)
    return read_json_lines(file) if language is None else _program_rows(file, language)


def _program_rows(file: Path, language: Language) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a row for each call at the end of a program file; its code excludes these lines."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {file}: {error}") from error
    note = re.compile(rf"(?:#|//|{re.escape(language.comment)})\s*(call|expected)\s*:(.*)")
    end = len(lines)
    while end and (not lines[end - 1].strip() or note.match(lines[end - 1])):
        end -= 1
    code = "\n".join([*lines[:end], ""])
    if language.name == DEFAULT_LANGUAGE and parse_source(code) is None:
        raise InputError(f"{file} is not valid Python; to see the error, run python {file}")
    calls = _calls(file, [note.match(line) for line in lines], end)
    if not calls:
        raise InputError(
            f"{file} names no call; end it with a line such as '{language.comment} call: f(1, 2)'"
        )
    for number, (source, call) in enumerate(calls):
        id = f"{_bare_name(file)}_tc{number}"
        yield source, {"id": id, "code": code, "language": language.name, **call}


def _calls(
    file: Path, notes: list[re.Match[str] | None], end: int
) -> list[tuple[str, dict[str, str]]]:
    """Calls in the comments after the program's last line, and what they return."""
    calls: list[tuple[str, dict[str, str]]] = []
    for number, note in enumerate(notes, 1):
        if note is None:
            continue
        keyword, text, source = note[1], note[2].strip(), f"line {number} of {file}"
        if number <= end:
            raise InputError(f"{source}: '# {keyword}: …' must come at the end, after the program")
        if not text:
            raise InputError(f"{source}: there is nothing after '# {keyword}:'")
        if keyword == "call":
            calls.append((source, {"call": text}))
        elif not calls or "expected" in calls[-1][1]:
            raise InputError(
                f"{source}: '# expected: …' must follow the '# call: …' that it belongs to"
            )
        else:
            calls[-1][1]["expected"] = text
    return calls
