"""Rankings of candidate solutions: by execution, by prediction, or both."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from worldline.core.errors import InputError
from worldline.evaluation.rank import (
    CandidateProblem,
    ChosenInput,
    Consensus,
    ExecutionJournal,
    Outcomes,
    ProblemRanker,
    ProblemRanking,
    RankBy,
    RankResults,
    Score,
    check_candidates,
    choose_plan_inputs,
    execute_candidates,
    make_plan,
    measure_rankings,
    read_candidate_problems,
)
from worldline.interfaces.api.candidate_prediction import (
    PredictedOutcomes,
    PredictionAccess,
    check_mode,
    predict_candidates,
)
from worldline.interfaces.api.engine_handle import EngineLike
from worldline.languages.python.batch_runner import DEFAULT_ITEM_SECONDS
from worldline.models.prediction import AUTO_CODEC, PredictionSettings

RankPhase = Literal["checking", "executing", "predicting"]
OnProgress = Callable[[RankPhase, int, int], None]


@dataclass(frozen=True, slots=True)
class _Request:
    """What is ranked, and how."""

    problems: list[CandidateProblem]
    ways: list[RankBy]
    depths: list[int]
    consensus: Consensus | None
    score: Score
    inputs: int | None
    seconds: float

    @property
    def needs_model(self) -> bool:
        return self.ways != ["actual"]


def rank_candidates(
    candidates: str | Path | Sequence[CandidateProblem],
    tests: str | Path | None = None,
    *,
    by: RankBy | Sequence[RankBy] = "actual",
    engine: EngineLike | None = None,
    run_best: int | Sequence[int] = 1,
    consensus: Consensus | None = None,
    score: Score = "product",
    inputs: int | None = None,
    k: int | Sequence[int] = 1,
    test_seconds: float = DEFAULT_ITEM_SECONDS,
    folder: str | Path | None = None,
    restart: bool = False,
    settings: PredictionSettings | None = None,
    tokenizer: str | None = None,
    concurrency: int | None = None,
    workers: int = 1,
    python: str | None = None,
    on_progress: OnProgress | None = None,
) -> RankResults:
    """Rank candidate solutions by consensus.

    Candidates that pass the same tests, or have the same outputs, are one group. A group's score is
    its number of candidates times the number of tests that it passes (CodeT).

    If there is a `folder` and the process is interrupted or killed, call it again to resume.

    Args:
        candidates: A JSON lines file of candidates, or problems.
        tests: A JSON lines file of tests, if `candidates` is a file.
        by: One or several ways: "actual" executes every candidate, "predicted" asks a model for
            every output, "staged" asks the model and executes the best candidates.
        engine: The engine, or its name, for "predicted" and "staged".
        run_best: How many different candidates of a problem "staged" executes; several numbers are
            several ways.
        consensus: "tests" or "outputs"; by default tests, or outputs for a problem without tests.
        score: "product", "sqrt" (the square root of the number of candidates, as in CodeT's code),
            "tests" or "candidates".
        inputs: Compare candidates only on this many inputs of each problem, those that distinguish
            them best: by actual outputs if "actual" is one of the ways, else by predicted ones.
        k: One or several k of best@k.
        test_seconds: CPU time of one test or call.
        folder: Where executions and predictions are kept.
        restart: Delete what the folder has, and begin again.
        settings: Settings of the predictions; the mode must be "free" or "guided".
        tokenizer: The model's tokenizer, to tokenize here instead of on the server.
        concurrency: Maximum number of concurrent requests.
        workers: The number of processes that execute candidates.
        python: The interpreter that executes candidates.
        on_progress: Called with the phase, the number of items done, and the number of all.

    Returns:
        The rankings. If it is known which candidates are correct: best@k by each way, and if
        "actual" is one of them, the simulation gap and the regret per run saved.

    Raises:
        InputError: A file cannot be read, or there is no engine.
        EngineError: The engine cannot be used, or has failed for some predictions.

    Examples:
        >>> from worldline.evaluation.rank import Candidate
        >>> sources = ["def f(x): return x * x", "def f(x): return x ** 2", "def f(x): return x"]
        >>> problem = CandidateProblem(
        ...     "square",
        ...     tuple(Candidate(str(n), source) for n, source in enumerate(sources)),
        ...     tests=("assert f(2) == 4", "assert f(3) == 9", "assert f(3) == 3"),
        ... )
        >>> ranking = rank_candidates([problem]).rankings[0]
        >>> [(group.candidates, group.score) for group in ranking.groups]
        [((0, 1), 4.0), ((2,), 1.0)]
    """
    request = _Request(
        _problems(candidates, tests),
        list(dict.fromkeys([by] if isinstance(by, str) else by)),
        [run_best] if isinstance(run_best, int) else list(run_best),
        consensus,
        score,
        inputs,
        test_seconds,
    )
    settings = settings or PredictionSettings(codec=AUTO_CODEC)
    check_mode(settings)
    report = on_progress or (lambda phase, done, total: None)
    with ExitStack() as stack:
        place = Path(folder or stack.enter_context(tempfile.TemporaryDirectory()))
        journal = ExecutionJournal(
            place / "executions.jsonl", workers=workers, python=python, restart=restart
        )
        stack.enter_context(journal)
        access = None
        if request.needs_model:
            access = PredictionAccess(
                _required(engine, request.ways),
                place / "predictions.jsonl",
                settings,
                tokenizer,
                concurrency,
                restart,
                *_prediction_counter(report),
            )
        return _rank(request, journal, access, report, [k] if isinstance(k, int) else list(k))


def _problems(
    candidates: str | Path | Sequence[CandidateProblem], tests: str | Path | None
) -> list[CandidateProblem]:
    if not isinstance(candidates, str | Path):
        return list(candidates)
    if tests is None:
        raise InputError(f"{candidates} needs a file of tests: add --tests FILE")
    return read_candidate_problems(candidates, tests)


def _required(engine: EngineLike | None, ways: Sequence[RankBy]) -> EngineLike:
    if engine is None:
        way = next(way for way in ways if way != "actual")
        raise InputError(f"ranking by {way} outcomes needs a model: add --engine URL")
    return engine


def _rank(
    request: _Request,
    journal: ExecutionJournal,
    access: PredictionAccess | None,
    report: OnProgress,
    ks: Sequence[int],
) -> RankResults:
    needs_calls = request.inputs is not None or request.needs_model
    plans = [
        make_plan(problem, consensus=request.consensus, needs_calls=needs_calls)
        for problem in request.problems
    ]
    checked = sum(len(problem.sources) for problem in request.problems)
    is_correct = check_candidates(
        request.problems, journal, on_outcome=_counter("checking", checked, report)
    )
    actual: list[Outcomes] | None = None
    predicted = PredictedOutcomes([], 0, 0)
    chosen: list[tuple[ChosenInput, ...]] = []
    if "actual" in request.ways:
        count = _counter("executing", checked, report)
        actual = execute_candidates(plans, journal, seconds=request.seconds, on_outcome=count)
        if request.inputs is not None:
            plans, chosen = choose_plan_inputs(plans, actual, request.inputs)
    if access is not None:
        predicted = predict_candidates(plans, access)
        if request.inputs is not None and actual is None:
            plans, chosen = choose_plan_inputs(plans, predicted.outcomes, request.inputs)
    rankings: list[ProblemRanking] = []
    for number, plan in enumerate(plans):
        ranker = ProblemRanker(
            plan,
            is_correct[number],
            actual[number] if actual is not None else {},
            predicted.outcomes[number] if access is not None else {},
            journal,
            request.seconds,
            request.score,
        )
        rankings += [
            ranker.rank(way, depth)
            for way in request.ways
            for depth in (request.depths if way == "staged" else [0])
        ]
    best, gaps, regrets = measure_rankings(rankings, ks=ks)
    return RankResults(
        tuple(rankings),
        best,
        gaps,
        regrets,
        inputs={plan.problem.id: each for plan, each in zip(plans, chosen, strict=False)},
        skipped_tests=sum(plan.skipped_tests for plan in plans),
        predictions=predicted.predictions,
        without_answer=predicted.without_answer,
        executions=journal.totals,
    )


def _counter(phase: RankPhase, total: int, report: OnProgress) -> Callable[[], None]:
    """A function that reports one more item each time it is called."""
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        report(phase, done, total)

    return advance


def _prediction_counter(
    report: OnProgress,
) -> tuple[Callable[[int, int], None], Callable[[], None]]:
    """Functions for the start of predictions and for each one."""
    done = [0, 0]

    def start(pending: int, total: int) -> None:
        done[:] = total - pending, total

    def advance() -> None:
        done[0] += 1
        report("predicting", done[0], done[1])

    return start, advance
