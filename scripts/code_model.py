"""Tables of docs/findings/qwen2.5-coder-1.5b.md, from the model's outputs.

    python -m scripts.code_model                print the tables as Markdown
    python -m scripts.code_model --add RUNS     first add the outputs of the runs in a folder
    python -m scripts.code_model --select FILE  write the programs of the study to a file

The outputs are in docs/findings/qwen2.5-coder-1.5b.jsonl.gz, without the programs, which are those
of CRUXEval in ../shared/data (or WORLDLINE_DATA). They are diagnosed again, so that the tables are
those of this version. The runs are created by the commands on the page; each is named by its mode
or, for the comparison of notations, by its codec.
"""

import gzip
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from scripts.markdown_table import cell, points, table
from scripts.small_model import interventions_tables
from worldline.analysis.interventions import INTERVENTIONS
from worldline.analysis.stats import Share, clustered_share
from worldline.core.trace import Program
from worldline.evaluation.metrics import accuracy, compare_runs
from worldline.evaluation.runs import (
    ScoredSample,
    execute_and_diagnose,
    intervention_run,
    is_expected,
    is_run,
    read_run,
)
from worldline.evaluation.runs.sample_rows import (
    row_to_prediction,
    row_to_scored_sample,
    sample_to_row,
)
from worldline.languages.python.expression_frames import without_expression_frames
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

ROOT = Path(__file__).parent.parent
DATA = Path(os.environ.get("WORLDLINE_DATA") or ROOT.parent / "shared" / "data")
OUTPUTS = ROOT / "docs" / "findings" / "qwen2.5-coder-1.5b.jsonl.gz"
# The programs of the study.
SAMPLES, MAX_STEPS, MAX_CHARS = 200, 16, 600
# Columns of a run that are kept; the others follow from them.
KEPT = (
    "sample", "repeat", "model", "mode", "codec", "max_tokens", "temperature", "seed", "from_step",
    "output", "finish", "forced_spans", "usage_prompt", "usage_completion", "usage_requests",
)  # fmt: skip
# Columns with the program, which are kept if it was rewritten.
PROGRAM = ("code", "call", "context")
MODES = ("chat", "free", "guided", "force-actions", "force-state")
# The codec of the modes, and other notations of the same steps, on fewer samples in mode `free`.
DEFAULT_CODEC = "chat-trace"
NOTATIONS = ("chat-trace-states", "chat-trace-json")
# Pairs of modes that are compared sample by sample.
COMPARED = (
    ("chat", "free"),
    ("free", "guided"),
    ("free", "force-actions"),
    ("guided", "force-actions"),
    ("free", "force-state"),
)

Row = dict[str, Any]
Samples = dict[str, list[ScoredSample]]


def main() -> None:
    """Add the outputs of runs, if asked to, and print the tables."""
    lines = (DATA / "cruxeval.jsonl").read_text(encoding="utf-8").splitlines()
    programs = {row["id"]: row for row in map(json.loads, lines)}
    if sys.argv[1:2] == ["--select"]:
        Path(sys.argv[2]).write_text("\n".join(select(lines)) + "\n", encoding="utf-8")
        return
    text = gzip.decompress(OUTPUTS.read_bytes()).decode() if OUTPUTS.exists() else ""
    rows = list(map(json.loads, text.splitlines()))
    if sys.argv[1:2] == ["--add"]:
        rows = merge(rows, new_rows(Path(sys.argv[2]), programs))
        text = "".join(json.dumps(row) + "\n" for row in rows)
        OUTPUTS.write_bytes(gzip.compress(text.encode(), mtime=0))
    samples: Samples = defaultdict(list)
    recorder = PythonRecorder()
    for row in rows:
        samples[row["run"]].append(diagnose(row, programs, recorder))
    modes = {mode: samples[mode] for mode in MODES if mode in samples}
    print(mode_table(modes))
    print(comparison_table(modes, COMPARED))
    print(divergence_table(modes))
    print(cause_table(modes))
    notations = {name: samples[name] for name in NOTATIONS if name in samples}
    if notations:
        asked = {sample.sample for name in notations for sample in notations[name]}
        default = [sample for sample in samples["free"] if sample.sample in asked]
        notations = {DEFAULT_CODEC: default, **notations}
    print(mode_table(notations))
    print(comparison_table(notations, [(DEFAULT_CODEC, name) for name in NOTATIONS]))
    tried = {name: samples[f"free/{name}"] for name in INTERVENTIONS if f"free/{name}" in samples}
    print(interventions_tables(samples["free"], tried))


