"""Writer of predictions as rows of JSON, which `prediction_reader` reads."""

from dataclasses import asdict, fields
from importlib.metadata import version
from typing import Any

from worldline.models.prediction.prediction import GenerationRecord, Prediction


def prediction_to_row(prediction: Prediction) -> dict[str, Any]:
    """Convert a prediction to one JSON object, with the settings and costs of its generation."""
    program = prediction.program
    # A program without a call is an exact text, which contains the call.
    code = {"context": program.text} if program.call is None else {"code": program.source}
    _, call = program.split_entry() or ("", None)
    row: dict[str, Any] = {
        "id": prediction.id,
        **code,
        "call": call,
        "stdin": program.stdin or None,
        "language": program.language,
        "expected": prediction.expected,
        "model": prediction.model,
        "output": prediction.text,
        "finish_reason": prediction.finish if prediction.finish in ("stop", "truncated") else None,
        "error": prediction.error,
        "program": program.hash,
        "worldline": version("worldline"),
        "interventions": dict(prediction.interventions) or None,
    }
    if prediction.generation is not None:
        row |= _generation_fields(prediction.generation)
    return {name: value for name, value in row.items() if value is not None}


def _generation_fields(record: GenerationRecord) -> dict[str, Any]:
    # `asdict` would copy every token id.
    row = {field.name: getattr(record, field.name) for field in fields(record)}
    return row | {
        "seconds": round(record.seconds, 3),
        "prompt_ids": record.prompt_ids or None,
        "completion_ids": record.completion_ids or None,
        "forced_spans": record.forced_spans or None,
        "scores": [asdict(score) for score in record.scores] or None,
        "usage": asdict(record.usage),
        "reasoning": record.reasoning or None,
        "logprobs": [round(value, 5) for value in record.logprobs] or None,
        "decisions": [asdict(decision) for decision in record.decisions] or None,
    }
