"""Exporter: writes the traces of a store as training examples, with a data card."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path

from worldline.core.errors import CodecError, InputError
from worldline.core.trace import Trace
from worldline.core.util.files import atomic_folder, foreign_files
from worldline.core.util.processes import process_pool
from worldline.data.export.data_card import card_text
from worldline.data.export.examples import (
    Example,
    Loss,
    exclusion_reason,
    trace_segments,
    trace_to_example,
)
from worldline.data.export.export_summary import (
    SUMMARY_FILE,
    ExportCounts,
    ExportSummary,
    summarise,
)
from worldline.data.export.export_tokenizer import check_tokenizer, prepare_tokenizer
from worldline.evaluation.store import (
    Column,
    StoredTrace,
    StoreLocation,
    check_row,
    count_rows,
    open_location,
    parquet_bytes,
    read_stored_traces,
    trace_files,
)
from worldline.models.codecs import STEP_CODECS, SpecialToken, StepCodec
from worldline.models.prediction import CodecTokenizer

EXAMPLE_COLUMNS: tuple[Column, ...] = (
    Column("id", "text", "the program's name"),
    Column("prompt", "text", "the prompt, with special tokens as text"),
    Column("completion", "text", "the completion that a perfect model writes"),
    Column("input_ids", "ints", "the tokens of prompt and completion"),
    Column("labels", "ints", "the same, with -100 for tokens without loss"),
    Column("action_mask", "flags", "1 on tokens that say which event and line come next"),
    Column("state_mask", "flags", "1 on tokens that say what variables and values are"),
    Column("prompt_tokens", "int", "number of tokens of the prompt"),
    Column("completion_tokens", "int", "number of tokens of the completion"),
    Column("steps", "int", "number of steps of the trace"),
    Column("program_hash", "text", "a hash of the program's text, input and language"),
    Column("facets", "text", "other properties of the program, as JSON"),
)
CARD_FILE = "README.md"
# Maximum number of tokens in a file; the traces of a part usually have fewer.
_FILE_TOKENS = 5_000_000
# Number of traces on which a tokenizer is trained, spread evenly over all.
_TOKENIZER_TRACES = 20_000
# Number of traces with which a tokenizer is checked.
_CHECKED_TRACES = 20


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """Settings of an export.

    Attributes:
        codec: Codec that encodes the traces.
        tokenizer: "llama3", the path of a `tokenizer.json`, the folder of a model, to whose
            tokenizer missing special tokens are added, or "bytes" or "bpe:2048" to train one.
        loss: Tokens of the completion that have a loss.
        max_tokens: Limit on prompt and completion together; longer examples are left out.
    """

    codec: str = "cwm"
    tokenizer: str = "llama3"
    loss: Loss = "all"
    max_tokens: int | None = None


def export_traces(
    traces: str | Path,
    output: Path,
    settings: ExportSettings | None = None,
    *,
    workers: int = 1,
    restart: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ExportSummary:
    """Write examples of all complete traces, with a data card and the tokenizer (except llama3).

    The same traces and settings give the same bytes, with any number of processes. The folder
    appears when it is complete.

    Args:
        traces: Folder or remote address of the traces.
        output: Folder of the export.
        settings: Codec, tokenizer, loss and length limit.
        workers: Number of processes.
        restart: Replace an export that exists.
        on_progress: Called with the number of exported parts and of all parts.

    Raises:
        InputError: There is nothing to export, or the folder exists or cannot be written.
        CodecError: The codec is unknown or has no steps.
        TokenizerError: The tokenizer cannot be used.
    """
    settings = settings or ExportSettings()
    codec = _codec(settings.codec)
    location = open_location(traces)
    files = trace_files(location)
    with _new_folder(output, restart=restart) as folder:
        name = prepare_tokenizer(
            settings.tokenizer, folder / "tokenizer", codec, _training_texts(location, files, codec)
        )
        tokenizer = CodecTokenizer.load(name, codec)
        stored = read_stored_traces(location.address, files=files)
        checked = islice(_exportable(stored), _CHECKED_TRACES)
        texts = (tuple(trace_segments(trace, codec)) for trace in checked)
        check_tokenizer(name, tokenizer, texts, display_name=settings.tokenizer)
        (folder / "data").mkdir()
        tasks = [
            _PartTask(location.address, path, name, str(folder / "data" / f"{n:06d}"), settings)
            for n, path in enumerate(files)
        ]
        counts, written = ExportCounts(), list[str]()
        for done, (part_counts, paths) in enumerate(_run_tasks(tasks, workers), 1):
            counts.merge(part_counts)
            written += paths
            on_progress(done, len(tasks))
        if not written:
            raise InputError(
                f"nothing in {traces} can be exported: "
                f"{', '.join(f'{n:,} {reason}' for reason, n in counts.left_out.items())}"
            )
        summary = summarise(counts, _rename_files(folder, written), **asdict(settings))
        (folder / SUMMARY_FILE).write_text(
            json.dumps(asdict(summary), indent=1) + "\n", encoding="utf-8"
        )
        (folder / CARD_FILE).write_text(card_text(summary, EXAMPLE_COLUMNS), encoding="utf-8")
    return summary


@dataclass(frozen=True, slots=True)
class _PartTask:
    """One part of the traces, and the target of its examples."""

    address: str
    part: str
    tokenizer: str
    target: str
    settings: ExportSettings


def _run_tasks(
    tasks: Sequence[_PartTask], workers: int
) -> Iterator[tuple[ExportCounts, list[str]]]:
    """Yield the counts and files of each task, in their order."""
    if workers == 1 or len(tasks) == 1:
        yield from map(_export_part, tasks)
        return
    try:
        with process_pool(min(workers, len(tasks))) as pool:
            yield from pool.map(_export_part, tasks)
    except BrokenProcessPool:
        raise InputError(
            "a process that encoded examples died, perhaps because of too little memory: give "
            "fewer --workers, or leave out long examples with --max-tokens"
        ) from None


def _export_part(task: _PartTask) -> tuple[ExportCounts, list[str]]:
    """Write the examples of one part into one file, or into several if they are large."""
    settings = task.settings
    codec = _codec(settings.codec)
    tokenizer = CodecTokenizer.load(task.tokenizer, codec)
    counts, written, rows = ExportCounts(), list[str](), list[dict[str, object]]()
    tokens = 0

    def write_rows() -> None:
        path = f"{task.target}-{len(written):03d}.parquet"
        Path(path).write_bytes(parquet_bytes(EXAMPLE_COLUMNS, rows))
        written.append(path)
        rows.clear()

    for stored in read_stored_traces(task.address, files=[task.part]):
        reason = exclusion_reason(stored.trace)
        if reason is None:
            try:
                example = trace_to_example(stored, codec, tokenizer, loss=settings.loss)
            except CodecError:
                reason = f"the {codec.name} format cannot express it"
        if reason is None and len(example.input_ids) > (settings.max_tokens or float("inf")):
            reason = f"longer than {settings.max_tokens:,} tokens"
        if reason is not None:
            counts.left_out[reason] += 1
            continue
        counts.add(example)
        row = example_to_row(example)
        check_row(EXAMPLE_COLUMNS, row)
        rows.append(row)
        tokens += len(example.input_ids)
        if tokens > _FILE_TOKENS:
            write_rows()
            tokens = 0
    if rows:
        write_rows()
    return counts, written


def example_to_row(example: Example) -> dict[str, object]:
    """Convert an example to a row with the keys of `EXAMPLE_COLUMNS`."""
    row = {column.name: getattr(example, column.name) for column in EXAMPLE_COLUMNS}
    return {**row, "facets": json.dumps(dict(example.facets))}


def _codec(name: str) -> StepCodec:
    if name not in STEP_CODECS:
        raise CodecError(
            f"no codec {name!r} that writes steps; available: {', '.join(sorted(STEP_CODECS))}"
        )
    return STEP_CODECS[name]


def _exportable(stored: Iterable[StoredTrace]) -> Iterator[Trace]:
    """Traces from which examples can be made."""
    for item in stored:
        if exclusion_reason(item.trace) is None and item.trace.program.entry is not None:
            yield item.trace


def _training_texts(
    location: StoreLocation, files: Sequence[str], codec: StepCodec
) -> Iterator[str]:
    """Texts between special tokens, from at most `_TOKENIZER_TRACES` traces, evenly spread."""
    stride = -(-count_rows(location, files) // _TOKENIZER_TRACES)
    chosen = islice(read_stored_traces(location.address, files=files), 0, None, stride)
    for trace in _exportable(chosen):
        for segment in trace_segments(trace, codec):
            if not isinstance(segment, SpecialToken):
                yield segment


def _rename_files(folder: Path, written: Sequence[str]) -> tuple[str, ...]:
    """Give the files the names that trainers expect: train-00000-of-00030.parquet"""
    names = [f"data/train-{n:05d}-of-{len(written):05d}.parquet" for n in range(len(written))]
    for path, name in zip(written, names, strict=True):
        Path(path).rename(folder / name)
    return tuple(names)


def _refuse_foreign_files(output: Path) -> None:
    """Refuse to replace a folder that is not an export, or contains other files."""
    own = {SUMMARY_FILE, CARD_FILE, "data", "tokenizer"}
    foreign = foreign_files(output, own) if output.is_dir() else sorted({output.name} - own)
    if foreign or not _is_export(output):
        reason = f"contains {foreign[0]!r}" if foreign else "is not an export"
        raise InputError(
            f"{output} {reason}, and is not replaced; choose a different folder with -o"
        )


def _is_export(folder: Path) -> bool:
    """Whether a folder contains the summary of an export."""
    try:
        summary = json.loads((folder / SUMMARY_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(summary, dict) and {"codec", "files"} <= summary.keys()


@contextmanager
def _new_folder(output: Path, *, restart: bool) -> Iterator[Path]:
    """Temporary folder that becomes the output at the end, or is deleted after an error."""
    if output.exists():
        if not restart:
            raise InputError(
                f"{output} already exists; choose a different folder with -o, or replace it with "
                "--restart"
            )
        _refuse_foreign_files(output)
    try:
        with atomic_folder(output) as folder:
            yield folder
    except OSError as error:
        raise InputError(f"cannot write {output}: {error}") from error
