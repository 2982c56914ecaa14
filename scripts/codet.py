"""Tables of docs/findings/codet.md: CodeT's ranking, reproduced by actual execution.

    python -m scripts.codet FOLDER                    execute and print the tables as Markdown
    python -m scripts.codet FOLDER --first 20         only the first problems
    python -m scripts.codet FOLDER --workers 2        with two processes

The solutions and tests published with CodeT and the problems of HumanEval are in ../shared/data (or
WORLDLINE_DATA). FOLDER has the journal: if interrupted or killed, run the same command again to
resume.
"""

import argparse
import os
import resource
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scripts.code_model import DATA
from scripts.codet_data import read_problems
from scripts.markdown_table import points, table
from worldline.analysis.stats import accuracy_difference
from worldline.evaluation.rank import (
    CandidateGroup,
    CandidateProblem,
    ExecutionJournal,
    ExecutionTotals,
    Score,
    best_at_k,
    chance_at_k,
    rank_by_tests,
)
from worldline.languages.python.batch_runner import Batch, BatchItem, BatchOutcome

# CPU time of one test, as in CodeT, and of HumanEval's own test.
TEST_SECONDS, REFERENCE_SECONDS = 0.1, 1.0
KS = (1, 2, 10)
# pass@1 that the paper reports for CodeGen-16B, in percent.
PAPER = {"chance": "29.7", "product": "36.7"}
SCORES: tuple[Score, ...] = ("product", "sqrt", "tests", "candidates")


@dataclass(frozen=True, slots=True)
class Executed:
    """A problem with, for each candidate, whether it is correct and which tests it passes."""

    problem: CandidateProblem
    is_correct: tuple[bool, ...]
    passed: tuple[tuple[bool, ...], ...]
    weights: tuple[int, ...]

    def rank(self, score: Score) -> tuple[CandidateGroup, ...]:
        """The groups of candidates, best first."""
        return rank_by_tests(self.passed, self.weights, score=score)


def main() -> None:
    """Execute what is not in the journal, and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int)
    parser.add_argument("--workers", type=int, default=1)
    arguments = parser.parse_args()
    problems = read_problems(DATA)[: arguments.first]
    executed: list[Executed] = []
    statuses: Counter[str] = Counter()
    path = arguments.folder / "executions.jsonl"
    with ExecutionJournal(path, workers=arguments.workers) as journal:
        for number, problem in enumerate(problems, 1):
            outcomes = journal.run(batches(problem))
            statuses.update(item.status for each in outcomes for item in each.items[1:])
            executed.append(join(problem, outcomes))
            print(f"\r{number} of {len(problems)} problems", end="", file=sys.stderr, flush=True)
        totals = journal.totals
    print(file=sys.stderr)
    print(pass_table(executed))
    print(difference_table(executed))
    print(cost_table(executed, totals, statuses))


def batches(problem: CandidateProblem) -> list[Batch]:
    """One batch for each different source: HumanEval's own test, then the different tests."""
    tests = tuple(BatchItem(test, seconds=TEST_SECONDS) for test in dict.fromkeys(problem.tests))
    reference = BatchItem(problem.reference or "", seconds=REFERENCE_SECONDS)
    return [Batch(source, (reference, *tests)) for source in problem.sources]


def join(problem: CandidateProblem, outcomes: Sequence[BatchOutcome]) -> Executed:
    """The outcomes of a problem, by candidate."""
    by_source = dict(zip(problem.sources, outcomes, strict=True))
    rows = [
        tuple(item.status == "passed" for item in by_source[candidate.source].items)
        for candidate in problem.candidates
    ]
    weights = Counter(problem.tests)
    return Executed(
        problem,
        tuple(row[0] for row in rows),
        tuple(row[1:] for row in rows),
        tuple(weights[test] for test in dict.fromkeys(problem.tests)),
    )


def pass_table(executed: Sequence[Executed]) -> str:
    """pass@k by chance and by consensus."""

    def row(name: str, values: dict[int, list[float]], paper: str = "–") -> list[str]:
        return [name, *(f"{100 * mean(values[k]):.2f}" for k in KS), paper]

    chance = {k: [chance_at_k(each.is_correct, k) for each in executed] for k in KS}
    rows = [row("random choice", chance, PAPER["chance"])]
    for score in SCORES:
        values = {
            k: [best_at_k(each.rank(score), each.is_correct, k) for each in executed] for k in KS
        }
        rows.append(row(f"consensus, {score}", values, PAPER.get(score, "–")))
    solvable = [float(any(each.is_correct)) for each in executed]
    rows.append(["some candidate is correct", f"{100 * mean(solvable):.2f}", "–", "–", "–"])
    return table(["", *(f"pass@{k}" for k in KS), "pass@1 in the paper"], rows)


def difference_table(executed: Sequence[Executed]) -> str:
    """Consensus minus random choice, with its interval over problems."""
    rows = []
    for score in SCORES:
        differences = [
            best_at_k(each.rank(score), each.is_correct, 1) - chance_at_k(each.is_correct, 1)
            for each in executed
        ]
        gain = accuracy_difference(differences)
        better, worse = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
        rows.append([score, str(gain.of), points(gain), str(better), str(worse)])
    return table(["score", "problems", "pass@1 − random choice, points", "better", "worse"], rows)


def cost_table(
    executed: Sequence[Executed], totals: ExecutionTotals, statuses: Counter[str]
) -> str:
    """Numbers of executions, time and memory."""
    candidates = sum(len(each.problem.candidates) for each in executed)
    sources = sum(len(each.problem.sources) for each in executed)
    tests = sum(len(each.problem.tests) for each in executed)
    pairs = sum(len(each.problem.candidates) * len(each.problem.tests) for each in executed)
    own = resource.getrusage(resource.RUSAGE_SELF)
    rows = [
        ["problems", f"{len(executed):,}"],
        ["problems without a test", f"{sum(not each.problem.tests for each in executed):,}"],
        ["candidates (different)", f"{candidates:,} ({sources:,})"],
        ["tests (different)", f"{tests:,} ({sum(len(e.weights) for e in executed):,})"],
        ["pairs of candidate and test", f"{pairs:,}"],
        ["executed tests", f"{statuses.total():,}"],
        *([f"… {name}", f"{count:,}"] for name, count in statuses.most_common()),
        ["sandboxed processes", f"{totals.processes:,}"],
        ["of the batches, from the journal", f"{totals.resumed:,} of {totals.batches:,}"],
        ["CPU time of the candidates", f"{totals.cpu_seconds / 3600:.2f} h"],
        ["elapsed time of the batches", f"{totals.seconds / 3600:.2f} h"],
        ["largest memory of a process", f"{totals.memory_kb / 1024:.0f} MB"],
        ["largest memory of this process", f"{own.ru_maxrss / 1024:.0f} MB"],
        ["load of the machine", f"{os.getloadavg()[2]:.1f}"],
    ]
    return table(["", ""], rows)


def mean(values: Sequence[float]) -> float:
    """The mean of a list."""
    return sum(values) / len(values)


if __name__ == "__main__":
    main()
