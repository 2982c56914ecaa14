"""Requests of the playground: JSON in, JSON out, executed in the process of the caller."""

import json
from typing import Any

from worldline.core.errors import WorldlineError
from worldline.core.trace import Limits
from worldline.evaluation.runs import (
    execute_and_diagnose,
    grade_answer,
    is_expected,
    sample_to_json,
)
from worldline.interfaces.viewer import build_sample_document
from worldline.languages.python.recorder.in_process_recorder import InProcessRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import Question, prediction_from_row, program_from_row

# A browser is about twenty times slower than the recorder in C, and shows each step.
PLAYGROUND_LIMITS = Limits(steps=20_000, seconds=8.0, trace_mb=16)
_PLACE = "the playground"


def answer_request(text: str) -> str:
    """Answer a request of the page.

    {"kind": "diagnose", "row": {"code": "…", "call": "f(1)", "output": "…", "codec": "chat"}}
    -> {"document": {…}, "diagnosis": {…}}; or {"error": "…"}
    {"kind": "prompt", "row": {…}} -> {"prompt": ["…"], "is_chat": true}

    Args:
        text: The request as JSON. A row is one of a prediction file.
    """
    request = json.loads(text)
    answer = _prompt if request["kind"] == "prompt" else _diagnose
    try:
        return json.dumps(answer(request["row"]))
    except WorldlineError as error:
        return json.dumps({"error": str(error)})


def _prompt(row: dict[str, Any]) -> dict[str, Any]:
    codec = get_codec(row.get("codec") or "cwm")
    return {
        "prompt": codec.prompt(program_from_row(row, _PLACE)),
        "is_chat": codec.is_chat,
    }


def _diagnose(row: dict[str, Any]) -> dict[str, Any]:
    prediction = prediction_from_row(row, get_codec(row.get("codec") or "cwm"), _PLACE)
    sample = execute_and_diagnose(prediction, InProcessRecorder(), limits=PLAYGROUND_LIMITS)
    question = Question(prediction.id, prediction.program, prediction.expected)
    verdict = grade_answer(prediction, question, sample.diagnosis.facts, is_expected)
    return {
        # A row has no generation record that names its codec.
        "document": build_sample_document(sample, verdict=verdict)
        | {"prompt": "".join(_prompt(row)["prompt"])},
        "diagnosis": sample_to_json(sample),
    }
