"""Parser of the rows of prediction files: JSON Lines, one model output per row.

A row needs `id`, `output` (the model's text) and the program: `context` (the exact text that the
model saw), or `code` and `call`. It may have `expected`, `predicted` (an answer that a script
extracted from the output), `truncated` or `finish_reason`, `model`, `stdin` (standard input of the
program), `language` (default `python`), and `error` in place of an output. All but `truncated` are
strings; values are as `repr` writes them. A row that `worldline predict` wrote also has the fields
of a `GenerationRecord`. `interventions` says which interventions by other tools made the sample
correct: `{"expressions": false}`. The published failures of CWM-32B say it in their own fields:
`rewritten`, a program with one operation per line, and `recovered`, the rewrites that succeeded.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from worldline.core.errors import InputError, ProgramError
from worldline.core.language import LANGUAGES
from worldline.core.trace import DEFAULT_LANGUAGE, Program
from worldline.models.codecs import Codec
from worldline.models.engines import Usage
from worldline.models.prediction.jsonl_rows import optional_text, required_text
from worldline.models.prediction.old_field_names import upgrade_prediction_row
from worldline.models.prediction.on_demand import RowDecision
from worldline.models.prediction.prediction import (
    Finish,
    GenerationRecord,
    Mode,
    Prediction,
    make_prediction,
)
from worldline.models.prediction.score_mode import StepScore


def prediction_from_row(row: dict[str, Any], codec: Codec, place: str) -> Prediction:
    """Parse one row of a prediction file.

    Args:
        row: the row.
        codec: codec of the row's output.
        place: position of the row, for error messages.

    Raises:
        InputError: the row is not a prediction.
    """
    program = program_from_row(row, place)
    error = optional_text(row, "error", place) or None
    output = "" if error is not None else required_text(row, "output", place)
    predicted = optional_text(row, "predicted", place)
    prediction = make_prediction(
        required_text(row, "id", place),
        program,
        output,
        codec,
        finish=_finish(row, place) if error is None else "infra_error",
        model=optional_text(row, "model", place) or "",
        expected=optional_text(row, "expected", place),
        # The script wrote None if a truncated output had no answer.
        external_answer=None if predicted == "None" and row.get("truncated") else predicted,
        error=error,
        generation=_generation_from_row(row, place),
    )
    interventions = _interventions(row, place)
    return replace(prediction, interventions=interventions) if interventions else prediction


def _interventions(row: dict[str, Any], place: str) -> Mapping[str, bool]:
    """The interventions by other tools, and whether each made the sample correct."""
    stated = row.get("interventions", {})
    if not isinstance(stated, dict) or not all(isinstance(each, bool) for each in stated.values()):
        raise InputError(
            f"{place}: 'interventions' must be an object of names and true or false, found "
            f"{stated!r}"
        )
    recovered, rewritten = row.get("recovered"), row.get("rewritten")
    if not isinstance(recovered, list):
        return stated
    results = {}
    if isinstance(rewritten, str) and rewritten != row.get("code"):
        results["expressions"] = any(str(name).startswith("expr") for name in recovered)
    # It is not recorded for which samples strings were rewritten without success.
    if any(str(name).startswith("string") for name in recovered):
        results["strings"] = True
    return {**results, **stated}


def program_from_row(row: dict[str, Any], place: str) -> Program:
    """The program of a row: `context`, or `code` and `call`; `stdin` and `language`."""
    stdin = optional_text(row, "stdin", place) or ""
    try:
        stdin.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise InputError(
            f"{place}: 'stdin' holds half of a surrogate pair (such as \\ud800), which is not a "
            "character; remove it"
        ) from None
    language = optional_text(row, "language", place) or DEFAULT_LANGUAGE
    if "context" in row:
        # The text contains the call; the field `call` is only for human readers.
        optional_text(row, "call", place)
        text = required_text(row, "context", place)
        program = Program.from_text(text, stdin=stdin, language=language)
    else:
        code, call = required_text(row, "code", place), required_text(row, "call", place)
        program = Program(code, call, stdin, language)
    if language in LANGUAGES:
        _check_entry(program, place)
    return program


def _check_entry(program: Program, place: str) -> None:
    """Check that a program has a valid call or a marked entry point."""
    if program.call is not None:
        try:
            program.syntax.check_call(program.call)
        except ProgramError as error:
            raise InputError(f"{place}: {error}") from None
    if program.entry is None:
        raise InputError(
            f"{place}: the program has no entry point; give `call`, or mark one in `context` "
            f"with a comment at the end of its first line: {program.syntax.START_MARK}"
        )


def _finish(row: dict[str, Any], place: str) -> Finish:
    reason = optional_text(row, "finish_reason", place)
    truncated = row.get("truncated", False)
    if not isinstance(truncated, bool):
        raise InputError(f"{place}: 'truncated' must be true or false, found {truncated!r}")
    if reason is None:
        return "truncated" if truncated else "unknown"
    if reason not in ("stop", "truncated", "length"):
        raise InputError(
            f"{place}: 'finish_reason' must be stop, truncated or length, found {reason!r}"
        )
    return "stop" if reason == "stop" else "truncated"


def _generation_from_row(row: dict[str, Any], place: str) -> GenerationRecord | None:
    """Settings and costs of the generation; None if the row has no field `mode`."""
    mode: Mode | None = next((mode for mode in get_args(Mode) if mode == row.get("mode")), None)
    if mode is None:
        if "mode" in row:
            raise InputError(
                f"{place}: 'mode' must be one of {', '.join(get_args(Mode))}, found {row['mode']!r}"
            )
        return None
    row = upgrade_prediction_row(row)
    try:
        return GenerationRecord(
            mode=mode,
            codec=str(row["codec"]),
            max_tokens=int(row["max_tokens"]),
            temperature=float(row.get("temperature", 0.0)),
            seed=row.get("seed"),
            repeat=int(row.get("repeat", 0)),
            from_step=int(row.get("from_step", 0)),
            max_value_chars=row.get("max_value_chars"),
            prompt_tokens=row.get("prompt_tokens"),
            prompt_ids=tuple(row.get("prompt_ids", ())),
            completion_ids=tuple(row.get("completion_ids", ())),
            forced_spans=tuple((start, end) for start, end in row.get("forced_spans", ())),
            scores=tuple(StepScore(**score) for score in row.get("scores", ())),
            usage=Usage(**row.get("usage", {})),
            seconds=float(row.get("seconds", 0.0)),
            reasoning=str(row.get("reasoning", "")),
            logprobs=tuple(map(float, row.get("logprobs", ()))),
            policy=row.get("policy"),
            threshold=row.get("threshold"),
            decisions=tuple(RowDecision(**each) for each in row.get("decisions", ())),
            actual_rows=row.get("actual_rows"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{place}: the settings of the generation cannot be read: {error!r}"
        ) from error
