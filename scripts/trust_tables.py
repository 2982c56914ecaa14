"""Tables of docs/findings/trust.md: how far predicted results can be trusted.

    python -m scripts.trust_tables              print the tables as Markdown
    python -m scripts.trust_tables codellama    only those of Code Llama's published answers
    python -m scripts.trust_tables qwen         only those of Qwen2.5-Coder-1.5B

The answers of Code Llama 7B and the programs of CRUXEval are in ../shared/data (or WORLDLINE_DATA),
the outputs of Qwen2.5-Coder-1.5B in docs/findings/qwen2.5-coder-1.5b.jsonl.gz. Nothing is executed:
answers are compared with the values that the benchmark expects.
"""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scripts.code_model import DATA, OUTPUTS
from scripts.markdown_table import table
from worldline.analysis.alignment import answers_equal
from worldline.analysis.stats import (
    Estimate,
    RiskThreshold,
    SelectiveRisk,
    measure_selective_risk,
    share,
)
from worldline.analysis.trust import (
    GROUPS,
    Calibration,
    SignalGroup,
    TrustCase,
    answer_key,
    cross_validated_probabilities,
    fit_trust_model,
    trust_signals,
)
from worldline.core.trace import Program
from worldline.evaluation.metrics import TrustResults, measure_trust_cases
from worldline.evaluation.runs import extract_answer, rows_to_trust_cases
from worldline.evaluation.runs.sample_rows import row_to_prediction
from worldline.evaluation.runs.trust_cases import program_key

FOLDS = 10
MAX_WRONG = (0.1, 0.2, 0.3)
HEAD = [
    "signals",
    "AUROC",
    "AURC",
    "excess AURC",
    "calibration error",
    "Brier",
    "surest 20%",
    "50%",
]
STATIC: tuple[SignalGroup, ...] = ("static",)
FLOW: tuple[SignalGroup, ...] = ("static", "flow")

Row = dict[str, Any]
Cases = Sequence[TrustCase]


def main() -> None:
    """Print the tables."""
    lines = (DATA / "cruxeval.jsonl").read_text(encoding="utf-8").splitlines()
    programs = {row["id"]: row for row in map(json.loads, lines)}
    if sys.argv[1:] != ["qwen"]:
        print_answers(list(published_cases(programs)))
    if sys.argv[1:] != ["codellama"]:
        text = gzip.decompress(OUTPUTS.read_bytes()).decode()
        rows = list(map(json.loads, text.splitlines()))
        runs = {
            run: run_cases([row for row in rows if row["run"] == run], programs)
            for run in ("chat", "free", "guided")
        }
        print_steps(runs)


def program_of(problem: Row) -> Program:
    """The program of a problem."""
    return Program(problem["code"], f"f({problem['input']})")


def published_cases(programs: dict[str, Row]) -> Iterator[TrustCase]:
    """The most frequent of Code Llama's ten answers to each problem, graded by the reference."""
    scored = json.loads((DATA / "cruxeval_codellama7b_output_scored.json").read_text())
    for sample, answers in scored["raw_generations"].items():
        keys = [answer_key(answer) for answer in answers]
        number = keys.index(Counter(keys).most_common(1)[0][0])
        program = program_of(programs[sample])
        yield TrustCase(
            sample,
            program_key(program),
            answers[number],
            trust_signals(program, answers[number], answers=answers),
            bool(scored["raw_scored_generations"][sample][number]),
        )


def run_cases(rows: list[Row], programs: dict[str, Row]) -> Cases:
    """The results of a run of which only the outputs are stored."""
    complete = []
    for row in rows:
        problem = programs[row["sample"]]
        full = {"code": problem["code"], "call": f"f({problem['input']})", **row}
        answer = extract_answer(row_to_prediction(full, row["sample"]))
        is_correct = answer is not None and answers_equal(problem["output"], answer)
        complete.append(full | {"verdict": "correct" if is_correct else "incorrect"})
    return rows_to_trust_cases(complete).cases


def print_answers(cases: Cases) -> None:
    """Print the tables of answers without steps."""
    raw = [case.signals["agreement"] for case in cases]
    agreement = cross_validated_probabilities(cases, groups=["agreement"], folds=FOLDS)
    static = cross_validated_probabilities(cases, groups=STATIC, folds=FOLDS)
    both = cross_validated_probabilities(cases, folds=FOLDS)
    results = measure_trust_cases(cases, both)
    print(f"Code Llama 7B: {results.correct}, optimal AURC {results.optimal_aurc:.3f}\n")
    isotonic, _ = held_out(cases, calibration="isotonic")
    half, _ = held_out(cases, calibration="logistic")
    rows = {
        "agreement of ten samples, not fitted": raw,
        "agreement, fitted": agreement,
        "static": static,
        "static and agreement": both,
        "the same, fitted on half of the programs": half,
        "the same, isotonic on the other half": isotonic,
    }
    print(
        table(HEAD, [metric_row(name, measure_trust_cases(cases, p)) for name, p in rows.items()])
    )
    print(differences(cases, {"static and agreement − agreement, fitted": (both, agreement)}))
    print(curve_table({"static and agreement": measure_trust_cases(cases, both)}))
    print(threshold_table(cases))


