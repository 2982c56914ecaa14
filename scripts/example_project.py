"""Write a project of many runs, made from recorded predictions, and measure its page.

    python scripts/example_project.py write FOLDER PREDICTIONS... [--runs 40] [--first N]
    python scripts/example_project.py measure FOLDER

`write` diagnoses each recorded prediction once, and once more with the actual execution as its
output. Every run, checkpoint-100 and so on, has one of the two for each sample: later checkpoints
have more correct ones, a few are truncated, and a few have an infrastructure error. `measure`
serves the folder and prints the seconds of the list, of the differences to a baseline, of
comparisons and of the operations, each for the first time and again.
"""

import argparse
import json
import random
import statistics
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlsplit

from worldline.evaluation.runs import (
    COLUMNS,
    Manifest,
    RunWriter,
    import_predictions,
    is_expected,
    read_run,
)
from worldline.evaluation.store import open_location, write_part
from worldline.interfaces.viewer import ProjectServer
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import (
    Prediction,
    PredictionSettings,
    make_prediction,
    read_prediction_file,
)

Row = dict[str, Any]
CODEC = get_codec("cwm")
# The accuracy of the first and the last checkpoint, and the shares of other verdicts.
FIRST, LAST, TRUNCATED, INFRA_ERROR = 0.35, 0.75, 0.03, 0.01


def main() -> None:
    """Read the arguments, then write or measure a project."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    write = commands.add_parser("write")
    write.add_argument("folder", type=Path)
    write.add_argument("predictions", type=Path, nargs="+")
    write.add_argument("--runs", type=int, default=40)
    write.add_argument("--first", type=int)
    measure = commands.add_parser("measure")
    measure.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "write":
        predictions = [
            each for file in arguments.predictions for each in read_prediction_file(file)
        ][: arguments.first]
        write_project(arguments.folder, predictions, arguments.runs)
    else:
        for line in measurements(arguments.folder):
            print(line, flush=True)


def write_project(folder: Path, predictions: Sequence[Prediction], runs: int) -> None:
    """Write the checkpoints of one model."""
    with PythonRecorder() as recorder, TemporaryDirectory() as temporary:
        recorded = diagnosed_rows(Path(temporary, "recorded"), predictions, recorder)
        perfect = [
            make_prediction(
                each.id,
                each.program,
                "".join(CODEC.encode(recorder.record(each.program))),
                CODEC,
                finish="stop",
            )
            for each in predictions
        ]
        correct = diagnosed_rows(Path(temporary, "correct"), perfect, recorder)
    for number in range(runs):
        share = FIRST + (LAST - FIRST) * number / max(runs - 1, 1)
        rows = [
            choose_row(recorded[name], correct[name], share, seed=f"{name} {number // 3}")
            for name in recorded
            if name in correct
        ]
        write_run(folder / f"checkpoint-{100 * (number + 1)}", rows)


def diagnosed_rows(
    folder: Path, predictions: Sequence[Prediction], recorder: PythonRecorder
) -> dict[str, Row]:
    """Diagnose predictions, and return the rows of their run by the name of the sample."""
    with RunWriter(folder) as run:
        manifest = Manifest("recorded", questions=len(predictions))
        for _ in import_predictions(run, predictions, recorder, manifest, is_correct=is_expected):
            pass
    return {row["sample"]: row for row in read_run(folder)}


def choose_row(recorded: Row, correct: Row, share: float, *, seed: str) -> Row:
    """One of the two rows of a sample; a sample stays correct once it is, in most checkpoints."""
    difficulty = random.Random(recorded["sample"]).random()
    noise = random.Random(seed).gauss(0, 0.08)
    verdict = random.Random(f"verdict {seed}").random()
    row = correct | {"verdict": "correct"} if difficulty + noise < share else recorded
    if verdict < INFRA_ERROR:
        return row | {"verdict": "infra_error"}
    if verdict < INFRA_ERROR + TRUNCATED:
        return row | {"verdict": "truncated"}
    return row


def write_run(folder: Path, rows: Sequence[Row]) -> None:
    """Store rows as a run."""
    manifest = Manifest("recorded", questions=len(rows), model=folder.name)
    settings = PredictionSettings(mode="free", codec="cwm")
    with RunWriter(folder) as run:
        run.begin(replace(manifest, settings=settings, model="example-model"))
    write_part(open_location(folder), COLUMNS, rows)


def measurements(folder: Path) -> Iterator[str]:
    """Yield the seconds of each part of the page."""
    with closing(PythonRecorder()) as recorder:
        start, processor = time.perf_counter(), time.process_time()
        with ProjectServer(str(folder), recorder) as server:
            end = time.perf_counter() - start, time.process_time() - processor
            yield f"server ready: {end[0]:.2f} s (processor {end[1]:.2f} s)"
            document = yield from _measure_list(server)
            names = sorted((run["id"] for run in document["runs"]), key=lambda id: (len(id), id))
            pairs = list(zip(names[::7], names[3::7], strict=False))[:5]
            for kind, path in (
                ("comparison", "compare/{}/{}/api/report"),
                ("operations", "api/operations?a={}&b={}"),
            ):
                urls = [path.format(quote(a, safe=""), quote(b, safe="")) for a, b in pairs]
                yield _line(f"{kind} of two runs, first time", [get(server, url) for url in urls])
                yield _line(f"{kind} of two runs, again", [get(server, url) for url in urls])


def _measure_list(server: ProjectServer) -> Generator[str, None, dict[str, Any]]:
    times = [get(server, "api/project") for _ in range(4)]
    yield _line("list and trend, first time", times[:1])
    yield _line("list and trend, again", times[1:])
    document: dict[str, Any] = json.loads(times[0][1])
    yield f"{len(document['runs'])} runs, {len(document['trends'])} trends"
    baselines = [run["id"] for run in document["runs"][:3]]
    urls = [f"api/differences?baseline={quote(each, safe='')}" for each in baselines]
    yield _line("differences to a baseline, first time", [get(server, url) for url in urls])
    yield _line("differences to a baseline, again", [get(server, url) for url in urls])
    return document


def get(server: ProjectServer, path: str) -> tuple[float, bytes, float]:
    """Request a path: the seconds, the body, and the seconds of processor time."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=600)
    start, processor = time.perf_counter(), time.process_time()
    connection.request("GET", urlsplit(server.url).path + path)
    response = connection.getresponse()
    body = response.read()
    end = time.perf_counter(), time.process_time()
    connection.close()
    if response.status != 200:
        raise SystemExit(f"{path}: {response.status} {body[:200]!r}")
    return end[0] - start, body, end[1] - processor


def _line(name: str, results: Sequence[tuple[float, bytes, float]]) -> str:
    seconds = [result[0] for result in results]
    processor = statistics.median(result[2] for result in results)
    return (
        f"{name}: median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s "
        f"(processor {processor:.2f} s)"
    )


if __name__ == "__main__":
    main()
