"""Record CRUXEval-X in one language or in all: results, repetitions, times, and edited traces.

    python -m tests.languages.benchmark_rows rust ../shared/data rust.jsonl
    python -m tests.languages.benchmark_rows --table rust.jsonl cpp.jsonl …

One variable, line or return of each trace is edited (in turn), and diagnosed. Every tenth row is
recorded again, with its executable from the cache (`--again 1`: every row). The order is random, so
that a part (`--count 50`) is a sample. A row is written when it is done: run the same command again
to resume.
"""

import argparse
import hashlib
import json
import random
import statistics
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.languages.edited_traces import EDITS, edited_prediction, wrong_fact
from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Trace
from worldline.evaluation.benchmarks import Benchmark, load_benchmark
from worldline.evaluation.metrics import measure_tokens
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.prediction import Question
from worldline.models.tokenizers import load_tokenizer

LIMITS = Limits(seconds=60)
# Edits are tried on a trace until one has a place.
_KINDS = list(EDITS)
CODECS = ("cwm", "delta", "numbers", "edits")


@dataclass(frozen=True)
class Row:
    """What became of one row.

    Attributes:
        id: The question.
        ending: Why the recording ended: "finished", "not_loaded", … or "recorder_failed".
        detail: More about the ending; what was returned, if it is not the expected value.
        is_equal: Whether the result is the expected value.
        is_repeated: Whether the second recording has the same steps; None: there was none.
        steps: The steps of the trace.
        seconds: Elapsed time of the first recording, with the compiler.
        seconds_again: Elapsed time of the second recording; 0 if there was none.
        edit: The kind of the edit; "" if the trace has no place for one.
        problem: How the diagnosis differs from the edit.
        tokens: Tokens of the prompt, and of the trace in the format of each codec.
    """

    id: str
    ending: str
    detail: str = ""
    is_equal: bool = False
    is_repeated: bool | None = None
    steps: int = 0
    seconds: float = 0.0
    seconds_again: float = 0.0
    edit: str = ""
    problem: str = ""
    tokens: dict[str, int] = field(default_factory=dict)


def record_row(recorder: ProgramRecorder, question: Question, number: int, again: int) -> Row:
    """Record a row, compare its result, and diagnose one edit."""
    is_repeated, seconds_again = None, 0.0
    try:
        trace, seconds = _timed_recording(recorder, question.program)
        if number % again == 0:
            repeated, seconds_again = _timed_recording(recorder, question.program)
            is_repeated = repeated.steps == trace.steps
    except RecorderError as error:
        return Row(question.id, "recorder_failed", str(error)[-300:])
    expected = question.expected or ""
    is_equal = trace.result is not None and trace.program.values.is_reference_of(
        trace.result, expected
    )
    detail = trace.ending.detail
    if trace.result is not None and not is_equal:
        detail = f"{trace.result} instead of {expected}"
    edit, problem = diagnosed_edit(trace, number) if trace.is_complete else ("", "")
    return Row(
        *(question.id, trace.ending.reason, detail[:400], is_equal, is_repeated),
        *(len(trace.steps), round(seconds, 3), round(seconds_again, 3), edit, problem),
        count_tokens(trace) if trace.is_complete else {},
    )


def count_tokens(trace: Trace) -> dict[str, int]:
    """Llama 3's tokens of the prompt, and of the trace in several formats."""
    costs = measure_tokens([("", trace)], load_tokenizer("llama3"))
    formats = {each.codec: each for each in costs.formats}
    counts = {name: formats[name].trace for name in CODECS}
    return {"prompt": formats["cwm"].prompt, **counts}


def _timed_recording(recorder: ProgramRecorder, program: Program) -> tuple[Trace, float]:
    start = time.perf_counter()
    trace = recorder.record(program, limits=LIMITS)
    return trace, time.perf_counter() - start


