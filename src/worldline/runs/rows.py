"""A judged sample goes in, and a row of a run comes out; the prediction is read back from it."""

import json
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from worldline.codecs import codec_named
from worldline.diagnose import Difficulty, Sample, difficulty, difficulty_to_json
from worldline.predict import (
    Prediction,
    Question,
    prediction_from_row,
    prediction_to_row,
    repeat_id,
)
from worldline.runs.judged import Judged
from worldline.runs.replay import sample_to_json
from worldline.runs.verdict import answer_of, judge
from worldline.store import as_stored
from worldline.tokens import Tokenizer

# What the diagnosis calls by a word of SQL.
_RENAMED = {"where": "differs_in", "true": "true_value", "predicted": "predicted_value"}
# What a prediction's row has in a form of its own.
_SHAPED = ("usage", "given", "scores", "output", "finish_reason")


def sample_to_row(
    question: Question,
    repeat: int,
    sample: Sample,
    is_right: Callable[[Question, str], bool],
    *,
    tokenizer: Tokenizer | None = None,
) -> dict[str, Any]:
    """Everything about one sample, by the names in `COLUMNS`."""
    prediction, facts = sample.prediction, sample.diagnosis.facts
    asked = prediction.asked
    told = prediction_to_row(prediction)
    found = sample_to_json(sample)
    codec = codec_named(asked.codec) if asked else None
    measured = difficulty(sample.truth, codec=codec, tokenizer=tokenizer)
    usage = asdict(asked.usage) if asked else {}
    row = {
        **{name: value for name, value in told.items() if name not in _SHAPED},
        # What the diagnosis does not know of itself, it leaves as it was asked.
        **{_RENAMED.get(name, name): v for name, v in found.items() if v is not None},
        # As it is read back, or it would be asked about again.
        "sample": as_stored(question.id),
        # As the benchmark has it; the sample's may have been settled by the real result.
        "expected": question.expected,
        "repeat": repeat,
        "facets": json.dumps(dict(question.facets)),
        "asked_at": time.time(),
        "text": prediction.text,
        "finish": prediction.finish,
        **{f"usage_{name}": value for name, value in usage.items()},
        "given": [place for pair in asked.given for place in pair] if asked else None,
        "scores": json.dumps([asdict(s) for s in asked.scores]) if asked and asked.scores else None,
        "taken_answer": prediction.taken_answer,
        "answer": answer_of(prediction),
        "verdict": judge(prediction, question, facts, is_right),
        "equality_rules": json.dumps(found["equality_rules"]),
        "limits": json.dumps(found["limits"]),
        **_difficulty_columns(measured),
    }
    del row["id"]
    if not prediction.decoded.shows_steps:
        # Only the result was asked for: no step was right or wrong.
        row["matched_steps"] = None
    return {name: value for name, value in row.items() if value is not None}


def _difficulty_columns(measured: Difficulty) -> dict[str, Any]:
    found = {f"program_{name}": value for name, value in difficulty_to_json(measured).items()}
    return found | {"program_kinds": list(measured.kinds)}


def row_to_prediction(row: dict[str, Any], place: str) -> Prediction:
    """The prediction that a row was made of."""
    told = {name: value for name, value in row.items() if value is not None}
    given = told.get("given") or []
    finish = told["finish"]
    prediction_row = told | {
        "id": repeat_id(told["sample"], told["repeat"]),
        "output": told.get("text", ""),
        "given": list(zip(given[::2], given[1::2], strict=True)),
        "scores": json.loads(told.get("scores", "[]")),
        "usage": {
            name.removeprefix("usage_"): value
            for name, value in told.items()
            if name.startswith("usage_")
        },
    }
    if finish in ("stop", "length"):
        prediction_row["finish_reason"] = finish
    if "taken_answer" in told:
        prediction_row["predicted"] = told["taken_answer"]
    codec = codec_named(told.get("codec", "cwm"))
    return prediction_from_row(prediction_row, codec, place)


# What `row_to_judged` reads.
JUDGED_COLUMNS = (
    "sample", "repeat", "program", "verdict", "outcome", "differs_in", "kind", "cause", "action",
    "step", "matched_steps", "true_steps", "usage_written", "is_cut", "found_back",
    "is_result_right", "is_reference_right", "error", "facets",
    "program_steps", "program_iterations",
    "program_call_depth", "program_longest_string", "program_kinds", "program_nesting",
    "program_hidden", "program_tokens",
)  # fmt: skip


def row_to_judged(row: dict[str, Any]) -> Judged:
    """What is counted and compared of a row."""
    difficulty: dict[str, str | int] = {}
    for name in JUDGED_COLUMNS:
        value = row.get(name)
        if name.startswith("program_") and value is not None:
            word = name.removeprefix("program_")
            difficulty[word] = " ".join(value) if isinstance(value, list) else value
    return Judged(
        sample=row["sample"],
        repeat=row["repeat"],
        verdict=row["verdict"],
        outcome=row["outcome"],
        program=row["program"],
        differs_in=row.get("differs_in"),
        kind=row.get("kind"),
        cause=row.get("cause"),
        action=row.get("action"),
        step=row.get("step"),
        matched_steps=row.get("matched_steps"),
        true_steps=row.get("true_steps"),
        written_tokens=row.get("usage_written"),
        is_cut=bool(row.get("is_cut")),
        has_found_back=bool(row.get("found_back")),
        is_result_right=row.get("is_result_right"),
        is_reference_right=row.get("is_reference_right"),
        error=row.get("error"),
        facets=json.loads(row.get("facets") or "{}"),
        difficulty=difficulty,
    )
