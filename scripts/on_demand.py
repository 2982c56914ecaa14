"""Curves of the mode `on-demand`: accuracy against the share of steps that are executed.

    python -m scripts.on_demand simulate [FOLDER] [--programs N]
    python -m scripts.on_demand run FOLDER --engine URL [--data FILE] [--first N] [--codec NAME]
    python -m scripts.on_demand table FOLDER...

`simulate` asks a simulated model with known rates of errors about generated programs. `run` asks a
model about programs of CRUXEval, which is in ../shared/data (or WORLDLINE_DATA), or about those of
a file; it writes one run for each policy and threshold into FOLDER. If interrupted, run the same
command again to resume; `simulate` resumes if it has a FOLDER. The model's replies are kept in
FOLDER/replies.jsonl: most rows are the same for several policies, and are asked once. `table` only
prints the runs that are there.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

from scripts.code_model import DATA
from scripts.markdown_table import table
from scripts.streamed_rows import StreamedRowsEngine
from tests.support.simulated_tracer import ErrorRates, SimulatedTracer
from worldline.analysis.alignment import answers_equal
from worldline.analysis.stats import Share
from worldline.analysis.trust import row_trust
from worldline.analysis.trust.execution_policies import trust_by_checks_and_likelihood
from worldline.core.trace import Limits, Program, Trace
from worldline.data.generation import generate_programs
from worldline.evaluation.benchmarks import Benchmark, load_benchmark
from worldline.evaluation.metrics import ExecutionPoint, execution_points
from worldline.evaluation.runs import ExecutedSample, make_executed_sample
from worldline.interfaces.api.engine_handle import load_engine
from worldline.interfaces.api.evaluating import evaluate
from worldline.interfaces.api.execution_curves import execution_curve
from worldline.languages.python.expression_frames import without_expression_frames
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import ChatTraceCodec, get_codec
from worldline.models.engines import Engine, Reply, Request, Usage
from worldline.models.prediction import (
    Policy,
    PredictedRow,
    Prediction,
    PredictionSettings,
    RowTrust,
    predict_questions,
)

# The policies, and their thresholds. Trust is from 0 to 1, and what is below is executed.
POINTS: tuple[tuple[Policy, float], ...] = (
    ("none", 0.0),
    ("all", 1.0),
    *(("random", threshold) for threshold in (0.02, 0.05, 0.1, 0.2, 0.4)),
    *(("likelihood", threshold) for threshold in (0.2, 0.4, 0.6, 0.8)),
    ("branch", 0.5),
    ("illegal", 0.5),
    ("checks", 0.5),
    ("checks", 0.75),
    *(("trust", threshold) for threshold in (0.2, 0.5, 0.8)),
)
CODEC = "chat-trace"


def main() -> None:
    """Read the arguments and run one of the commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    simulated = commands.add_parser("simulate")
    simulated.add_argument("folder", type=Path, nargs="?")
    simulated.add_argument("--programs", type=int, default=1000)
    real = commands.add_parser("run")
    real.add_argument("folder", type=Path)
    real.add_argument("--engine", required=True)
    real.add_argument("--data", help="file of programs, or of rows of CRUXEval")
    real.add_argument("--first", type=int, default=150)
    real.add_argument("--codec", default=CODEC)
    real.add_argument("--max-tokens", type=int, default=2048)
    real.add_argument(
        "--points", type=parse_points, default=POINTS, help="as in none,all,random:0.1,trust:0.5"
    )
    real.add_argument("--tokenizer", help="the model's tokenizer.json, to tokenize here")
    real.add_argument("--concurrency", type=int, help="requests at the same time")
    real.add_argument("--stream", metavar="MODEL", help="let a vLLM server of MODEL generate ahead")
    real.add_argument("--timeout", type=float, default=600.0, help="seconds for one request")
    commands.add_parser("table").add_argument("folders", type=Path, nargs="+")
    arguments = parser.parse_args()
    if arguments.command == "simulate":
        print(curve_table(execution_points(simulate(arguments.programs, folder=arguments.folder))))
        return
    if arguments.command == "run":
        run(arguments)
    folders = [arguments.folder] if arguments.command == "run" else arguments.folders
    print(curve_table(execution_curve(runs_in(folders))))