def diagnosed_edit(trace: Trace, number: int) -> tuple[str, str]:
    """The kind of the edit of a trace, and how its diagnosis differs from it ("": it does not)."""
    rng = random.Random(f"{trace.program.call} {number}")
    for turn in range(len(_KINDS)):
        kind = _KINDS[(number + turn) % len(_KINDS)]
        edited = edited_prediction(trace, kind, rng)
        if edited is not None and not trace.program.values.is_opaque(edited[0].actual):
            return kind, wrong_fact(trace, *edited)
    return "", ""


def benchmark_of(language: str, data: Path) -> Benchmark:
    """CRUXEval in a language."""
    if language == "python":
        return load_benchmark("cruxeval", data=str(data))
    options = {"language": language}
    return load_benchmark("cruxeval-x", data=str(data / "cruxeval_x"), options=options)


def _position(question: Question) -> str:
    """A random number that is the same for a problem in all languages."""
    return hashlib.sha256(question.id.encode()).hexdigest()


def record_rows(benchmark: Benchmark, output: Path, *, count: int | None, again: int) -> None:
    """Record rows that the output does not contain, in random order."""
    done = {row["id"] for row in _read_rows(output)} if output.exists() else set()
    questions = enumerate(sorted(benchmark.questions, key=_position))
    rest = [(number, question) for number, question in questions if question.id not in done]
    with output.open("a") as file, ProgramRecorder() as recorder:
        for number, question in rest[:count]:
            row = record_row(recorder, question, number, again)
            file.write(json.dumps(asdict(row), ensure_ascii=False) + "\n")
            file.flush()


def _read_rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def table_row(rows: list[dict[str, Any]]) -> str:
    """The figures of a language, as a row of a Markdown table."""
    compiled = [row for row in rows if row["ending"] not in ("not_loaded", "recorder_failed")]
    complete = [row for row in compiled if row["ending"] == "finished"]
    edits = [row for row in rows if row["edit"]]
    first = statistics.median(row["seconds"] for row in complete) * 1000
    repeated = [row for row in complete if row["is_repeated"] is not None]
    again = statistics.median(row["seconds_again"] for row in repeated) * 1000
    cells = (
        *(len(rows), len(compiled), len(complete), sum(row["is_equal"] for row in rows)),
        f"{sum(row['is_repeated'] for row in repeated)} of {len(repeated)}",
        f"{sum(row['steps'] for row in rows):,}",
        f"{sum(not row['problem'] for row in edits)} of {len(edits)}",
        *(f"{first:,.0f}", f"{again:,.0f}"),
    )
    return f"| {' | '.join(map(str, cells))} |"


def print_table(paths: list[Path]) -> None:
    """Print the figures of all files, and every row that is not as expected."""
    sys.stdout.write(
        "| file | rows | compiled | recorded to the end | equal | same steps again | steps "
        "| edits diagnosed | ms the first time | ms from the cache |\n"
    )
    for path in paths:
        sys.stdout.write(f"| {path.stem} {table_row(_read_rows(path))}\n")
    for path in paths:
        for row in _read_rows(path):
            if not row["is_equal"] or row["is_repeated"] is False or row["problem"]:
                repeated = " (other steps again)" if row["is_repeated"] is False else ""
                text = f"{row['ending']}{repeated}: {row['detail']} {row['problem']}"
                sys.stdout.write(f"{path.stem} {row['id']}: {text[:300]!r}\n")


def main() -> None:
    """Record, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", nargs="+", type=Path)
    parser.add_argument("language", nargs="?")
    parser.add_argument("data", nargs="?", type=Path)
    parser.add_argument("output", nargs="?", type=Path)
    parser.add_argument("--count", type=int, help="record at most N more rows")
    parser.add_argument("--again", type=int, default=10, help="record every Nth row again")
    arguments = parser.parse_args()
    if arguments.table:
        print_table(arguments.table)
        return
    benchmark = benchmark_of(arguments.language, arguments.data)
    record_rows(benchmark, arguments.output, count=arguments.count, again=arguments.again)
    for skipped in benchmark.skipped:
        sys.stdout.write(f"{skipped}\n")
    print_table([arguments.output])


if __name__ == "__main__":
    main()
