"""Results of a run as trust cases: one per question, with signals and the verdict."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.analysis.trust import Trust, TrustCase, TrustModel, answer_key, trust_signals
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.runs.run_reader import read_run
from worldline.evaluation.runs.sample_rows import row_to_prediction
from worldline.evaluation.runs.verdict import extract_answer
from worldline.models.prediction import Prediction

# What is known before the program is executed; the signals are computed from these columns alone.
PREDICTION_COLUMNS = (
    "code", "context", "call", "stdin", "language", "model", "mode", "codec", "max_tokens",
    "temperature", "seed", "from_step", "max_value_chars", "output", "finish", "error",
    "forced_spans", "external_answer", "logprobs",
)  # fmt: skip
# Modes in which the model is given parts of the actual execution.
_INFORMED_MODES = frozenset({"force-actions", "force-state", "score", "on-demand"})


@dataclass(frozen=True, slots=True)
class RunCases:
    """The results of a run, and how many questions have none.

    Attributes:
        cases: One result for each question with an answer: its most frequent one.
        without_answer: The number of questions without any answer.
    """

    cases: tuple[TrustCase, ...]
    without_answer: int


def read_trust_cases(address: str | Path) -> RunCases:
    """Read the results of a run with their signals.

    Infrastructure errors are left out.

    Raises:
        InputError: The run was made in a mode that shows the model parts of the actual execution.
    """
    return rows_to_trust_cases(read_run(address, columns=(*PREDICTION_COLUMNS, "verdict")))


def rows_to_trust_cases(rows: Iterable[dict[str, Any]]) -> RunCases:
    """Turn rows of a run into trust cases; only the verdict tells what is correct.

    Raises:
        InputError: A row was made in a mode that shows the model parts of the actual execution.
    """
    by_question: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        if row.get("mode") in _INFORMED_MODES or row.get("from_step"):
            raise InputError(
                f"{row['sample']}: predictions of the mode {row.get('mode')} contain parts of the "
                "actual execution; trust needs predictions of the mode free or guided"
            )
        if row["finish"] != "infra_error":
            by_question[row["sample"]].append(row)
    cases = []
    for sample, repeats in by_question.items():
        repeats.sort(key=lambda row: int(row["repeat"]))
        predictions = [
            row_to_prediction(
                {name: row.get(name) for name in (*PREDICTION_COLUMNS, "sample", "repeat")}, sample
            )
            for row in repeats
        ]
        answers = [extract_answer(prediction) for prediction in predictions]
        number = _most_frequent(answers)
        if number is not None:
            answer, program = answers[number] or "", predictions[number].program
            cases.append(
                TrustCase(
                    sample=sample,
                    program=program_key(program),
                    answer=answer,
                    signals=trust_signals(
                        program,
                        answer,
                        decoded=predictions[number].decoded,
                        answers=answers,
                        logprobs=_logprobs(predictions[number]),
                    ),
                    is_correct=repeats[number]["verdict"] == "correct",
                )
            )
    return RunCases(tuple(cases), len(by_question) - len(cases))


def assess_predictions(predictions: Sequence[Prediction], model: TrustModel) -> Trust | None:
    """Assess the most frequent answer of one question's predictions.

    Args:
        predictions: One prediction, or several samples of the same question.
        model: The trust model.

    Returns:
        The probability that the answer is correct, with reasons; None if there is no answer.

    Raises:
        InputError: The model needs signals that these predictions do not have.
    """
    answers = [extract_answer(prediction) for prediction in predictions]
    number = _most_frequent(answers)
    if number is None:
        return None
    chosen = predictions[number]
    signals = trust_signals(
        chosen.program,
        answers[number] or "",
        decoded=chosen.decoded,
        answers=answers,
        logprobs=_logprobs(chosen),
    )
    return model.assess(signals)


def _logprobs(prediction: Prediction) -> tuple[float, ...]:
    return () if prediction.generation is None else prediction.generation.logprobs


def _most_frequent(answers: Sequence[str | None]) -> int | None:
    """The number of the first sample with the most frequent answer."""
    keys = [None if answer is None else answer_key(answer) for answer in answers]
    counts = Counter(key for key in keys if key is not None)
    return keys.index(counts.most_common(1)[0][0]) if counts else None


def program_key(program: Program) -> str:
    """A hash of the source without its call: calls with other arguments are the same program."""
    parts = program.split_entry()
    source = program.text if parts is None else parts[0]
    return hashlib.sha256(source.strip().encode("utf-8", "surrogatepass")).hexdigest()[:16]
