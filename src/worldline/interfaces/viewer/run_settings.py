"""Settings of a run's predictions, from its manifest or its rows, and in sentences."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldline.evaluation.runs import Manifest, read_run
from worldline.models.codecs import ANSWER_CODECS

_TRACE_SENTENCE = (
    "The model writes the execution of a program step by step; "
    "it is compared with the actual execution."
)
_ANSWER_SENTENCE = "The model predicts the result of a call; it is compared with the actual result."
_MODE_SENTENCES: Mapping[str, str] = {
    "free": "the model was given the program and the call, and wrote lines and states",
    "force-actions": "the model was given the actual next lines and wrote only the states",
    "force-state": "the model was given the actual states and wrote only the next lines",
    "guided": (
        "the model was given the next line where the program allows only one, and wrote the "
        "states and the other lines"
    ),
    "score": "the model was given the actual execution and wrote nothing; its choices were scored",
    "on-demand": (
        "the model was given the actual steps where its own were not trusted, and wrote all others"
    ),
}


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What is known of how the predictions were made; None for what is not the same in all.

    Attributes:
        model: The name of the model.
        mode: Which parts of the trace the model wrote.
        codec: The name of the codec.
        max_tokens: The limit on the completion.
    """

    model: str | None = None
    mode: str | None = None
    codec: str | None = None
    max_tokens: int | None = None


def read_run_settings(location: str, manifest: Manifest) -> RunSettings:
    """Read the settings of a run; those of imported predictions are in their rows."""
    model = manifest.model or None
    if manifest.settings is not None:
        settings = manifest.settings
        return RunSettings(model, settings.mode, settings.codec, settings.max_tokens)
    names = ("model", "mode", "codec", "max_tokens")
    rows = read_run(location, columns=names)
    return RunSettings(*(_same_value(rows, name) for name in names))


def _same_value(rows: Sequence[Mapping[str, Any]], column: str) -> Any:
    """The value that all rows have in a column; None if they differ."""
    values = {row.get(column) for row in rows}
    return values.pop() or None if len(values) == 1 else None


def method_sentences(settings: RunSettings, *, has_steps: bool) -> list[str]:
    """Say what the model was asked for, and what it was given.

    Args:
        settings: The settings of the run.
        has_steps: Whether any prediction has steps, for a run whose codec is not known.
    """
    is_answer = settings.codec in ANSWER_CODECS or (settings.codec is None and not has_steps)
    sentences = [_ANSWER_SENTENCE if is_answer else _TRACE_SENTENCE]
    description = _MODE_SENTENCES.get(settings.mode or "")
    if not is_answer and description is not None:
        sentences.append(f"Mode {settings.mode}: {description}.")
    return sentences


def import_note(manifest: Manifest) -> str:
    """What the shares of imported predictions are of; "" if the run asked a model itself."""
    if manifest.settings is not None:
        return ""
    files = len(manifest.options.get("files", ()))
    source = {0: "imported", 1: "imported from a file"}.get(files, f"imported from {files} files")
    return (
        f"The predictions were {source}: the shares are of the imported samples, not necessarily "
        "of a whole benchmark."
    )


def mode_note(a: RunSettings, b: RunSettings) -> str:
    """What a difference in the mode means for a comparison; "" if the modes are the same."""
    if a.mode is None or b.mode is None or a.mode == b.mode:
        return ""
    modes = f"The runs differ in the mode: {a.mode} in A, {b.mode} in B."
    if a.model is None or b.model is None:
        return f"{modes} The difference includes the effect of the mode."
    if a.model != b.model:
        return f"{modes} They also differ in the model: the difference is the effect of both."
    return (
        f"{modes} The model is the same: the difference is the effect of this intervention, not of "
        "another model."
    )


def changed_settings_lines(a: RunSettings, b: RunSettings) -> list[str]:
    """The settings that differ between imported runs: "codec: chat in A, cwm in B"."""
    return [
        f"{name.replace('_', ' ')}: {before} in A, {after} in B"
        for name in ("model", "mode", "codec", "max_tokens")
        if (before := getattr(a, name)) != (after := getattr(b, name))
        and before is not None
        and after is not None
    ]