def select(lines: Iterable[str]) -> list[str]:
    """The rows of the first 200 programs with few steps and a short source."""
    selected: list[str] = []
    with PythonRecorder() as recorder:
        for line in lines:
            row = json.loads(line)
            trace = recorder.record(Program(row["code"], f"f({row['input']})"))
            steps = len(without_expression_frames(trace).steps)
            if steps <= MAX_STEPS and len(row["code"]) <= MAX_CHARS:
                selected.append(line)
            if len(selected) == SAMPLES:
                break
    return selected


def new_rows(folder: Path, programs: dict[str, Row]) -> Iterator[Row]:
    """The outputs of all runs in a folder, and of the interventions on `free`."""
    runs = {name: folder / name for name in (*MODES, *NOTATIONS)}
    locations = {name: str(path) for name, path in runs.items()}
    locations |= {f"free/{name}": intervention_run(runs["free"], name) for name in INTERVENTIONS}
    for run, location in locations.items():
        for row in read_run(location) if is_run(location) else ():
            if row["finish"] == "infra_error":
                # A resumed run asks again.
                continue
            kept = {name: row[name] for name in KEPT if row.get(name) is not None}
            if row.get("code") != programs[row["sample"]]["code"]:
                # A rewritten program.
                kept |= {name: row[name] for name in PROGRAM if row.get(name) is not None}
            yield {"run": run, **kept}


def merge(rows: Iterable[Row], others: Iterable[Row]) -> list[Row]:
    """Rows in order, each run, sample and repeat once; later ones replace earlier ones."""
    merged = {(row["run"], row["sample"], row["repeat"]): row for row in (*rows, *others)}
    return [merged[key] for key in sorted(merged)]


def diagnose(row: Row, programs: dict[str, Row], recorder: PythonRecorder) -> ScoredSample:
    """Execute the program of an output and diagnose it."""
    problem = programs[row["sample"]]
    program = {"code": problem["code"], "call": f"f({problem['input']})"}
    if not row.keys().isdisjoint(PROGRAM):
        program = {}
    prediction = row_to_prediction(program | row | {"expected": problem["output"]}, row["sample"])
    sample = execute_and_diagnose(prediction, recorder, is_measured=True)
    question = Question(row["sample"], prediction.program, problem["output"])
    return row_to_scored_sample(sample_to_row(question, row["repeat"], sample, is_expected))


def mode_table(runs: Samples) -> str:
    """Answers, steps, superficial executions and tokens by mode."""
    lines = []
    for name, samples in runs.items():
        overall = accuracy(samples)
        traced = [s for s in samples if s.matched_steps is not None and s.actual_steps]
        superficial = sum(is_superficial(sample) for sample in samples)
        lines.append(
            [
                name,
                cell(overall.of_all),
                cell(overall.of_answered),
                str(sum(sample.outcome == "correct" for sample in samples)) if traced else "–",
                str(superficial) if traced else "–",
                cell(matched_share(traced)) if traced else "–",
                str(sum(sample.is_truncated for sample in samples)),
                f"{sum(sample.completion_tokens or 0 for sample in samples) / len(samples):.0f}",
            ]
        )
    head = ["", "correct of all", "of those with an answer", "correct executions"]
    return table(
        [*head, "superficial executions", "steps before the divergence", "truncated", "tokens"],
        lines,
    )


def is_superficial(sample: ScoredSample) -> bool:
    """Whether an answer is correct although the execution before it is not."""
    return sample.verdict == "correct" and sample.outcome == "diverged" and sample.step is not None


def matched_share(samples: Sequence[ScoredSample]) -> Share:
    """The share of all steps that come before the first divergence."""
    return clustered_share(
        [sample.matched_steps or 0 for sample in samples],
        [sample.actual_steps or 0 for sample in samples],
    )


def comparison_table(runs: Samples, pairs: Iterable[tuple[str, str]]) -> str:
    """Pairs of runs on the same samples."""
    lines = []
    for first, second in pairs:
        if first in runs and second in runs:
            overall = compare_runs(runs[first], runs[second]).overall
            lines.append([first, second, str(overall.a.of), points(overall.difference)])
    return table(["first", "second", "samples", "second is correct more often"], lines)


def divergence_table(runs: Samples) -> str:
    """Where the modes first diverge."""
    places = ("argument", "action", "state", "return", "exception", "end")
    lines = []
    for name, samples in runs.items():
        counts = Counter(sample.differs_in for sample in samples if sample.differs_in)
        lines.append([name, *(str(counts[place]) for place in places), str(counts.total())])
    return table(["", *places, "all"], lines)


def cause_table(runs: Samples) -> str:
    """Causes of the first divergences by mode."""
    counts = {name: Counter(s.cause for s in samples if s.cause) for name, samples in runs.items()}
    total: Counter[str] = sum(counts.values(), Counter())
    lines = [
        [cause, *(str(counts[name][cause]) for name in runs)] for cause, _ in total.most_common()
    ]
    return table(["cause", *runs], lines)


if __name__ == "__main__":
    main()
