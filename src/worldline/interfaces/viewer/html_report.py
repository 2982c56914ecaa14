"""Report of one run or two as a single HTML file."""

import base64
import gzip
import json
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from worldline.analysis.diagnosis import Sample
from worldline.analysis.trust import TrustModel
from worldline.core.errors import InputError
from worldline.core.util.files import atomic_write
from worldline.evaluation.metrics import OperationResults, TokenCosts
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.html_shell import data_script, render_page
from worldline.interfaces.viewer.run_documents import build_report_document
from worldline.languages.python.recorder import Recorder
from worldline.models.tokenizers import Tokenizer

# Browsers are slow to open a file with more samples.
MAX_REPORT_SAMPLES = 5000


def write_report(
    locations: Sequence[str],
    output: Path,
    recorder: Recorder,
    *,
    tokenizer: Tokenizer | None = None,
    reexecute: bool = False,
    trust_model: TrustModel | None = None,
    on_sample: Callable[[], None] = lambda: None,
) -> None:
    """Write the report of one run, or of two runs and their comparison.

    A program is executed only if the run does not contain its trace.

    Args:
        locations: The folders or addresses of the runs.
        output: The HTML file to create or replace.
        recorder: Executes the programs whose traces are not stored.
        tokenizer: Splits the values that differ into tokens, and counts the tokens of the traces
            in every format; without one, the report shows neither.
        reexecute: Execute every program.
        trust_model: Assesses the results; without one, the report shows no trust.
        on_sample: Called after each sample, for a progress bar.

    Raises:
        InputError: A run has too many samples, or the file cannot be written.
    """
    runs = [
        DiagnosedRun(
            location,
            recorder,
            tokenizer=tokenizer,
            reexecute=reexecute,
            trust_model=trust_model,
        )
        for location in locations
    ]
    for run in runs:
        if len(run) > MAX_REPORT_SAMPLES:
            raise InputError(
                f"{run.location} has {len(run):,} samples; a report file has at most "
                f"{MAX_REPORT_SAMPLES:,}. Use: worldline view {run.location}"
            )
    with _replaced_file(output) as temporary:
        temporary.write_text(_render_report(runs, on_sample), encoding="utf-8")


def write_project_page(document: dict[str, Any], output: Path) -> None:
    """Write a leaderboard as one HTML file.

    Args:
        document: The document of `build_project_document`.
        output: The HTML file to create or replace.

    Raises:
        InputError: The file cannot be written.
    """
    with _replaced_file(output) as temporary:
        page = render_page(data_script("project", document), connect="'none'")
        temporary.write_text(page, encoding="utf-8")


def _render_report(runs: Sequence[DiagnosedRun], on_sample: Callable[[], None]) -> str:
    costs: dict[str, TokenCosts] = {}
    operations: dict[str, OperationResults] = {}
    documents: list[list[str]] = []
    for run in runs:
        samples: list[Sample] = []
        counter = run.operation_counter()
        documents.append([])
        for name in run.names:
            sample = run.diagnose(name)
            documents[-1].append(_compress(run.document_of(sample, name)))
            counter.add(sample)
            # Samples are large: keep them only if their tokens are counted.
            if run.has_tokenizer:
                samples.append(sample)
            on_sample()
        if run.has_tokenizer:
            costs[run.location] = run.token_costs(samples)
        if run.has_predicted_steps:
            operations[run.location] = counter.results()
    report, tables = build_report_document(runs, costs, operations)
    data = (
        data_script("report", report),
        data_script("rows", [table.rows for table in tables]),
        data_script("samples", documents),
    )
    return render_page("\n".join(data), connect="'none'")


@contextmanager
def _replaced_file(output: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces `output` at the end.

    The file is created at once: an output that cannot be written fails before any execution.
    """
    temporary = output.with_name(f".worldline-{os.getpid()}")
    try:
        if output.exists() and not output.is_file():
            raise InputError(f"cannot write {output}: it is not a regular file")
        with atomic_write(output, temporary=temporary):
            temporary.touch()
            yield temporary
    except OSError as error:
        raise InputError(f"cannot write {output}: {error}") from error


def _compress(document: dict[str, Any]) -> str:
    text = json.dumps(document, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()
