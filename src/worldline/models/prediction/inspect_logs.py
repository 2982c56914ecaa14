"""Predictions in the logs of Inspect (`.eval`, `.json`), read through Inspect's own Python API.

The metadata of a sample names its program: `code` and `call`, or `code` and `input` as in CRUXEval,
or `context`. It may name the codec of the output; `chat` is the default.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError, WorldlineError
from worldline.core.util.optional_imports import optional_import
from worldline.models.engines import Usage
from worldline.models.prediction.jsonl_rows import optional_text
from worldline.models.prediction.prediction import Finish, GenerationRecord, Prediction
from worldline.models.prediction.question import Question
from worldline.models.prediction.question_reader import question_from_row
from worldline.models.prediction.recorded_answers import make_recorded_answer

_FINISHES: dict[str, Finish] = {
    "stop": "stop",
    "max_tokens": "truncated",
    "model_length": "truncated",
}
# A log in JSON begins with its version and status.
_HEADER_CHARACTERS = 400


def is_inspect_log(path: Path) -> bool:
    """Whether a file is a log of Inspect: `.eval`, or `.json` with the header of a log."""
    if path.suffix != ".json":
        return path.suffix == ".eval"
    try:
        with path.open(encoding="utf-8") as file:
            header = file.read(_HEADER_CHARACTERS)
    except (OSError, UnicodeDecodeError):
        return False
    return all(f'"{name}"' in header for name in ("version", "status", "eval"))


def read_inspect_log(
    path: Path | str, *, on_invalid: Callable[[WorldlineError], None] | None = None
) -> Iterator[Prediction]:
    """Read the samples of an Inspect log as predictions; epochs become repeats.

    A sample that ended with an error is an infrastructure error.

    Args:
        path: a log file.
        on_invalid: called for every sample without a program, which is then skipped.

    Raises:
        InputError: Inspect is not installed, the log cannot be read, or a sample has no program.
    """
    log = _read_log(Path(path))
    for sample in log.samples or ():
        place = f"sample {sample.id} of {path}"
        try:
            yield _prediction(sample, log, place)
        except WorldlineError as error:
            if on_invalid is None:
                raise
            on_invalid(error)


def _read_log(path: Path) -> Any:
    with optional_import(
        "logs of Inspect are read with inspect_ai; install it with", extra="inspect"
    ):
        from inspect_ai.log import read_eval_log
    try:
        return read_eval_log(str(path), resolve_attachments=True)
    # The library raises errors of many types for files that are not logs.
    except Exception as error:
        raise InputError(f"cannot read {path} as a log of Inspect: {error!r:.200}") from error


def _prediction(sample: Any, log: Any, place: str) -> Prediction:
    question = _question(sample, place)
    codec = optional_text(sample.metadata, "codec", place) or "chat"
    generation = _generation(sample, log, codec)
    prediction = make_recorded_answer(
        question,
        sample.output.completion,
        generation,
        finish=output_finish(sample.output),
        model=log.eval.model,
    )
    if sample.error is not None:
        return replace(prediction, finish="infra_error", error=sample.error.message)
    return prediction


def output_finish(output: Any) -> Finish:
    """How a `ModelOutput` of Inspect ended: `stop_reason` "max_tokens" -> "truncated"."""
    choices = output.choices
    return _FINISHES.get(choices[0].stop_reason, "unknown") if choices else "unknown"


def _question(sample: Any, place: str) -> Question:
    metadata = dict(sample.metadata)
    has_program = "context" in metadata or (
        "code" in metadata and {"call", "input"} & set(metadata)
    )
    if not has_program:
        raise InputError(
            f"{place}: the sample's metadata names no program; it must have 'code' with 'call' or "
            "'input', or 'context', as the task worldline/cruxeval_trace writes them"
        )
    target = sample.target if isinstance(sample.target, str) else "".join(sample.target[:1])
    expected = "output" if "input" in metadata and "call" not in metadata else "expected"
    return question_from_row({expected: target or None, **metadata, "id": str(sample.id)}, place)


def _generation(sample: Any, log: Any, codec: str) -> GenerationRecord:
    config = log.eval.model_generate_config.merge(log.plan.config)
    usage = sample.output.usage
    cached = (usage.input_tokens_cache_read or 0) if usage else 0
    written = (usage.input_tokens_cache_write or 0) if usage else 0
    return GenerationRecord(
        mode="free",
        codec=codec,
        max_tokens=config.max_tokens or 0,
        temperature=config.temperature or 0.0,
        seed=config.seed,
        repeat=sample.epoch - 1,
        prompt_tokens=usage.input_tokens + cached + written if usage else None,
        usage=Usage(
            prompt=usage.input_tokens + cached + written,
            cached=cached,
            completion=usage.output_tokens,
            requests=1,
        )
        if usage
        else Usage(),
        seconds=sample.output.time or 0.0,
    )
