"""Rows of a run: from a sample, and back to a prediction or a scored sample."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from worldline.analysis.choices import Possibility
from worldline.analysis.diagnosis import (
    Difficulty,
    Sample,
    difficulty_to_json,
    measure_difficulty,
    tally_operations,
)
from worldline.core.trace import DEFAULT_LANGUAGE
from worldline.core.util.text import common_prefix_length
from worldline.evaluation.runs.diagnose_predictions import sample_to_json
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.evaluation.runs.stored_traces import encode_trace
from worldline.evaluation.runs.verdict import extract_answer, grade_answer
from worldline.evaluation.store import escape_surrogates
from worldline.models.codecs import get_codec
from worldline.models.engines import NO_USAGE
from worldline.models.prediction import (
    Prediction,
    Question,
    prediction_from_row,
    prediction_to_row,
    repeat_id,
)
from worldline.models.tokenizers import Tokenizer

# Fields of a prediction's row that are stored in a different form.
_CONVERTED_FIELDS = (
    "usage",
    "forced_spans",
    "scores",
    "decisions",
    "output",
    "finish_reason",
    "interventions",
)


def sample_to_row(
    question: Question,
    repeat: int,
    sample: Sample,
    is_correct: Callable[[Question, str], bool],
    *,
    tokenizer: Tokenizer | None = None,
) -> dict[str, Any]:
    """Convert a sample to a row with the columns in `COLUMNS`; columns without a value are omitted.

    Args:
        question: The benchmark's question.
        repeat: The number of the repeat, from 0.
        sample: The diagnosed prediction.
        is_correct: The benchmark's rule for correct answers.
        tokenizer: Counts the tokens of the actual trace.
    """
    prediction, facts = sample.prediction, sample.diagnosis.facts
    asked = prediction.generation
    prediction_row = prediction_to_row(prediction)
    diagnosis_row = sample_to_json(sample)
    codec = get_codec(asked.codec) if asked else None
    difficulty = measure_difficulty(sample.actual, codec=codec, tokenizer=tokenizer)
    # Other tools do not record how many tokens were generated: unknown, not 0.
    usage = asdict(asked.usage) if asked and asked.usage != NO_USAGE else {}
    row = {
        **{name: value for name, value in prediction_row.items() if name not in _CONVERTED_FIELDS},
        # A null of the diagnosis does not overwrite a value of the prediction.
        **{name: value for name, value in diagnosis_row.items() if value is not None},
        # As the store returns it, so that a resumed run finds the sample.
        "sample": escape_surrogates(question.id),
        # The benchmark's value; that of the prediction may be replaced by the actual result.
        "expected": question.expected,
        "repeat": repeat,
        "facets": json.dumps(dict(question.facets)),
        "completed_at": time.time(),
        "output": prediction.text,
        "finish": prediction.finish,
        **{f"usage_{name}": value for name, value in usage.items()},
        "forced_spans": [end for span in asked.forced_spans for end in span] if asked else None,
        "scores": json.dumps([asdict(s) for s in asked.scores]) if asked and asked.scores else None,
        "decisions": json.dumps([asdict(each) for each in asked.decisions])
        if asked and asked.decisions
        else None,
        "executed_steps": sum(each.is_executed for each in asked.decisions)
        if asked and asked.mode == "on-demand"
        else None,
        "interventions": json.dumps(dict(prediction.interventions))
        if prediction.interventions
        else None,
        "external_answer": prediction.external_answer,
        "answer": extract_answer(prediction),
        "verdict": grade_answer(prediction, question, facts, is_correct),
        "equality_rules": json.dumps(diagnosis_row["equality_rules"]),
        "limits": json.dumps(diagnosis_row["limits"]),
        "operation_steps": json.dumps(tally_operations([sample])),
        **_possibility_columns(sample.possibility),
        **_difficulty_columns(difficulty),
        "trace": encode_trace(sample),
    }
    del row["id"]
    if not prediction.decoded.shows_steps or (asked and asked.mode == "on-demand"):
        # No steps were predicted, or executed ones would count as predicted right.
        row["matched_steps"] = None
    return {name: value for name, value in row.items() if value is not None}


def _possibility_columns(possibility: Possibility | None) -> dict[str, Any]:
    if possibility is None:
        return {}
    return {
        "possibility": possibility.outcome,
        "possibility_reason": possibility.reason or None,
    }


def _difficulty_columns(difficulty: Difficulty) -> dict[str, Any]:
    columns = {f"program_{name}": value for name, value in difficulty_to_json(difficulty).items()}
    return columns | {"program_kinds": list(difficulty.kinds)}


def row_to_prediction(row: dict[str, Any], location: str) -> Prediction:
    """Convert a row back to its prediction.

    Args:
        row: A row of a run.
        location: Where the row is stored, for error messages.
    """
    values = {name: value for name, value in row.items() if value is not None}
    span_ends = values.get("forced_spans") or []
    prediction_row = values | {
        "id": repeat_id(values["sample"], values["repeat"]),
        "output": values.get("output", ""),
        "forced_spans": list(zip(span_ends[::2], span_ends[1::2], strict=True)),
        "scores": json.loads(values.get("scores", "[]")),
        "decisions": json.loads(values.get("decisions", "[]")),
        "interventions": json.loads(values.get("interventions", "{}")),
        "usage": {
            name.removeprefix("usage_"): value
            for name, value in values.items()
            if name.startswith("usage_")
        },
    }
    if values["finish"] in ("stop", "truncated"):
        prediction_row["finish_reason"] = values["finish"]
    if "external_answer" in values:
        prediction_row["predicted"] = values["external_answer"]
    codec = get_codec(values.get("codec", "cwm"))
    return prediction_from_row(prediction_row, codec, location)


# Characters that a scored sample keeps of a value that differs.
_EXCERPT_CHARS = 120
# The columns that `columns_to_scored_samples` reads, in its order.
SCORED_SAMPLE_COLUMNS = (
    "sample", "repeat", "program", "verdict", "outcome", "differs_in", "kind", "variable",
    "actual_value", "predicted_value", "cause", "confirmed_by", "refuted_by", "action_error",
    "executed_line", "step", "matched_steps", "actual_steps", "usage_completion", "is_truncated",
    "reconverged", "is_result_correct", "is_reference_correct", "error", "language", "facets",
    "program_steps", "program_iterations",
    "program_call_depth", "program_longest_string", "program_kinds", "program_nesting",
    "program_hidden_values", "program_tokens",
)  # fmt: skip
# Those that are one field each; the rest are measures of difficulty.
_SINGLE_COLUMNS = SCORED_SAMPLE_COLUMNS[: SCORED_SAMPLE_COLUMNS.index("facets") + 1]


def row_to_scored_sample(row: dict[str, Any]) -> ScoredSample:
    """Convert a row to a scored sample."""
    columns = {name: [row.get(name)] for name in SCORED_SAMPLE_COLUMNS}
    kinds = row.get("program_kinds")
    columns["program_kinds"] = [None if kinds is None else " ".join(kinds)]
    return columns_to_scored_samples(columns)[0]


def columns_to_scored_samples(columns: Mapping[str, Sequence[Any]]) -> list[ScoredSample]:
    """Convert the columns in `SCORED_SAMPLE_COLUMNS` to scored samples.

    Args:
        columns: The values of each column; in `program_kinds`, the kinds joined by blanks. An
            absent column has no values.
    """
    count = len(columns["sample"])
    empty = [None] * count
    difficulties = _difficulties(columns, count)
    facets_by_text: dict[str | None, dict[str, str | int]] = {}
    samples = []
    for (
        sample, repeat, program, verdict, outcome, differs_in, kind, variable, actual_value,
        predicted_value, cause, confirmed_by, refuted_by, action_error, executed_line, step,
        matched_steps, actual_steps, completion_tokens, is_truncated, reconverged,
        is_result_correct, is_reference_correct, error, language, facets, difficulty,
    ) in zip(
        *(columns.get(name, empty) for name in _SINGLE_COLUMNS), difficulties, strict=True
    ):  # fmt: skip
        # Few texts are different: each is decoded once.
        if facets not in facets_by_text:
            facets_by_text[facets] = json.loads(facets or "{}")
        actual_excerpt, predicted_excerpt = _excerpts(actual_value, predicted_value)
        samples.append(
            ScoredSample(
                sample=sample,
                repeat=repeat,
                verdict=verdict,
                outcome=outcome,
                program=program,
                differs_in=differs_in,
                kind=kind,
                variable=variable,
                actual_value=actual_excerpt,
                predicted_value=predicted_excerpt,
                cause=cause,
                confirmed_by=confirmed_by,
                refuted_by=refuted_by,
                action_error=action_error,
                executed_line=executed_line,
                step=step,
                matched_steps=matched_steps,
                actual_steps=actual_steps,
                completion_tokens=completion_tokens,
                is_truncated=bool(is_truncated),
                has_reconverged=bool(reconverged),
                is_result_correct=is_result_correct,
                is_reference_correct=is_reference_correct,
                error=error,
                facets=facets_by_text[facets],
                difficulty=difficulty,
                language=language or DEFAULT_LANGUAGE,
            )
        )
    return samples


def _difficulties(
    columns: Mapping[str, Sequence[Any]], count: int
) -> Iterable[dict[str, str | int]]:
    """The measures of difficulty of each sample, without the unknown ones."""
    measures = {
        name.removeprefix("program_"): columns[name]
        for name in SCORED_SAMPLE_COLUMNS
        if name.startswith("program_") and name in columns
    }
    if not measures:
        return [{} for _ in range(count)]
    return (
        {name: value for name, value in zip(measures, values, strict=True) if value is not None}
        for values in zip(*measures.values(), strict=True)
    )


def _excerpts(actual: str | None, predicted: str | None) -> tuple[str | None, str | None]:
    """Both values, shortened around the first character that differs."""
    if len(actual or "") <= _EXCERPT_CHARS and len(predicted or "") <= _EXCERPT_CHARS:
        return actual, predicted
    around = common_prefix_length(actual or "", predicted or "")

    def excerpt(value: str | None) -> str | None:
        if value is None or len(value) <= _EXCERPT_CHARS:
            return value
        start = max(0, min(around - _EXCERPT_CHARS // 3, len(value) - _EXCERPT_CHARS))
        end = start + _EXCERPT_CHARS
        return "…" * (start > 0) + value[start:end] + "…" * (end < len(value))

    return excerpt(actual), excerpt(predicted)
