"""Simulation gap of a model on CodeT's candidates: rankings by prediction, in stages, by execution.

    python -m scripts.simulation_gap FOLDER --engine llamacpp:FILE.gguf       predict, print tables
    python -m scripts.simulation_gap FOLDER --engine … --problems 2           fewer problems

Each problem has candidates of CodeGen-16B, of which some are correct and some are not, and the
inputs of its published tests that distinguish them best. The data is in ../shared/data (or
WORLDLINE_DATA). FOLDER has executions and predictions: if interrupted or killed, run the same
command again to resume.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from scripts.code_model import DATA
from scripts.codet_data import read_problems
from scripts.markdown_table import cell, points, table
from worldline import load_engine, rank_candidates
from worldline.analysis.stats import clustered_share
from worldline.core.trace import Program, parse_source
from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.rank import (
    Candidate,
    CandidateProblem,
    Consensus,
    ExecutionJournal,
    RankResults,
    check_candidates,
    choose_inputs,
    execute_candidates,
    make_plan,
    parse_test,
)
from worldline.evaluation.rank.candidate_outcome import output_key
from worldline.evaluation.runs import extract_answer
from worldline.models.prediction import PredictionSettings, read_prediction_file

SEED = "simulation-gap"
TEST_SECONDS = 0.1
# Longer programs take a small model's context and much time.
MAX_CHARS = 1_200


def main() -> None:
    """Rank, and print the tables as Markdown."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--codec", default="chat")
    parser.add_argument("--max-tokens", type=int, default=512)
    parser.add_argument("--problems", type=int, default=40)
    parser.add_argument("--candidates", type=int, default=8)
    parser.add_argument("--inputs", type=int, default=3)
    parser.add_argument("--concurrency", type=int, default=1)
    arguments = parser.parse_args()
    with ExecutionJournal(arguments.folder / "selection.jsonl") as journal:
        selected = select(journal, arguments.candidates, arguments.inputs)
        problems = [
            problem for problem, _ in zip(selected, range(arguments.problems), strict=False)
        ]
    settings = PredictionSettings(codec=arguments.codec, max_tokens=arguments.max_tokens)
    consensuses: tuple[Consensus, ...] = ("outputs", "tests")
    with load_engine(arguments.engine) as engine:
        for consensus in consensuses:
            results = rank_candidates(
                problems,
                by=("actual", "predicted", "staged"),
                engine=engine,
                run_best=(1, 2, 4),
                consensus=consensus,
                k=(1, 2),
                test_seconds=TEST_SECONDS,
                folder=arguments.folder,
                settings=settings,
                concurrency=arguments.concurrency,
                on_progress=show_progress,
            )
            print(f"\nConsensus by {consensus}, {len(problems)} problems\n")
            print(result_table(results))
            print(
                f"{results.predictions} predictions, {results.without_answer} without an answer\n"
            )
    with ExecutionJournal(arguments.folder / "selection.jsonl") as journal:
        print(agreement(problems, arguments.folder / "predictions.jsonl", journal))


def select(
    journal: ExecutionJournal, n_candidates: int, n_inputs: int
) -> Iterator[CandidateProblem]:
    """Problems in random order, each with different candidates drawn at random.

    A problem is left out if its candidates are all correct or all wrong, if no input of its tests
    distinguishes them, or if it has fewer inputs than asked for.
    """
    for problem in SeededRandom(SEED).shuffled(read_problems(DATA)):
        sources = [s for s in problem.sources if len(s) <= MAX_CHARS and parse_source(s)]
        drawn = SeededRandom(SEED, problem.id).shuffled(sources)[:n_candidates]
        if len(drawn) < n_candidates:
            continue
        candidates = tuple(Candidate(str(n), source) for n, source in enumerate(drawn))
        chosen = replace(problem, candidates=candidates)
        (is_correct,) = check_candidates([chosen], journal)
        if len(set(is_correct)) < 2:
            continue
        inputs = select_inputs(chosen, journal, n_inputs)
        if len(inputs) == n_inputs:
            yield with_tests_of(chosen, inputs)


