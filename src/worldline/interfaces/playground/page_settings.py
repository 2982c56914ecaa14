"""Data that the playground's page contains: labels, formats and examples."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.viewer.run_documents import shown_labels

EXAMPLES = Path(__file__).parent / "examples.jsonl"

# Formats that the page offers, and their names for its readers.
_FORMATS = {
    "chat": "chat: the result only",
    "chat-trace": "chat-trace: a row per line, for chat models",
    "cwm": "cwm: the trace format of CWM",
    "cwm-text": "cwm-text: for base models",
    "delta": "delta: changed variables only",
}
# Predictions of `worldline demo` that are also examples here.
_DEMO_TITLES = {
    "wrong_string": "CWM format: a wrong string",
    "loop_left_early": "CWM format: a loop left early",
    "superficially_correct": "CWM format: a correct answer after a wrong step",
}


def playground_settings() -> dict[str, Any]:
    """Build the document of the page: `PlaygroundSettings` in viewer/src/playground."""
    return {
        **shown_labels(),
        "worldline": version("worldline"),
        "formats": [{"name": name, "title": title} for name, title in _FORMATS.items()],
        "examples": [*_rows(EXAMPLES), *_demo_rows()],
    }


def _demo_rows() -> list[dict[str, str]]:
    return [
        {"title": _DEMO_TITLES[row["id"]], **{key: row[key] for key in ("code", "call", "output")}}
        | {"codec": "cwm"}
        for row in _rows(PREDICTIONS)
        if row["id"] in _DEMO_TITLES
    ]


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
