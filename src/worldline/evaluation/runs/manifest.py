"""Manifest of a run: benchmark, model, settings and versions, stored as JSON next to its rows."""

import json
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from worldline.core.errors import InputError
from worldline.core.trace import Limits
from worldline.core.util.text import pluralize, truncate_text
from worldline.evaluation.runs.legacy import upgrade_manifest
from worldline.models.engines import Capabilities, split_addresses
from worldline.models.prediction import PredictionSettings

# Format 1 had different names of columns and values; see legacy.py.
FORMAT = 2
FILE = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """Properties shared by all samples of a run.

    Attributes:
        benchmark: The name of the benchmark.
        options: The options of the benchmark.
        questions: The number of questions.
        questions_hash: A hash of all questions. It may change when a run is resumed, because
            questions may be added; `RunWriter.has` checks that stored questions are unchanged.
        facets: The types of the facets, "int" or "text".
        left_out: The number of items of the source that are not questions, by reason.
        repeats: The number of repeats of each question.
        model: The model's name.
        engine: The engine's address, without secrets.
        capabilities: The capabilities that were detected.
        dropped: Fields of requests that the server refuses, such as `temperature`: its own
            values apply instead of the settings.
        context_length: The model's context length in tokens, if known.
        settings: The settings of the predictions; None for imported predictions.
        tokenizer: The name of the tokenizer.
        limits: Limits of the executions.
        sessions: For each time that the run was begun or resumed: when, with which versions, and
            at which commit.
    """

    benchmark: str
    options: Mapping[str, Any] = field(default_factory=dict)
    questions: int = 0
    questions_hash: str = ""
    facets: Mapping[str, str] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    repeats: int = 1
    model: str = ""
    engine: str = ""
    capabilities: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    context_length: int | None = None
    settings: PredictionSettings | None = None
    tokenizer: str | None = None
    limits: Limits = field(default_factory=Limits)
    sessions: tuple[Mapping[str, Any], ...] = ()

    def __repr__(self) -> str:
        mode = f", {self.settings.mode}" if self.settings else ""
        repeats = f" × {self.repeats}" if self.repeats > 1 else ""
        return (
            f"Manifest({truncate_text(self.benchmark, 30)}, "
            f"{truncate_text(self.model or 'no model', 30)}{mode}, "
            f"{pluralize(self.questions, 'question')}{repeats})"
        )


# Fields that must be the same to resume a run.
_FIXED_FIELDS = ("benchmark", "options", "model", "settings", "tokenizer", "limits")


def check_resumable(stored: Manifest, requested: Manifest, location: str) -> None:
    """Raise an error if a run cannot be resumed with this manifest.

    Args:
        stored: The manifest of the run.
        requested: The manifest of the command that would resume it.
        location: The location of the run, for the error message.

    Raises:
        InputError: A field that must be the same differs.
    """
    for name in _FIXED_FIELDS:
        before, after = getattr(stored, name), getattr(requested, name)
        if name == "settings" and before and after:
            changed = [
                f"{key} {value!r}, not {getattr(after, key)!r}"
                for key, value in asdict(before).items()
                if value != getattr(after, key)
            ]
        else:
            changed = [f"{name} {before!r}, not {after!r}"] if before != after else []
        if changed:
            raise InputError(
                f"{location} is a run with {'; '.join(changed)}; choose a different run with -o, "
                "or start over with --restart"
            )


def merge_for_resume(stored: Manifest, requested: Manifest) -> Manifest:
    """The manifest of a resumed run, which keeps its earlier rows.

    repeats 3, then 1 -> 3; the facet depth as "text", then as "int" -> "text"
    """
    facets = dict(stored.facets)
    for name, kind in requested.facets.items():
        facets[name] = kind if facets.get(name, kind) == kind else "text"
    repeats = max(stored.repeats, requested.repeats)
    return replace(requested, facets=facets, repeats=repeats, sessions=stored.sessions)


def with_capabilities(manifest: Manifest, model: str, capabilities: Capabilities) -> Manifest:
    """Add the model's name and the capabilities that the engine reported."""
    return replace(
        manifest,
        model=model,
        capabilities=tuple(sorted(capabilities.supported)),
        dropped=capabilities.dropped,
        context_length=capabilities.context_length,
    )


def describe_session() -> dict[str, Any]:
    """The current time, versions and commit."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "worldline": version("worldline"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "git": _git_state(),
    }


def _git_state() -> dict[str, Any] | None:
    """The commit of the enclosing repository, and whether it has uncommitted changes."""
    try:
        commit = _git("rev-parse", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "is_changed": bool(changed)}


def _git(*arguments: str) -> str:
    process = subprocess.run(
        ["git", *arguments], capture_output=True, check=True, text=True, timeout=10
    )
    return process.stdout.strip()


def redact_secrets(engine: str) -> str:
    """Remove user names, passwords and query strings from an engine's address.

    "http://me:pass@host:8000/v1?key=1" -> "http://host:8000/v1"
    """
    if not engine.startswith(("http://", "https://")):
        return engine
    return ",".join(map(_strip_url, split_addresses(engine)))


def _strip_url(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def manifest_to_json(manifest: Manifest) -> bytes:
    """Encode a manifest as JSON; `manifest_from_json` decodes it."""
    return json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1).encode() + b"\n"


def manifest_from_json(data: bytes, location: str) -> Manifest:
    """Decode the manifest of a run.

    Raises:
        InputError: The manifest is invalid, or has a format that this version cannot read.
    """
    try:
        fields = json.loads(data)
        file_format = fields.pop("format")
        if file_format == 1:
            fields = upgrade_manifest(fields)
        elif file_format != FORMAT:
            raise InputError(
                f"{location} was created by a different version of worldline (format "
                f"{file_format!r}, not {FORMAT}); use that version, or evaluate again into a "
                "different run"
            )
        settings = fields.pop("settings")
        return Manifest(
            **fields
            | {
                "settings": PredictionSettings(**settings) if settings else None,
                "limits": Limits(**fields["limits"]),
                "capabilities": tuple(fields["capabilities"]),
                "dropped": tuple(fields.get("dropped", ())),
                "sessions": tuple(fields["sessions"]),
            }
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"the manifest of {location} cannot be read: {error!r}; restore it, or evaluate again "
            "into a different run"
        ) from error