def select_inputs(
    problem: CandidateProblem, journal: ExecutionJournal, count: int
) -> tuple[str, ...]:
    """The inputs that distinguish the candidates best, and others with the most values.

    None if no input distinguishes them.
    """
    plan = make_plan(problem, consensus="outputs")
    (outcomes,) = execute_candidates([plan], journal, seconds=TEST_SECONDS)
    rows = [outcomes[candidate.source].outputs for candidate in problem.candidates]
    pool = {call: [row[call] for row in rows] for call in plan.inputs}
    best = [chosen.call for chosen in choose_inputs(pool, count)]
    others = sorted(
        (call for call in pool if call not in best and any(pool[call])),
        key=lambda call: (-sum(output is not None for output in pool[call]), len(call)),
    )
    return tuple([*best, *others][:count]) if best else ()


def agreement(
    problems: Sequence[CandidateProblem], predictions: Path, journal: ExecutionJournal
) -> str:
    """How many predicted outputs are the actual ones, clustered by problem."""
    answers = {each.id: extract_answer(each) for each in read_prediction_file(predictions)}
    values: list[list[bool]] = []
    failures: list[list[bool]] = []
    for problem in problems:
        (outcomes,) = execute_candidates(
            [make_plan(problem, consensus="outputs")], journal, seconds=TEST_SECONDS
        )
        values.append([])
        failures.append([])
        for source in problem.sources:
            for call in problem.inputs:
                id = f"{problem.id}/{Program(source, call).hash}"
                if id not in answers:
                    continue
                actual, answer = outcomes[source].outputs[call], answers[id]
                if actual is None:
                    failures[-1].append(answer is not None)
                else:
                    values[-1].append(answer is not None and output_key(answer) == actual)
    of_values, of_failures = (
        clustered_share(list(map(sum, groups)), list(map(len, groups)))
        for groups in ([each for each in values if each], [each for each in failures if each])
    )
    return (
        f"predicted outputs that are the actual ones: {cell(of_values)}\n"
        f"predicted outputs of executions that have none: {cell(of_failures)}"
    )


def with_tests_of(problem: CandidateProblem, inputs: tuple[str, ...]) -> CandidateProblem:
    """The problem with these inputs, and the tests that call the function with them."""
    parsed = {
        test: parse_test(test, problem.function or "") for test in dict.fromkeys(problem.tests)
    }
    kept = {test for test, asserted in parsed.items() if asserted and asserted.call in inputs}
    tests = tuple(test for test in problem.tests if test in kept)
    return replace(problem, tests=tests, inputs=inputs)


def result_table(results: RankResults) -> str:
    """best@k, simulation gap and regret by each way."""
    gaps = {(gap.by, gap.k): gap.gap for gap in results.gaps}
    regrets = {regret.by: regret for regret in results.regrets}
    rows = []
    for by in dict.fromkeys(best.by for best in results.best):
        best = {each.k: each.mean for each in results.best if each.by == by}
        cells = [
            f"{100 * m.value:.1f} ({100 * m.low:.0f}–{100 * m.high:.0f})" for m in best.values()
        ]
        gap, regret = gaps.get((by, 1)), regrets.get(by)
        rows.append(
            [
                by,
                *cells,
                points(gap) if gap else "–",
                f"{regret.runs:.1f}" if regret else "–",
                "–"
                if regret is None or regret.per_run_saved is None
                else f"{100 * regret.per_run_saved:+.2f}",
            ]
        )
    ks = dict.fromkeys(best.k for best in results.best)
    return table(
        ["by", *(f"best@{k}" for k in ks), "gap, best@1", "runs", "regret per run saved, points"],
        rows,
    )


def show_progress(phase: str, done: int, total: int) -> None:
    """Show the progress on standard error."""
    print(f"\r{phase} {done} of {total}   ", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
