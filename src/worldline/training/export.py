"""A folder of traces goes in; a folder that trainers load comes out, and what it holds."""

import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from worldline.codecs import STEP_CODECS, Special, StepCodec
from worldline.errors import CodecError, InputError
from worldline.runs import start_worker
from worldline.store import (
    Column,
    Place,
    StoredTrace,
    check_row,
    count_rows,
    parquet_bytes,
    place_of,
    read_stored_traces,
    trace_files,
)
from worldline.trace import Trace
from worldline.training.card import card_text
from worldline.training.examples import (
    Example,
    Loss,
    pieces_of,
    trace_to_example,
    why_left_out,
)
from worldline.training.spelling import (
    check_spelling,
    load_spelling,
    prepare_tokenizer,
)
from worldline.training.summary import Counts, ExportSummary, summarise

EXAMPLE_COLUMNS: tuple[Column, ...] = (
    Column("id", "text", "the program's name"),
    Column("prompt", "text", "what a model is given; special tokens are spelled out"),
    Column("completion", "text", "what a perfect model writes behind it"),
    Column("input_ids", "ints", "the tokens of prompt and completion"),
    Column("labels", "ints", "the same, with -100 where there is no loss"),
    Column("action_mask", "flags", "1 on tokens that say which line is next, and by which event"),
    Column("state_mask", "flags", "1 on tokens that say what variables and values are"),
    Column("prompt_tokens", "int", "how many of the tokens are the prompt's"),
    Column("completion_tokens", "int", "how many are the completion's"),
    Column("steps", "int", "how many steps the trace has"),
    Column("program_hash", "text", "a hash of the program's text and input"),
    Column("facets", "text", "what is known of the program beside, as JSON"),
)
SUMMARY = "export.json"
CARD = "README.md"
# Tokens in a file: more than the traces of a part have, unless they are huge.
_FILE_TOKENS = 5_000_000
# Traces that a vocabulary is made from, spread evenly over all.
_LEARNED_FROM = 20_000
# Traces with which a vocabulary is tried out.
_TRIED = 20


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """How traces are made into examples. `tokenizer`: "llama3", the path of a `tokenizer.json`, or
    "bytes" or "bpe:2048" to have one made. `loss`: on which tokens. Longer ones than `max_tokens`,
    prompt and completion together, are left out."""

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
    is_restarted: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ExportSummary:
    """Write examples of all whole traces, with a data card and, but for llama3, the vocabulary.

    The same traces and settings give the same bytes, with however many processes. The folder
    appears when it is whole. `on_progress` is told how many of how many parts are done.
    """
    settings = settings or ExportSettings()
    codec = _codec(settings.codec)
    place = place_of(traces)
    files = trace_files(place)
    with _new_folder(output, is_restarted=is_restarted) as folder:
        name = prepare_tokenizer(
            settings.tokenizer, folder / "tokenizer", codec, _texts(place, files, codec)
        )
        spelling = load_spelling(name, codec)
        tried = islice(_whole(read_stored_traces(place.address, files=files)), _TRIED)
        texts = (tuple(pieces_of(trace, codec)) for trace in tried)
        check_spelling(name, spelling, texts, wanted=settings.tokenizer)
        (folder / "data").mkdir()
        tasks = [
            _Task(place.address, path, name, str(folder / "data" / f"{number:06d}"), settings)
            for number, path in enumerate(files)
        ]
        counts, written = Counts(), list[str]()
        for done, (found, paths) in enumerate(_each(tasks, workers), 1):
            counts.merge(found)
            written += paths
            on_progress(done, len(tasks))
        if not written:
            raise InputError(
                f"nothing in {traces} can be exported: "
                f"{', '.join(f'{n:,} {why}' for why, n in counts.left_out.items())}"
            )
        summary = summarise(counts, _name_files(folder, written), **asdict(settings))
        (folder / SUMMARY).write_text(
            json.dumps(asdict(summary), indent=1) + "\n", encoding="utf-8"
        )
        (folder / CARD).write_text(card_text(summary, EXAMPLE_COLUMNS), encoding="utf-8")
    return summary


@dataclass(frozen=True, slots=True)
class _Task:
    """One part of the traces, and where its examples go."""

    address: str
    part: str
    tokenizer: str
    target: str
    settings: ExportSettings


