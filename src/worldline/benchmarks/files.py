"""Files of your own go in, a benchmark comes out.

A file of JSON lines (`.jsonl`, or packed `.jsonl.gz`), as `worldline.predict.questions` reads it;
what `worldline predict` wrote will do. Or a Python file that ends with the calls to ask about, and
what they return where that is known:

    def add(a, b):
        return a + b

    # call: add(1, 2)
    # expected: 3
    # call: add('x', 'y')

The calls of `sums.py` are named `sums_tc0`, `sums_tc1`. Or a folder of such files.
"""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from worldline.benchmarks.benchmark import Benchmark
from worldline.errors import InputError
from worldline.predict import questions_from_rows, read_rows
from worldline.trace import parse_source

_ENDINGS = (".jsonl", ".jsonl.gz", ".py")
_NOTE = re.compile(r"#\s*(call|expected)\s*:(.*)")


def from_files(path: str | Path) -> Benchmark:
    """The programs in a file, or in all the files of a folder (not in folders within it)."""
    path = Path(path)
    rows = chain.from_iterable(map(_rows, _files(path)))
    questions = tuple(questions_from_rows(rows))
    if not questions:
        raise InputError(f"{path} holds no programs; {_wanted()}")
    return Benchmark(_bare_name(path), questions, {"path": str(path)})


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise InputError(f"there is no file or folder {path}")
    if path.is_dir():
        found = sorted(file for file in path.iterdir() if file.is_file() and _is_ours(file))
        if not found:
            raise InputError(f"the folder {path} holds no programs; {_wanted()}")
        return found
    if not _is_ours(path):
        raise InputError(f"{path} is no file of programs; {_wanted()}")
    return [path]


def _is_ours(file: Path) -> bool:
    return file.name.endswith(_ENDINGS)


def _wanted() -> str:
    return (
        "give a .jsonl (or .jsonl.gz) file with id, code and call a line, or a .py file that ends "
        "with lines such as '# call: f(1, 2)', or a folder of these"
    )


def _bare_name(path: Path) -> str:
    """ "runs/mine.jsonl.gz" -> "mine" """
    name = path.resolve().name
    return next((name.removesuffix(end) for end in _ENDINGS if name.endswith(end)), name)


def _rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    return _python_rows(file) if file.suffix == ".py" else read_rows(file)


def _python_rows(file: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """A row for each call at the end of a Python file; their code does not show the calls."""
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read {file}: {error}") from error
    end = len(lines)
    while end and (not lines[end - 1].strip() or _NOTE.match(lines[end - 1])):
        end -= 1
    code = "\n".join([*lines[:end], ""])
    if parse_source(code) is None:
        raise InputError(f"{file} is not a program that Python can read; try python {file}")
    calls = _calls(file, lines, end)
    if not calls:
        raise InputError(
            f"{file} names no call to ask about; end it with a line such as '# call: f(1, 2)'"
        )
    for number, (place, call) in enumerate(calls):
        yield place, {"id": f"{_bare_name(file)}_tc{number}", "code": code, **call}


def _calls(file: Path, lines: list[str], end: int) -> list[tuple[str, dict[str, str]]]:
    """The calls that are noted behind the program's last line, and what they return."""
    found: list[tuple[str, dict[str, str]]] = []
    for number, line in enumerate(lines, 1):
        note = _NOTE.match(line)
        if note is None:
            continue
        word, text, place = note[1], note[2].strip(), f"line {number} of {file}"
        if number <= end:
            raise InputError(f"{place}: '# {word}: …' must come at the end, behind the program")
        if not text:
            raise InputError(f"{place}: there is nothing behind '# {word}:'")
        if word == "call":
            found.append((place, {"call": text}))
        elif not found or "expected" in found[-1][1]:
            raise InputError(f"{place}: '# expected: …' must follow the '# call: …' it is for")
        else:
            found[-1][1]["expected"] = text
    return found
