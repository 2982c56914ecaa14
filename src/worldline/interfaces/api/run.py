"""A stored run, for notebooks and scripts."""

import html
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from worldline.analysis.diagnosis import Sample
from worldline.analysis.trust import TrustModel
from worldline.core.errors import InputError, TokenizerError
from worldline.core.util.optional_imports import optional_import
from worldline.core.util.text import pluralize
from worldline.evaluation.metrics import (
    Accuracy,
    OperationResults,
    accuracy,
    measure_operations,
)
from worldline.evaluation.runs import (
    Manifest,
    ScoredSample,
    StoredPredictions,
    execute_and_diagnose,
    load_trust_model,
    query_runs,
    read_manifest,
    read_run_table,
    read_scored_samples,
)
from worldline.evaluation.store import QueryResult
from worldline.interfaces.report import (
    RunResults,
    make_console,
    read_results,
    render_text,
    run_report,
)
from worldline.interfaces.report.terminal import PIPE_WIDTH
from worldline.interfaces.viewer import (
    DiagnosedRun,
    ProjectServer,
    ViewServer,
    built_page,
    write_report,
)
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.tokenizers import Tokenizer, load_tokenizer

# What the first bytes of every report contain, and of no other HTML file.
_REPORT_MARKS = (b"<title>Worldline</title>", b'<script type="application/json" id="report">')
_HEAD_BYTES = 16_384


class Run:
    """A run: every sample of one evaluation, with its verdict and diagnosis.

    Examples:
        >>> Run("nowhere")
        Traceback (most recent call last):
        ...
        worldline.core.errors.InputError: nowhere is not a run: ...
    """

    def __init__(self, location: str | Path) -> None:
        self.location = str(location)
        self.manifest: Manifest = read_manifest(self.location)

    def __repr__(self) -> str:
        count = pluralize(len(self), "sample")
        return f"Run({self.location!r}, {self.manifest.benchmark}, {count})"

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[ScoredSample]:
        return iter(self.samples)

    def __getitem__(self, name: str) -> Sample:
        """Diagnose one sample; its program is executed only if its trace is not stored."""
        predictions = StoredPredictions(self.location)
        if name not in predictions:
            raise InputError(f"{self.location} has no sample {name!r}")
        limits = self.manifest.limits
        # A recorder starts at its first use: without one, nothing is executed.
        with closing(ProgramRecorder()) as recorder:
            return execute_and_diagnose(
                predictions[name],
                predictions.recorder_of(name, recorder, steps=limits.steps),
                limits=limits,
                is_measured=True,
                known_possibility=predictions.possibility(name),
            )

    @property
    def samples(self) -> list[ScoredSample]:
        """The samples, with their verdicts and facets; read again at every access."""
        return read_scored_samples(self.location)

    def accuracy(self) -> Accuracy:
        """Return the share of correct answers, with 95% intervals."""
        return accuracy(self.samples)

    def operations(
        self,
        *,
        operation: str | None = None,
        tokenizer: str | None = None,
        python: str | None = None,
        on_sample: Callable[[], None] | None = None,
    ) -> OperationResults:
        """Measure how often each executed operation was predicted correctly.

        Counted are the steps before each prediction's first divergence, and the diverging step.
        Programs whose traces are not stored are executed.

        Args:
            operation: Count only the steps of this operation: "str.replace".
            tokenizer: Measure sizes in tokens of this tokenizer instead of in characters.
            python: Execute every program again, with this interpreter.
            on_sample: Called after every sample.

        Returns:
            The share of correct steps by operation, by arguments, size and nesting, with 95%
            intervals that are clustered by program; and a fitted model that separates operation,
            size and nesting. The model needs the extra `regression`; without it, `note` says so.
        """
        return measure_operations(
            self._diagnosed(python, on_sample or (lambda: None)),
            tokenizer=load_tokenizer(tokenizer) if tokenizer else None,
            operation=operation,
        )

    def _diagnosed(self, python: str | None, on_sample: Callable[[], None]) -> Iterator[Sample]:
        # A recorder starts at its first use: if all traces are stored, nothing is executed.
        with closing(ProgramRecorder(python=python)) as recorder:
            run = DiagnosedRun(self.location, recorder, reexecute=python is not None)
            for name in run.names:
                yield run.diagnose(name)
                on_sample()

    def sql(self, query: str) -> QueryResult:
        """Query the run with SQL: the view `samples` has one row per sample."""
        return query_runs([self.location], query)

    def to_arrow(self) -> Any:
        """Return every column of every sample as a `pyarrow.Table`."""
        return read_run_table(self.location)

    def to_pandas(self) -> Any:
        """Return every column of every sample as a `pandas.DataFrame`."""
        with optional_import("to_pandas needs pandas; install it with", extra="pandas"):
            import pandas  # noqa: F401

        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return every column of every sample as a `polars.DataFrame`."""
        with optional_import("to_polars needs polars; install it with", extra="polars"):
            import polars

        return polars.from_arrow(self.to_arrow())

    def results(self) -> RunResults:
        """Return everything that the run's report shows, read again at every call."""
        return read_results(self.location)

    def show(self) -> None:
        """Print the run's report: accuracy, outcomes, causes and accuracy by group."""
        console = make_console()
        for part in run_report(self.results(), width=console.width):
            console.print(part)

    def _repr_html_(self) -> str:
        """The report for a notebook."""
        text = render_text(*run_report(self.results(), width=PIPE_WIDTH))
        return f"<pre>{html.escape(text)}</pre>"

    def report(
        self,
        output: str | Path,
        *,
        compare_to: "Run | str | Path | None" = None,
        tokenizer: str | None = None,
        python: str | None = None,
        trust: TrustModel | str | Path | None = None,
        on_sample: Callable[[], None] | None = None,
    ) -> Path:
        """Write the run as one HTML file. Programs whose traces are not stored are executed.

        Args:
            output: The file to write. A file that is not a report is not replaced.
            compare_to: A second run, to show what changed between the two.
            tokenizer: Show and count tokens with this tokenizer; by default with that of the run,
                if it was made with one.
            python: Execute every program again, with this interpreter.
            trust: A trust model, or its file: show how far each result can be trusted.
            on_sample: Called after every sample.

        Returns:
            The file's path.

        Raises:
            InputError: The file cannot be written, or the page is not built.
        """
        path = Path(output)
        check_html_output(path)
        built_page()
        with closing(ProgramRecorder(python=python)) as recorder:
            write_report(
                self._locations(compare_to),
                path,
                recorder,
                reexecute=python is not None,
                tokenizer=_tokenizer_of(self._locations(compare_to), tokenizer),
                trust_model=_trust_model(trust),
                on_sample=on_sample or (lambda: None),
            )
        return path

    def view(
        self,
        *,
        port: int = 0,
        compare_to: "Run | str | Path | None" = None,
        tokenizer: str | None = None,
        python: str | None = None,
        trust: TrustModel | str | Path | None = None,
    ) -> "RunViewer":
        """Serve the run's page on this machine until the returned viewer is closed.

        Args:
            port: The port; 0 chooses a free one.
            compare_to: A second run, to show what changed between the two.
            tokenizer: Show and count tokens with this tokenizer; by default with that of the run,
                if it was made with one.
            python: Execute every program again, with this interpreter.
            trust: A trust model, or its file: show how far each result can be trusted.

        Returns:
            The viewer; its `url` opens the page in a browser on this machine.

        Raises:
            InputError: The port is in use, or the page is not built.
        """
        return RunViewer(
            self._locations(compare_to),
            port=port,
            tokenizer=tokenizer,
            python=python,
            trust=_trust_model(trust),
        )

    def _locations(self, other: "Run | str | Path | None") -> list[str]:
        if other is None:
            return [self.location]
        return [self.location, other.location if isinstance(other, Run) else str(other)]


