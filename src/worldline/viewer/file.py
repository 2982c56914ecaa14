"""Runs go in; one file to look at them with comes out, which needs nothing else."""

import base64
import gzip
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from worldline.diagnose import Sample
from worldline.errors import InputError
from worldline.measures import TokenCosts
from worldline.recorders import Recorder
from worldline.tokens import Tokenizer
from worldline.viewer.documents import report_document
from worldline.viewer.examined import ExaminedRun
from worldline.viewer.page import data_script, page_with

# More make a file that browsers are slow to open.
MOST_SAMPLES = 5000


def write_report(
    addresses: Sequence[str],
    output: Path,
    recorder: Recorder,
    *,
    tokenizer: Tokenizer | None = None,
    on_sample: Callable[[], None] = lambda: None,
) -> None:
    """Write the report of one run, or of two and what changed between them.

    Every program is executed again, beside what was imagined of it. `tokenizer`: to show how a
    vocabulary cuts values, and to count what other formats would have taken.
    """
    runs = [ExaminedRun(address, recorder, tokenizer=tokenizer) for address in addresses]
    for run in runs:
        if len(run) > MOST_SAMPLES:
            raise InputError(
                f"{run.address} has {len(run):,} samples, and a file takes up to {MOST_SAMPLES:,}; "
                f"look at it with: worldline view {run.address}"
            )
    with _whole(output) as begun:
        begun.write_text(_page(runs, addresses, on_sample), encoding="utf-8")


def _page(
    runs: Sequence[ExaminedRun], addresses: Sequence[str], on_sample: Callable[[], None]
) -> str:
    costs: dict[str, TokenCosts] = {}
    packed: list[list[str]] = []
    for run in runs:
        samples: list[Sample] = []
        packed.append([])
        for name in run.names:
            sample = run.sample(name)
            packed[-1].append(_packed(run.document_of(sample, name)))
            # Of no use later but to count tokens, and large.
            if run.can_count:
                samples.append(sample)
            on_sample()
        if run.can_count:
            costs[run.address] = run.costs(samples)
    report, tables = report_document(addresses, [run.rows for run in runs], costs)
    data = (
        data_script("report", report),
        data_script("rows", [table.rows for table in tables]),
        data_script("samples", packed),
    )
    return page_with("\n".join(data), connect="'none'")


@contextmanager
def _whole(output: Path) -> Iterator[Path]:
    """A file to write to, which then takes the place of `output`; before anything is executed, that
    it can be written."""
    begun = output.with_name(f".worldline-{os.getpid()}")
    try:
        if output.exists() and not output.is_file():
            raise InputError(f"cannot write {output}: it is no file")
        begun.touch()
        yield begun
        os.replace(begun, output)
    except OSError as error:
        raise InputError(f"cannot write {output}: {error}") from error
    finally:
        # Where it cannot be there, it need not be taken away.
        with suppress(OSError):
            begun.unlink()


def _packed(document: dict[str, Any]) -> str:
    text = json.dumps(document, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
