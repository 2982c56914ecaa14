"""Predictions in the sample files of lm-eval (`--log_samples`, `samples_<task>_<date>.jsonl`).

A row has the document (`doc`), the request (`arguments`), the responses of all repeats (`resps`)
and what the task's filter made of them (`filtered_resps`). A document with `code` and `input`, as
in `cruxeval_output`, or `code` and `call`, is a question; each response is a prediction.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.models.prediction.prediction import GenerationRecord, Prediction
from worldline.models.prediction.question import Question
from worldline.models.prediction.question_reader import question_from_row
from worldline.models.prediction.recorded_answers import make_recorded_answer

_FIELDS = frozenset({"doc", "resps", "arguments"})
# "assert f(??) == 17": the task asks for the input, not for the result.
_ASKED_INPUT = re.compile(r"\(\s*\?\?\s*\)")


def is_lm_eval_row(row: dict[str, Any]) -> bool:
    """Whether a row of JSON Lines is one that lm-eval wrote."""
    return row.keys() >= _FIELDS


def is_other_filter(row: dict[str, Any], first_filters: dict[str, str]) -> bool:
    """Whether a row repeats a document under another filter of the task.

    lm-eval writes a document once for each filter, with the same responses.

    Args:
        row: a row of lm-eval.
        first_filters: the filter under which each document was read first; this document is added.
    """
    name = str(row.get("filter", ""))
    return first_filters.setdefault(str(row.get("doc_id")), name) != name


def predictions_from_lm_eval_row(
    row: dict[str, Any], place: str, *, model: str = ""
) -> Iterator[Prediction]:
    """Parse one row: a prediction for each response, named as repeats of the question.

    The answer is the text between [ANSWER] and [/ANSWER]. Without both markers, it is the bare
    answer of the response, or else of the filtered response. A response without any is a
    prediction without an answer.

    Raises:
        InputError: the document is not a question about the result of a program.
    """
    question = _question(row, place)
    responses, filtered = _responses(row, place)
    settings = _settings(row)
    for repeat, text in enumerate(responses):
        has_filtered = repeat < len(filtered) and isinstance(filtered[repeat], str)
        yield make_recorded_answer(
            question,
            text,
            GenerationRecord(
                mode="free",
                codec="chat",
                max_tokens=int(_number(settings, "max_gen_toks", "max_tokens", "max_new_tokens")),
                temperature=float(_number(settings, "temperature")),
                repeat=repeat,
            ),
            model=model,
            other_text=filtered[repeat] if has_filtered else "",
        )


def find_lm_eval_model(path: Path) -> str:
    """The name of the model: from the results file that lm-eval wrote with a sample file, if any.

    "samples_cruxeval_output_2026-11-01T10-00-00.1.jsonl" -> `model_name` of
    "results_2026-11-01T10-00-00.1.json"
    """
    date = path.name.partition(".jsonl")[0].rpartition("_")[2]
    try:
        results = json.loads(path.with_name(f"results_{date}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return ""
    name = results.get("model_name") if isinstance(results, dict) else None
    return name if isinstance(name, str) else ""


def _question(row: dict[str, Any], place: str) -> Question:
    doc = row["doc"]
    if not isinstance(doc, dict) or "code" not in doc or not {"input", "call"} & doc.keys():
        raise InputError(
            f"{place}: the document of this lm-eval task has no 'code' with 'input' or 'call'; "
            "only tasks that ask what a program returns can be diagnosed, as cruxeval_output does"
        )
    if _ASKED_INPUT.search(_last_question(row)):
        raise InputError(
            f"{place}: this lm-eval task asks for the input of a program, not for its result; "
            "evaluate cruxeval_output or cruxeval_output_cot instead"
        )
    name, call = doc.get("function_name"), doc.get("input")
    if isinstance(name, str) and isinstance(call, str) and call.startswith(f"{name}("):
        # LiveCodeBench: `input` is the whole call.
        doc = {"expected": doc.get("output"), **doc, "call": call}
    id = doc.get("id", doc.get("task_id"))
    doc = {**doc, "id": f"doc_{row.get('doc_id', 0)}" if id is None else str(id)}
    return question_from_row(doc, place)


def _last_question(row: dict[str, Any]) -> str:
    """The prompt's text from its last line with `??` on."""
    prompt = json.dumps(_request(row).get("arg_0", ""), ensure_ascii=False)
    end = prompt.rfind("??")
    return prompt[max(0, end - 20) : end + 20] if end >= 0 else ""


def _request(row: dict[str, Any]) -> dict[str, Any]:
    arguments = row["arguments"]
    request = arguments.get("gen_args_0") if isinstance(arguments, dict) else None
    return request if isinstance(request, dict) else {}


def _settings(row: dict[str, Any]) -> dict[str, Any]:
    settings = _request(row).get("arg_1")
    return settings if isinstance(settings, dict) else {}


def _number(settings: dict[str, Any], *names: str) -> int | float:
    """The first of some settings that is a number; 0 if none was recorded."""
    values = (settings.get(name) for name in names)
    return next((value for value in values if isinstance(value, int | float)), 0)


def _responses(row: dict[str, Any], place: str) -> tuple[list[str], list[Any]]:
    """The responses of all repeats, and the filtered ones."""
    resps = row["resps"]
    is_generated = (
        isinstance(resps, list)
        and len(resps) == 1
        and isinstance(resps[0], list)
        and all(isinstance(text, str) for text in resps[0])
    )
    if not is_generated:
        raise InputError(
            f"{place}: 'resps' must be one list of texts; tasks that compare log-likelihoods "
            "(multiple_choice) generate no text to diagnose"
        )
    filtered = row.get("filtered_resps")
    first = filtered[0] if isinstance(filtered, list) and filtered else []
    return resps[0], first if isinstance(first, list) else [first]