def simulate(
    programs: int,
    *,
    rates: ErrorRates | None = None,
    points: Iterable[tuple[Policy, float]] = POINTS,
    folder: Path | None = None,
) -> dict[str, list[ExecutedSample]]:
    """Ask the simulated model about generated programs, with every policy and threshold.

    Args:
        programs: The number of programs.
        rates: The rates of its errors.
        points: The policies and thresholds.
        folder: Keeps the samples of each point; those that are there are not asked again.

    Returns:
        The samples of each policy and threshold.
    """
    codec = get_codec(CODEC)
    assert isinstance(codec, ChatTraceCodec)
    questions = list(generate_programs(count=programs, seed=7))
    with PythonRecorder() as recorder:
        known = KnownTraces([recorder.record(question.program) for question in questions])
    shown = [without_expression_frames(trace) for trace in known.traces.values()]
    engine = SimulatedTracer(shown, codec, rates or ErrorRates())
    checks = cache(row_trust("checks"))

    def check(row: PredictedRow) -> float:
        # Does not depend on the likelihood, so that most rows are checked once for all policies.
        return checks(replace(row, nll=None))

    shared: dict[Policy, RowTrust] = {
        "checks": check,
        "trust": partial(trust_by_checks_and_likelihood, checks=check),
    }
    runs = {}
    for policy, threshold in points:
        name, start = f"{policy}-{threshold:g}", time.monotonic()
        file = None if folder is None else folder / f"{programs}-{name}.json"
        if file is not None and file.exists():
            runs[name] = [ExecutedSample(**row) for row in json.loads(file.read_text())]
            continue
        settings = PredictionSettings("on-demand", CODEC, policy=policy, threshold=threshold)
        predictions = predict_questions(
            questions,
            lambda: engine,
            known,
            settings=settings,
            row_trust=shared.get(policy, row_trust(policy)),
        )
        runs[name] = [simulated_sample(each, known) for each in predictions]
        if file is not None:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps([asdict(sample) for sample in runs[name]]))
        print(f"{name}: {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return runs


class KnownTraces:
    """Recorder of programs that were executed before; each is executed once for all policies."""

    def __init__(self, traces: Iterable[Trace]) -> None:
        self.traces = {trace.program: trace for trace in traces}

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """The trace of a program."""
        return self.traces[program]


def simulated_sample(prediction: Prediction, known: KnownTraces) -> ExecutedSample:
    """Grade a prediction, and count its executed steps."""
    record, answer = prediction.generation, prediction.answer
    result = known.traces[prediction.program].result
    assert record is not None
    assert result is not None
    assert prediction.error is None, prediction.error
    is_correct = answer is not None and answers_equal(answer, result)
    return make_executed_sample(
        prediction.id,
        "correct" if is_correct else "incorrect",
        record.decisions,
        policy=record.policy or "",
        threshold=record.threshold or 0.0,
        actual_rows=record.actual_rows or 0,
    )


def run(arguments: argparse.Namespace) -> None:
    """Ask a model about programs, with every policy and threshold."""
    folder: Path = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    benchmark = load_programs(arguments.data)
    settings = PredictionSettings(codec=arguments.codec, max_tokens=arguments.max_tokens)
    with load_engine(arguments.engine, timeout=arguments.timeout) as handle:
        cache = ReplyCache(folder / "replies.jsonl")

        def open_engine() -> Engine:
            engine = handle.open()
            if arguments.stream:
                engine = StreamedRowsEngine(engine, arguments.engine, arguments.stream)
            return CachedEngine(engine, cache)

        evaluate_points(
            folder,
            benchmark,
            open_engine,
            settings,
            arguments.points,
            first=arguments.first,
            concurrency=arguments.concurrency or handle.concurrency,
            tokenizer=arguments.tokenizer,
        )


def parse_points(text: str) -> tuple[tuple[Policy, float], ...]:
    """Policies and thresholds: "all,trust:0.5" -> (("all", 1.0), ("trust", 0.5))."""
    ends = {"none": 0.0, "all": 1.0}
    pairs = [each.partition(":")[::2] for each in text.split(",")]
    return tuple(
        (cast(Policy, name), float(threshold or ends.get(name, 0.5))) for name, threshold in pairs
    )


def load_programs(data: str | None) -> Benchmark:
    """CRUXEval, some of its rows, or a file of programs."""
    if data is None:
        return load_benchmark("cruxeval", data=str(DATA))
    first = json.loads(Path(data).read_text(encoding="utf-8").partition("\n")[0])
    is_cruxeval = "input" in first
    return load_benchmark("cruxeval", data=data) if is_cruxeval else load_benchmark(data)


def evaluate_points(
    folder: Path,
    benchmark: Benchmark,
    engine: Callable[[], Engine],
    settings: PredictionSettings,
    points: Iterable[tuple[Policy, float]],
    *,
    first: int | None = None,
    concurrency: int | None = None,
    tokenizer: str | None = None,
) -> None:
    """Evaluate every policy and threshold into a run of its own; finished ones are kept."""
    for policy, threshold in points:
        start = time.monotonic()
        chosen = replace(settings, mode="on-demand", policy=policy, threshold=threshold)
        output = folder / f"{policy}-{threshold:g}"
        evaluated = evaluate(
            benchmark,
            engine,
            output=output,
            settings=chosen,
            first=first,
            concurrency=concurrency,
            tokenizer=tokenizer,
        )
        print(f"{output}: {len(evaluated)} samples, {time.monotonic() - start:.0f} s", flush=True)


def runs_in(folders: Sequence[Path]) -> list[Path]:
    """The runs in some folders."""
    return sorted(path.parent for folder in folders for path in folder.glob("*/manifest.json"))


def curve_table(points: Sequence[ExecutionPoint]) -> str:
    """The points of all curves as a Markdown table."""
    head = [
        "policy", "threshold", "executed", "correct", "predicted right", "executed needlessly",
        "minus random at equal cost",
    ]  # fmt: skip
    rows = []
    for point in points:
        results, gain = point.results, point.gain
        difference = ""
        if gain is not None and gain.value is not None:
            assert gain.low is not None
            assert gain.high is not None
            low, high = 100 * gain.low, 100 * gain.high
            difference = f"{100 * gain.value:+.1f} ({low:+.1f} to {high:+.1f})"
        cells = (results.executed, results.accuracy, results.predicted, results.needless)
        rows.append([results.policy, f"{results.threshold:g}", *map(share_cell, cells), difference])
    return table(head, rows)


def share_cell(share: Share) -> str:
    """ "812/4,812 16.9% (15.8–18.0)" """
    if share.value is None or share.low is None or share.high is None:
        return "–"
    return (
        f"{share.correct:,}/{share.of:,} {share.value:.1%} ({100 * share.low:.1f}–"
        f"{100 * share.high:.1f})"
    )


class ReplyCache:
    """Replies by request, in a JSONL file that a killed study can continue."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._replies: dict[str, Reply] = {}
        lines = path.read_text().splitlines() if path.exists() else []
        for line in lines:
            try:
                row = json.loads(line)
            except ValueError:
                # The last line of a study that was killed.
                continue
            key = row.pop("key")
            self._replies[key] = _reply_from_json(row)

    def get(self, key: str) -> Reply | None:
        """The reply to a request that was sent before."""
        return self._replies.get(key)

    def add(self, key: str, reply: Reply) -> None:
        """Keep a reply."""
        self._replies[key] = reply
        row = {"key": key, **asdict(reply)}
        with self._path.open("a") as file:
            file.write(json.dumps(row) + "\n")


class CachedEngine:
    """Engine that sends each request once. Only for greedy decoding."""

    def __init__(self, engine: Engine, cache: ReplyCache) -> None:
        self._engine, self._cache = engine, cache

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def generate(self, request: Request) -> Reply:
        """The reply from the cache, or else from the engine; all have log-probabilities."""
        request = replace(request, logprobs=True)
        key = hashlib.sha256(repr([self._engine.name, *asdict(request).items()]).encode())
        reply = self._cache.get(key.hexdigest())
        if reply is None:
            reply = await self._engine.generate(request)
            self._cache.add(key.hexdigest(), reply)
        return reply


def _reply_from_json(row: dict[str, Any]) -> Reply:
    ids, logprobs, prompt_ids = (tuple(row.pop(n)) for n in ("ids", "logprobs", "prompt_ids"))
    usage = Usage(**row.pop("usage"))
    return Reply(**row, ids=ids, logprobs=logprobs, prompt_ids=prompt_ids, usage=usage)


if __name__ == "__main__":
    main()
