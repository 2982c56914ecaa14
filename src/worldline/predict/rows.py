"""Predictions that we asked for as rows of JSON, and how they were asked read back from them."""

from dataclasses import asdict, fields
from importlib.metadata import version
from typing import Any, get_args

from worldline.engines import Usage
from worldline.errors import InputError
from worldline.predict.prediction import Asked, Mode, Prediction
from worldline.predict.score import StepScore


def prediction_to_row(prediction: Prediction) -> dict[str, Any]:
    """A prediction as one JSON object: what `read_recorded` reads, and how it was asked for."""
    program = prediction.program
    code = {"code": program.source} if program.context is None else {"context": program.context}
    row: dict[str, Any] = {
        "id": prediction.id,
        **code,
        "call": program.call,
        "stdin": program.stdin or None,
        "expected": prediction.expected,
        "model": prediction.model,
        "output": prediction.text,
        "finish_reason": prediction.finish if prediction.finish in ("stop", "length") else None,
        "error": prediction.error,
        "program": program.hash,
        "worldline": version("worldline"),
    }
    if prediction.asked is not None:
        row |= _asked_to_json(prediction.asked)
    return {name: value for name, value in row.items() if value is not None}


def _asked_to_json(asked: Asked) -> dict[str, Any]:
    # Not `asdict`, which would copy every token id by itself.
    found = {field.name: getattr(asked, field.name) for field in fields(asked)}
    return found | {
        "seconds": round(asked.seconds, 3),
        "prompt_ids": asked.prompt_ids or None,
        "ids": asked.ids or None,
        "given": asked.given or None,
        "scores": [asdict(score) for score in asked.scores] or None,
        "usage": asdict(asked.usage),
    }


def asked_from_row(row: dict[str, Any], place: str) -> Asked | None:
    """How a row says that a model was asked; none where it does not."""
    mode: Mode | None = next((mode for mode in get_args(Mode) if mode == row.get("mode")), None)
    if mode is None:
        if "mode" in row:
            raise InputError(
                f"{place}: 'mode' must be one of {', '.join(get_args(Mode))}, found {row['mode']!r}"
            )
        return None
    try:
        return Asked(
            mode=mode,
            codec=str(row["codec"]),
            budget=int(row["budget"]),
            temperature=float(row.get("temperature", 0.0)),
            seed=row.get("seed"),
            repeat=int(row.get("repeat", 0)),
            from_step=int(row.get("from_step", 0)),
            longest_value=row.get("longest_value"),
            prompt_tokens=row.get("prompt_tokens"),
            prompt_ids=tuple(row.get("prompt_ids", ())),
            ids=tuple(row.get("ids", ())),
            given=tuple((start, end) for start, end in row.get("given", ())),
            scores=tuple(StepScore(**score) for score in row.get("scores", ())),
            usage=Usage(**row.get("usage", {})),
            seconds=float(row.get("seconds", 0.0)),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{place}: how the model was asked cannot be read: {error!r}") from error
