"""Rankings of candidates as tables, lines and JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from worldline.analysis.stats import Difference
from worldline.core.trace import printable
from worldline.core.util.text import pluralize
from worldline.evaluation.rank import BestAtK, ProblemRanking, RankResults, RunRegret
from worldline.interfaces.report.number_format import interval_text, p_text, signed

# Problems that the terminal lists; JSON has all.
MAX_PROBLEMS = 20


def rank_report(results: RankResults) -> Iterator[RenderableType]:
    """Yield the best candidates, best@k, the simulation gap and the regret."""
    problems = list(dict.fromkeys(ranking.problem for ranking in results.rankings))
    yield Text(f"Ranking of candidates of {pluralize(len(problems), 'problem')}", "bold")
    yield _candidate_table(results, problems[:MAX_PROBLEMS])
    if len(problems) > MAX_PROBLEMS:
        rest = pluralize(len(problems) - MAX_PROBLEMS, "other problem")
        yield Text(f"{rest} in --format json", "dim")
    if len(problems) <= MAX_PROBLEMS:
        yield from _input_lines(results)
    if results.best:
        yield _best_table(results)
    else:
        yield Text("no best@k: it is not known which candidates are correct", "dim")
    for gap in results.gaps:
        yield Text(f"simulation gap, best@{gap.k} by {gap.by}: {gap_text(gap.gap)}")
    for regret in results.regrets:
        yield Text(regret_text(regret))
    yield from _cost_lines(results)


def _candidate_table(results: RankResults, problems: list[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("problem", overflow="fold")
    for way in results.ways:
        table.add_column(f"best by {way}", overflow="fold")
    by_key = {(ranking.problem, ranking.by): ranking for ranking in results.rankings}
    for problem in problems:
        cells = [_best_cell(by_key[problem, way]) for way in results.ways]
        table.add_row(Text(printable(problem)), *map(Text, cells))
    return table


def _best_cell(ranking: ProblemRanking) -> str:
    """ "3 (2 of 5 agree, 4 passed)" """
    group = ranking.groups[0]
    if not group.score:
        return "none passes"
    agree = f"{len(group.candidates)} of {len(ranking.candidates)} agree"
    return f"{printable(ranking.best)} ({agree}, {group.passed} passed)"


def _input_lines(results: RankResults) -> Iterator[Text]:
    for problem, inputs in results.inputs.items():
        for chosen in inputs:
            yield Text(f"{printable(problem)}: {printable(chosen.call)}: {chosen.reason}", "dim")


def _best_table(results: RankResults) -> Table:
    ks = list(dict.fromkeys(best.k for best in results.best))
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("by", no_wrap=True)
    for k in ks:
        table.add_column(f"best@{k}, % (95% interval)", justify="right", no_wrap=True)
    cells: dict[str, list[str]] = {}
    for best in results.best:
        cells.setdefault(best.by, []).append(_mean_cell(best))
    for by, row in cells.items():
        table.add_row(by, *row)
    return table


def _mean_cell(best: BestAtK) -> str:
    mean = best.mean
    return f"{100 * mean.value:.1f} ({100 * mean.low:.0f}–{100 * mean.high:.0f})"


def gap_text(gap: Difference) -> str:
    """ "+7.0 points (+0.6 to +13.4), p = 0.004, over 40 problems" """
    value = signed(100 * (gap.value or 0.0))
    interval = interval_text(gap, scale=100)
    return f"{value} points ({interval}), p {p_text(gap.p)}, over {pluralize(gap.of, 'problem')}"


def regret_text(regret: RunRegret) -> str:
    """ "staged-1: 1.0 of 8.0 candidates executed per problem, regret 2.5 points: 0.36 points …" """
    text = (
        f"{regret.by}: {regret.runs:.1f} of {regret.runs + regret.runs_saved:.1f} candidates "
        f"executed per problem, regret {signed(100 * regret.regret)} points"
    )
    if regret.per_run_saved is None:
        return text
    return f"{text}: {100 * regret.per_run_saved:+.2f} points per run saved"


def _cost_lines(results: RankResults) -> Iterator[Text]:
    totals = results.executions
    if totals.batches:
        yield Text(
            f"{totals.items:,} tests and calls in {totals.processes:,} sandboxed processes, "
            f"{totals.cpu_seconds:.1f} s of CPU time",
            "dim",
        )
    if results.predictions:
        text = f"{pluralize(results.predictions, 'prediction')}"
        yield Text(f"{text}, {results.without_answer:,} without an answer", "dim")
    if results.skipped_tests:
        yield Text(
            f"{pluralize(results.skipped_tests, 'test')} left out: they state no value for a call",
            "dim",
        )


def rank_to_json(results: RankResults) -> dict[str, Any]:
    """Return rankings as plain JSON data."""
    return {
        "rankings": [
            {
                "problem": ranking.problem,
                "by": ranking.by,
                "best": ranking.best,
                "runs": ranking.runs,
                "groups": [
                    {
                        "candidates": [ranking.candidates[n] for n in group.candidates],
                        "passed": group.passed,
                        "score": group.score,
                    }
                    for group in ranking.groups
                ],
            }
            for ranking in results.rankings
        ],
        "best": [{"by": best.by, "k": best.k, **asdict(best.mean)} for best in results.best],
        "simulation_gaps": [{"by": gap.by, "k": gap.k, **asdict(gap.gap)} for gap in results.gaps],
        "regrets": [asdict(regret) for regret in results.regrets],
        "inputs": {
            problem: [{**asdict(chosen), "reason": chosen.reason} for chosen in inputs]
            for problem, inputs in results.inputs.items()
        },
        "skipped_tests": results.skipped_tests,
        "predictions": results.predictions,
        "without_answer": results.without_answer,
        "executions": asdict(results.executions),
    }