def print_steps(runs: dict[str, Cases]) -> None:
    """Print the tables of predictions with steps."""
    for run, cases in runs.items():
        has_steps = all("steps" in case.signals for case in cases)
        correct = sum(case.is_correct for case in cases)
        print(f"Qwen2.5-Coder-1.5B, {run}: {correct} of {len(cases)} results are correct\n")
        by_signals: dict[str, Sequence[SignalGroup]] = {"static": STATIC}
        if has_steps:
            by_signals |= {
                "flow and values, not static": ("flow", "values"),
                "static and flow": FLOW,
                "static, flow and values": GROUPS,
            }
        probabilities = {
            name: cross_validated_probabilities(cases, groups=groups, folds=FOLDS)
            for name, groups in by_signals.items()
        }
        results = {name: measure_trust_cases(cases, each) for name, each in probabilities.items()}
        print(table(HEAD, [metric_row(name, result) for name, result in results.items()]))
        if has_steps:
            base = probabilities["static"]
            pairs = {
                f"{name} − static": (probabilities[name], base)
                for name in ("static and flow", "static, flow and values")
            }
            print(differences(cases, pairs))
            print(curve_table({name: results[name] for name in (*results,)[::3]}))
            print(threshold_table(cases))
    fitted, tested = runs["free"], runs["guided"]
    rows = []
    for name, groups in (("static", STATIC), ("static, flow and values", GROUPS)):
        across = cross_validated_probabilities(fitted, groups=groups, tested=tested, folds=FOLDS)
        rows.append(metric_row(name, measure_trust_cases(tested, across)))
    print("Fitted on `free`, tested on `guided`, on other programs\n")
    print(table(HEAD, rows))


def held_out(
    cases: Cases, *, calibration: Calibration = "logistic", max_wrong: float = 0.1
) -> tuple[list[float], list[bool]]:
    """Probabilities, and what is trusted, by stored models that never saw the programs."""
    probabilities, is_trusted = [0.0] * len(cases), [False] * len(cases)
    order = sorted({case.program for case in cases})
    for fold in range(FOLDS):
        tested = set(order[fold::FOLDS])
        model = fit_trust_model(
            [case for case in cases if case.program not in tested],
            calibration=calibration,
            max_wrong=max_wrong,
        )
        for number, case in enumerate(cases):
            if case.program in tested:
                trust = model.assess(case.signals)
                probabilities[number], is_trusted[number] = trust.probability, trust.is_trusted
    return probabilities, is_trusted


def threshold_table(cases: Cases) -> str:
    """How many held-out results are trusted, and how many of these are wrong."""
    rows = []
    for max_wrong in MAX_WRONG:
        probabilities, is_trusted = held_out(cases, max_wrong=max_wrong)
        threshold = RiskThreshold(max_wrong, 0.9, 0.0, 0, 0, 0)
        results = measure_trust_cases(
            cases, probabilities, threshold=threshold, is_trusted=is_trusted
        )
        trusted = results.trusted
        assert trusted is not None
        wrong = share(trusted.of - trusted.correct, trusted.of)
        percent = f"{100 * trusted.of / len(cases):.0f}%"
        found = "–" if wrong.value is None else f"{100 * wrong.value:.0f}% {_span(wrong)}"
        rows.append([f"{100 * max_wrong:.0f}%", f"{trusted.of} of {len(cases)} ({percent})", found])
    return table(["wrong results allowed", "trusted", "wrong among them"], rows)


def _span(each: Any) -> str:
    return f"({100 * each.low:.0f}–{100 * each.high:.0f})"


def metric_row(name: str, results: TrustResults) -> list[str]:
    """One row of the table of metrics."""
    risk = results.risk
    assert risk is not None
    surest = [f"{100 * (each.value or 0):.0f}% {_span(each)}" for _, each in results.surest]
    return [name, *map(estimate_text, estimates(risk)), *surest]


def estimates(risk: SelectiveRisk) -> list[Estimate]:
    """The metrics in the order of the columns."""
    return [risk.auroc, risk.aurc, risk.excess_aurc, risk.calibration_error, risk.brier]


def estimate_text(each: Estimate) -> str:
    """ ".803 (.770–.835)" """
    return f"{_short(each.value)} ({_short(each.low)} to {_short(each.high)})"


def _short(number: float) -> str:
    return f"{number:.3f}".replace("0.", ".", 1)


def differences(cases: Cases, pairs: Mapping[str, tuple[Sequence[float], Sequence[float]]]) -> str:
    """Paired differences of the metrics, on the same results."""
    outcomes, clusters = [case.is_correct for case in cases], [case.program for case in cases]
    rows = []
    for name, (first, second) in pairs.items():
        risk = measure_selective_risk(first, outcomes, clusters, minus=second)
        assert risk is not None
        rows.append([name, *map(estimate_text, estimates(risk))])
    return table(["paired difference", *HEAD[1:6]], rows)


def curve_table(results: dict[str, TrustResults]) -> str:
    """The share of wrong results at some coverages."""
    rows = []
    for name, result in results.items():
        cells = []
        for percent in range(10, 101, 10):
            wrong = next(wrong for part, wrong in result.curve if part >= percent / 100 - 1e-9)
            cells.append(f"{100 * wrong:.0f}%")
        rows.append([name, *cells])
    return table(["wrong among the surest", *(f"{n}%" for n in range(10, 101, 10))], rows)


if __name__ == "__main__":
    main()