def _each(tasks: Sequence[_Task], workers: int) -> Iterator[tuple[Counts, list[str]]]:
    """What comes of each task, in their order."""
    if workers == 1 or len(tasks) == 1:
        yield from map(_export_part, tasks)
        return
    pool = ProcessPoolExecutor(
        min(workers, len(tasks)), mp_context=get_context("spawn"), initializer=start_worker
    )
    with pool:
        try:
            yield from pool.map(_export_part, tasks)
        except BrokenProcessPool:
            raise InputError(
                "a process that made examples died, perhaps for want of memory: give fewer "
                "--workers, or leave long examples out with --max-tokens"
            ) from None
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _export_part(task: _Task) -> tuple[Counts, list[str]]:
    """Write the examples of one part of the traces: to a file, or more where they are large."""
    settings = task.settings
    codec = _codec(settings.codec)
    spelling = load_spelling(task.tokenizer, codec)
    counts, written, rows = Counts(), list[str](), list[dict[str, object]]()
    tokens = 0

    def write() -> None:
        path = f"{task.target}-{len(written):03d}.parquet"
        Path(path).write_bytes(parquet_bytes(EXAMPLE_COLUMNS, rows))
        written.append(path)
        rows.clear()

    for stored in read_stored_traces(task.address, files=[task.part]):
        reason = why_left_out(stored.trace)
        if reason is None:
            try:
                example = trace_to_example(stored, codec, spelling, loss=settings.loss)
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
            write()
            tokens = 0
    if rows:
        write()
    return counts, written


def example_to_row(example: Example) -> dict[str, object]:
    """An example by the names in `EXAMPLE_COLUMNS`."""
    row = {column.name: getattr(example, column.name) for column in EXAMPLE_COLUMNS}
    return {**row, "facets": json.dumps(dict(example.facets))}


def _codec(name: str) -> StepCodec:
    if name not in STEP_CODECS:
        raise CodecError(
            f"the format {name!r} has no steps to learn; there is {', '.join(sorted(STEP_CODECS))}"
        )
    return STEP_CODECS[name]


def _whole(stored: Iterable[StoredTrace]) -> Iterator[Trace]:
    """The traces that examples can be made of."""
    for item in stored:
        if why_left_out(item.trace) is None and item.trace.program.entry is not None:
            yield item.trace


def _texts(place: Place, files: Sequence[str], codec: StepCodec) -> Iterator[str]:
    """The texts between the special tokens, of at most so many traces, evenly spread."""
    every = -(-count_rows(place, files) // _LEARNED_FROM)
    chosen = islice(read_stored_traces(place.address, files=files), 0, None, every)
    for trace in _whole(chosen):
        yield from (piece for piece in pieces_of(trace, codec) if not isinstance(piece, Special))


def _name_files(folder: Path, written: Sequence[str]) -> tuple[str, ...]:
    """Give the files the names that trainers look for: train-00000-of-00030.parquet"""
    names = [f"data/train-{n:05d}-of-{len(written):05d}.parquet" for n in range(len(written))]
    for path, name in zip(written, names, strict=True):
        os.replace(path, folder / name)
    return tuple(names)


def _refuse_strangers(output: Path) -> None:
    """Only what an export wrote is replaced, never what somebody else put there."""
    found = {path.name for path in output.iterdir()} if output.is_dir() else {output.name}
    others = sorted(found - {SUMMARY, CARD, "data", "tokenizer"})
    if others or not _is_export(output):
        what = f"holds {others[0]!r}" if others else "is no export of ours"
        raise InputError(f"{output} {what}, and is not replaced; name another with -o")


def _is_export(folder: Path) -> bool:
    """Whether a folder says of itself what an export does."""
    try:
        found = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(found, dict) and {"codec", "files"} <= found.keys()


@contextmanager
def _new_folder(output: Path, *, is_restarted: bool) -> Iterator[Path]:
    """A folder to write into that is put in place when all went well, and else removed."""
    if output.exists():
        if not is_restarted:
            raise InputError(
                f"{output} is there already; name another with -o, or replace it with --restart"
            )
        _refuse_strangers(output)
    try:
        output.absolute().parent.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=output.absolute().parent, prefix=f".{output.name}-"))
    except OSError as error:
        raise InputError(f"cannot write {output}: {error}") from error
    try:
        yield folder
        folder.chmod(0o755)
        _put_in_place(folder, output)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error}") from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _put_in_place(folder: Path, output: Path) -> None:
    """Give a folder its name; one that has it goes, unless something is in the way of the new."""
    if not output.exists():
        folder.rename(output)
        return
    old = folder.with_name(f"{folder.name}-old")
    output.rename(old)
    try:
        folder.rename(output)
    except BaseException:
        old.rename(output)
        raise
    shutil.rmtree(old)
