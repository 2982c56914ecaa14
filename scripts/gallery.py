"""Reports of docs/gallery.md: `scripts/build-gallery [--pictures]`.

The reports are built in docs/gallery, which is not committed: the programs are those of CRUXEval in
../shared/data (or WORLDLINE_DATA). A report whose data is missing is skipped. The documentation
site links the reports that are there (scripts/gallery_links.py). The pictures are committed; they
need Chromium. They include those of other pages, from the recorded failures of CWM-32B.
"""

import contextlib
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.evaluation.runs import Manifest, RunWriter, import_predictions, is_expected
from worldline.evaluation.runs.sample_rows import row_to_prediction
from worldline.interfaces.viewer import write_report
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Prediction, read_prediction_file

ROOT = Path(__file__).parent.parent
GALLERY = ROOT / "docs" / "gallery"
PICTURES = ROOT / "docs" / "pictures"

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Report:
    """A report of the gallery.

    Attributes:
        name: The name of its file and of its picture.
        files: What it is made from, the predictions last; it is skipped if one of them is missing.
        runs: The rows of each of its runs, by the name of the run.
        route: The page of the report that its picture shows.
    """

    name: str
    files: tuple[Path, ...]
    runs: Mapping[str, Callable[[], Iterable[Row]]]
    route: str = ""


def find_reports(data: Path) -> tuple[Report, ...]:
    """All reports of the gallery.

    Args:
        data: The folder of the benchmark's programs and of published answers.
    """
    programs = data / "cruxeval.jsonl"
    answers = data / "cruxeval_codellama7b_output_generations.json"
    outputs = ROOT / "docs" / "findings" / "qwen2.5-coder-1.5b.jsonl.gz"

    def qwen(run: str) -> Callable[[], Iterable[Row]]:
        return lambda: recorded_outputs(outputs, programs, run)

    free, forced = "qwen2.5-coder-1.5b-free", "qwen2.5-coder-1.5b-force-actions"
    return (
        Report("qwen2.5-coder-1.5b", (programs, outputs), {free: qwen("free")}),
        Report(
            "qwen2.5-coder-1.5b-comparison",
            (programs, outputs),
            {free: qwen("free"), forced: qwen("force-actions")},
            route="#/compare",
        ),
        Report(
            "code-llama-7b",
            (programs, answers),
            {"code-llama-7b": lambda: published_answers(answers, programs)},
        ),
    )


def recorded_outputs(outputs: Path, programs: Path, run: str) -> Iterator[Row]:
    """The stored outputs of one run, with their programs."""
    problems = read_problems(programs)
    for line in gzip.decompress(outputs.read_bytes()).decode().splitlines():
        row = json.loads(line)
        if row.pop("run") == run:
            yield problems[row["sample"]] | row


def published_answers(answers: Path, programs: Path) -> Iterator[Row]:
    """The first of the published answers to each problem."""
    first = {name: texts[0] for name, texts in json.loads(answers.read_text("utf-8")).items()}
    for name, problem in read_problems(programs).items():
        yield problem | {
            "sample": name,
            "repeat": 0,
            "model": "Code Llama 7B",
            "codec": "chat",
            "output": f"[ANSWER]{first[name]}[/ANSWER]",
            "finish": "stop",
        }


def read_problems(programs: Path) -> dict[str, Row]:
    """The programs of CRUXEval by name, as columns of a run."""
    problems = map(json.loads, programs.read_text(encoding="utf-8").splitlines())
    return {
        problem["id"]: {
            "code": problem["code"],
            "call": f"f({problem['input']})",
            "expected": problem["output"],
        }
        for problem in problems
    }


def build_report(report: Report, folder: Path) -> Path:
    """Diagnose the predictions of a report, and write it into a folder."""
    predictions = {
        name: [row_to_prediction(row, row["sample"]) for row in rows()]
        for name, rows in report.runs.items()
    }
    output = folder / f"{report.name}.html"
    return write_runs(predictions, output, benchmark="cruxeval", files=report.files[-1:])


def build_failures(files: Sequence[Path], folder: Path) -> Path:
    """Diagnose the recorded failures of CWM-32B, and write their report into a folder."""
    predictions = [each for file in files for each in read_prediction_file(file)]
    output = folder / "cwm-32b.html"
    return write_runs({"cwm-32b": predictions}, output, benchmark="recorded", files=files)


def write_runs(
    runs: Mapping[str, Sequence[Prediction]],
    output: Path,
    *,
    benchmark: str,
    files: Sequence[Path],
) -> Path:
    """Diagnose the predictions of each run, and write the report of the runs.

    Args:
        runs: The predictions, by the name of the run.
        output: The report to write.
        benchmark: The name of the benchmark.
        files: The files that the predictions were read from.
    """
    output = output.resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    # The names of the runs are shown: without the folder of this machine.
    with (
        tempfile.TemporaryDirectory() as temporary,
        contextlib.chdir(temporary),
        PythonRecorder() as recorder,
    ):
        for name, predictions in runs.items():
            store_run(name, predictions, recorder, benchmark=benchmark, files=files)
        write_report(list(runs), output, recorder)
    return output


def store_run(
    name: str,
    predictions: Sequence[Prediction],
    recorder: PythonRecorder,
    *,
    benchmark: str,
    files: Sequence[Path],
) -> None:
    """Diagnose predictions into a run."""
    manifest = Manifest(
        benchmark,
        {"files": [file.name for file in files]},
        model=predictions[0].model,
        questions=len(predictions),
    )
    with RunWriter(Path(name)) as run:
        for _ in import_predictions(run, predictions, recorder, manifest, is_correct=is_expected):
            pass


def main() -> None:
    """Build the reports whose data is there, and the pictures if asked to."""
    data = Path(os.environ.get("WORLDLINE_DATA") or ROOT.parent / "shared" / "data")
    built = []
    for report in find_reports(data):
        missing = [str(file) for file in report.files if not file.exists()]
        if missing:
            print(f"{report.name}: skipped, because {' and '.join(missing)} is missing")
            continue
        path = build_report(report, GALLERY)
        built.append(report)
        print(f"{report.name}: {path.stat().st_size / 1e6:.2f} MB", flush=True)
    if "--pictures" in sys.argv[1:]:
        # It needs Chromium, the reports do not.
        from scripts.choice_pictures import take_choice_pictures
        from scripts.page_pictures import take_pictures, take_views

        take_pictures({report.name: report.route for report in built}, GALLERY, PICTURES)
        take_choice_pictures(PICTURES)
        failures = [data / f"cwm32b_{name}_failures.jsonl" for name in ("cruxeval", "humaneval")]
        if all(file.exists() for file in failures):
            # The failures are not redistributed, so their report is not kept.
            with tempfile.TemporaryDirectory() as temporary:
                take_views(build_failures(failures, Path(temporary)), PICTURES)


if __name__ == "__main__":
    main()