def _trust_model(trust: TrustModel | str | Path | None) -> TrustModel | None:
    return load_trust_model(trust) if isinstance(trust, str | Path) else trust


def _tokenizer_of(locations: Sequence[str], name: str | None) -> Tokenizer | None:
    """The tokenizer of that name; without a name, the one that the runs were made with.

    None if the runs were made without a tokenizer, with different ones, or with a file that is
    not on this machine.
    """
    if name is not None:
        return load_tokenizer(name)
    names = {read_manifest(location).tokenizer for location in locations}
    if len(names) != 1 or None in names:
        return None
    try:
        return load_tokenizer(str(*names))
    except TokenizerError:
        return None


def check_html_output(path: Path) -> None:
    """Refuse to write a report over a file that is not a report.

    Args:
        path: The file to write.

    Raises:
        InputError: Its name does not end in .html, or it exists and is not a report.
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"a report is an HTML file: name it {path.stem or 'report'}.html, not {path}"
        )
    if not path.is_file():
        return
    try:
        with path.open("rb") as file:
            start = file.read(_HEAD_BYTES)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error
    if start and not any(mark in start for mark in _REPORT_MARKS):
        raise InputError(
            f"{path} is not a report of worldline and is not replaced; name another with -o"
        )


def view_project(
    folder: str | Path,
    *,
    port: int = 0,
    tokenizer: str | None = None,
    python: str | None = None,
) -> "RunViewer":
    """Serve a page with all runs of a folder until the returned viewer is closed.

    The page lists the runs with their differences to a baseline, the trend over the checkpoints of
    a model, and the operations that got better and worse between two runs. Every run and every
    comparison of two runs opens from there.

    Args:
        folder: The folder, or an address such as `s3://bucket/runs`.
        port: The port; 0 chooses a free one.
        tokenizer: Show and count tokens with this tokenizer.
        python: Execute every program again, with this interpreter.

    Returns:
        The viewer; its `url` opens the page in a browser on this machine.

    Raises:
        InputError: There is no run in the folder, the port is in use, or the page is not built.
    """
    return RunViewer(str(folder), port=port, tokenizer=tokenizer, python=python)


class RunViewer:
    """A server of the page of one run, of two, or of a folder of runs, on this machine alone."""

    def __init__(
        self,
        locations: list[str] | str,
        *,
        port: int = 0,
        tokenizer: str | None = None,
        python: str | None = None,
        trust: TrustModel | None = None,
    ) -> None:
        # The runs of a folder may have been made with different tokenizers.
        counter = _tokenizer_of([] if isinstance(locations, str) else locations, tokenizer)
        self._recorder = ProgramRecorder(python=python)
        reexecute = python is not None
        try:
            self._server: ViewServer
            if isinstance(locations, str):
                self._server = ProjectServer(
                    locations, self._recorder, port=port, tokenizer=counter, reexecute=reexecute
                )
            else:
                self._server = ViewServer(
                    locations,
                    self._recorder,
                    port=port,
                    tokenizer=counter,
                    reexecute=reexecute,
                    trust_model=trust,
                )
        except BaseException:
            self._recorder.close()
            raise

    def __repr__(self) -> str:
        return f"RunViewer({self.url!r})"

    def __enter__(self) -> "RunViewer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def url(self) -> str:
        """The address of the page."""
        return self._server.url

    def close(self) -> None:
        """Stop serving."""
        self._server.close()
        self._recorder.close()
