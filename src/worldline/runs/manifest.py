"""What a run is of: benchmark, model, way of asking, versions; as JSON beside its rows."""

import json
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from worldline.engines import Abilities, addresses
from worldline.errors import InputError
from worldline.predict import Settings
from worldline.trace import Limits

FORMAT = 1
FILE = "manifest.json"


@dataclass(frozen=True, slots=True)
class Manifest:
    """What is the same for all samples of a run.

    `facets` are the benchmark's own, each with "int" or "text"; `left_out` is what its source
    holds beside the questions, counted by reason. `abilities` are those that the engine was found
    to have. `sessions` says of each time that it was worked on when, with which versions, and in
    which state of the repository around.

    `questions_hash` tells later what was asked. It may change while a run is gone on with, since
    questions may be added; whether those that the run has are still the same is looked at one by
    one, in `Run.has`.
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
    abilities: tuple[str, ...] = ()
    context_length: int | None = None
    settings: Settings | None = None
    tokenizer: str | None = None
    limits: Limits = field(default_factory=Limits)
    sessions: tuple[Mapping[str, Any], ...] = ()


# What must not change while a run is gone on with.
_FIXED = ("benchmark", "options", "model", "settings", "tokenizer", "limits")


def check_same(begun: Manifest, now: Manifest, place: str) -> None:
    """Refuse to go on with a run in another way than it was begun."""
    for name in _FIXED:
        before, after = getattr(begun, name), getattr(now, name)
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
                f"{place} is a run with {'; '.join(changed)}; name another with -o, or begin it "
                "anew with --restart"
            )


def gone_on_with(begun: Manifest, now: Manifest) -> Manifest:
    """What a run is of that is gone on with, perhaps with fewer repeats or other questions: its
    rows of before are still there.

    repeats 3, then 1 -> 3; the facet depth as "text", then as "int" -> "text"
    """
    facets = dict(begun.facets)
    for name, kind in now.facets.items():
        facets[name] = kind if facets.get(name, kind) == kind else "text"
    repeats = max(begun.repeats, now.repeats)
    return replace(now, facets=facets, repeats=repeats, sessions=begun.sessions)


def with_abilities(manifest: Manifest, model: str, abilities: Abilities) -> Manifest:
    """The manifest with what was found out at first contact with the engine."""
    return replace(
        manifest,
        model=model,
        abilities=tuple(sorted(abilities.found)),
        context_length=abilities.context_length,
    )


def this_session() -> dict[str, Any]:
    """When and with what a run is worked on now."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "worldline": version("worldline"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "git": _git_state(),
    }


def _git_state() -> dict[str, Any] | None:
    """The commit of the repository around, and whether files of it are changed; none without."""
    try:
        commit = _git("rev-parse", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "is_changed": bool(changed)}


def _git(*words: str) -> str:
    done = subprocess.run(["git", *words], capture_output=True, check=True, text=True, timeout=10)
    return done.stdout.strip()


def without_secrets(engine: str) -> str:
    """An engine's address without what only its user may know.

    "http://me:pass@host:8000/v1?key=1" -> "http://host:8000/v1"
    """
    if not engine.startswith(("http://", "https://")):
        return engine
    return ",".join(map(_bare_address, addresses(engine)))


def _bare_address(url: str) -> str:
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def manifest_to_json(manifest: Manifest) -> bytes:
    """A manifest as text; `manifest_from_json` reads it back."""
    return json.dumps({"format": FORMAT, **asdict(manifest)}, indent=1).encode() + b"\n"


def manifest_from_json(data: bytes, place: str) -> Manifest:
    """The manifest of a run that this version can read."""
    try:
        found = json.loads(data)
        if found.pop("format") != FORMAT:
            raise InputError(
                f"{place} was made by another version of worldline: its format is not {FORMAT}"
            )
        settings = found.pop("settings")
        return Manifest(
            **found
            | {
                "settings": Settings(**settings) if settings else None,
                "limits": Limits(**found["limits"]),
                "abilities": tuple(found["abilities"]),
                "sessions": tuple(found["sessions"]),
            }
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"the manifest of {place} cannot be read: {error!r}") from error
