"""Questions and predictions from files, runs, benchmark names and open text streams."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TextIO

from worldline.core.errors import InputError, WorldlineError
from worldline.core.language import language_of_file
from worldline.evaluation.benchmarks import BENCHMARKS, load_benchmark
from worldline.evaluation.runs import is_run, read_predictions
from worldline.interfaces.api.programs import read_program_file
from worldline.interfaces.report import natural_key
from worldline.models.prediction import (
    Prediction,
    Question,
    number_lines,
    parse_json_line,
    predictions_from_lines,
    questions_from_rows,
    read_json_lines,
    read_prediction_file,
)

Source = str | Path | TextIO
_CALL_COMMENT = re.compile(r"^(?:#|//)\s*call\s*:", re.MULTILINE)


def source_name(source: Source) -> str:
    """The name of a source in messages.

    "a/b.jsonl" -> "a/b.jsonl"; an open stream -> "standard input"
    """
    return str(source) if isinstance(source, str | Path) else "standard input"


def load_questions(
    source: Source,
    *,
    call: str | None = None,
    data: str | Path | None = None,
    options: Mapping[str, str] | None = None,
) -> list[Question]:
    """Load the questions of a benchmark or of a file.

    Args:
        source: A benchmark's name (unless there is a file of that name), a file of JSON lines, a
            program file (`.py`, `.js`, `.ts`), a folder of such files, or an open stream of JSON
            lines.
        call: The call to predict, if the source is one program file.
        data: The benchmark's file, or the folder that contains it.
        options: The benchmark's own options, as text.

    Returns:
        The questions, in the order of the source.

    Raises:
        InputError: The source has no questions, or one that cannot be read.

    Examples:
        >>> load_questions("permutation", options={"lengths": "8", "per_length": "2"})[0].id
        's5_l0008_n0'
    """
    if not isinstance(source, str | Path):
        return _not_empty(list(questions_from_rows(_rows(source, source_name(source)))), source)
    path = Path(source)
    if str(source) in BENCHMARKS and call is None and not path.is_file():
        place = None if data is None else str(data)
        return list(load_benchmark(str(source), data=place, options=options).questions)
    if call is not None:
        if language_of_file(path.name) is None:
            raise InputError(
                "--call is only for program files such as .py and .js; elsewhere each row has its "
                "own call"
            )
        return [Question(path.stem, read_program_file(path, call))]
    is_program = language_of_file(path.name) is not None
    if is_program and path.is_file() and not _names_calls(path):
        raise InputError(f"{path} is one program: add --call, e.g. --call 'f(1)'")
    if path.is_file() and not is_program:
        _refuse_options(source, data, options)
        return _not_empty(list(questions_from_rows(read_json_lines(path))), source)
    return list(load_benchmark(str(source), data=None, options=options).questions)


def _names_calls(path: Path) -> bool:
    """Whether a file ends with comments such as `# call: f(1)`."""
    try:
        return bool(_CALL_COMMENT.search(path.read_text(encoding="utf-8", errors="replace")))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error}") from error


def _refuse_options(
    source: Source, data: str | Path | None, options: Mapping[str, str] | None
) -> None:
    if data is not None or options:
        raise InputError(f"{source} is a file: it takes no --data and no --set")


def _not_empty(questions: list[Question], source: Source) -> list[Question]:
    if not questions:
        name = source_name(source)
        raise InputError(f"no programs in {name}; each line must be one JSON object")
    return questions


def load_predictions(
    source: Source, *, on_invalid: Callable[[WorldlineError], None] | None = None
) -> list[Prediction]:
    """Load the predictions of a run or of a file.

    Args:
        source: A run, a file of JSON lines, a sample file of lm-eval, a log of Inspect, or an open
            stream of JSON lines.
        on_invalid: Called for every line that is not a prediction, which is then skipped. Without
            it, such a line raises its error.

    Returns:
        The predictions. Those of a run, and of a file that `worldline predict` wrote, are ordered
        by name, because they were stored in the order of completion; others as in the file.

    Raises:
        InputError: The source cannot be read, or a line is not a prediction.
    """
    if isinstance(source, str | Path) and is_run(source):
        predictions = list(read_predictions(source))
    else:
        predictions = list(_recorded(source, on_invalid))
    if all(prediction.generation for prediction in predictions):
        predictions.sort(key=lambda prediction: natural_key(prediction.id))
    return predictions


def _recorded(
    source: Source, on_invalid: Callable[[WorldlineError], None] | None
) -> Iterator[Prediction]:
    if isinstance(source, str | Path):
        return read_prediction_file(source, on_invalid=on_invalid)
    lines = number_lines(source.read(), source_name(source))
    return predictions_from_lines(lines, on_invalid=on_invalid)


def _rows(stream: TextIO, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    lines = number_lines(stream.read(), name)
    return ((place, parse_json_line(line, place)) for place, line in lines)
