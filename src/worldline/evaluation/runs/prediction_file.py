"""Prediction file: a JSONL file to which predictions are appended, and which can be resumed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.evaluation.store import Journal, Lock
from worldline.models.codecs import get_codec
from worldline.models.prediction import (
    Prediction,
    PredictionSettings,
    Question,
    make_generation_record,
    prediction_from_row,
    prediction_to_row,
    repeat_id,
    upgrade_prediction_row,
)

# Fields that must be the same for all predictions in one file.
_SHARED_FIELDS = (
    "model",
    "mode",
    "codec",
    "max_tokens",
    "temperature",
    "from_step",
    "max_value_chars",
    "policy",
    "threshold",
)


class PredictionFile:
    """A JSONL file with one prediction per line, written as soon as it is ready.

    Opening an existing file resumes it. Infrastructure errors, which are predicted again, and an
    incomplete last line are dropped; `done` contains the names of the other predictions.

    Args:
        path: The file.
        restart: Begin again, without the earlier predictions.
    """

    def __init__(self, path: Path, *, restart: bool = False) -> None:
        self.path = path
        self.done: set[str] = set()
        self._programs: dict[str, str | None] = {}
        self._shared: dict[str, Any] | None = None
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: it is not a file")
        self._lock = Lock(path)
        try:
            self._stored_rows = [] if restart or not path.exists() else self._read()
        except (OSError, UnicodeDecodeError) as error:
            self._lock.release()
            raise InputError(f"cannot read {path}: {error}") from error
        except InputError:
            self._lock.release()
            raise
        self._journal = Journal(path)
        self._has_begun = False

    def _read(self) -> list[dict[str, Any]]:
        """Read the rows of the predictions that are not repeated."""
        stored_rows = []
        lines = self.path.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = upgrade_prediction_row(json.loads(line))
                name = str(row["id"])
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                if number == len(lines):
                    continue
                raise InputError(
                    f"line {number} of {self.path} is not a prediction ({error!r}); choose a "
                    "different file with -o, or start over with --restart"
                ) from None
            if "error" in row or name in self.done:
                continue
            self.check(row)
            self.done.add(name)
            self._programs[name] = row.get("program")
            stored_rows.append(row)
        return stored_rows

    @property
    def codec(self) -> str | None:
        """The codec of the predictions in the file; None if there are none."""
        return None if self._shared is None else self._shared["codec"]

    def predictions(self) -> Iterator[Prediction]:
        """Yield the predictions that were in the file when it was opened."""
        for row in self._stored_rows:
            place = f"{row['id']} in {self.path}"
            yield prediction_from_row(row, get_codec(row.get("codec") or "cwm"), place)

    def expect(self, settings: PredictionSettings) -> None:
        """Raise an error if the file cannot be resumed with these settings.

        Raises:
            InputError: The file contains predictions with different settings.
        """
        record = make_generation_record(settings)
        if self._shared is not None:
            self._compare({name: getattr(record, name) for name in (*_SHARED_FIELDS[1:], "seed")})

    def has(self, question: Question, repeat: int) -> bool:
        """Whether the file contains a prediction of a question.

        Raises:
            InputError: It contains a prediction of the same name for a different program.
        """
        name = repeat_id(question.id, repeat)
        if self._programs.get(name) not in (None, question.program.hash):
            raise InputError(
                f"{self.path} contains a prediction named {name!r} of a different program; choose "
                "a different file with -o, or start over with --restart"
            )
        return name in self.done

    def check(self, row: dict[str, Any]) -> None:
        """Raise an error if a prediction has a different model or settings.

        Raises:
            InputError: The prediction does not belong in this file.
        """
        shared = {name: row.get(name) for name in _SHARED_FIELDS} | {"seed": _base_seed(row)}
        if self._shared is None:
            self._shared = shared
        self._compare(shared)

    def _compare(self, shared: dict[str, Any]) -> None:
        assert self._shared is not None
        for name, value in shared.items():
            if value != self._shared[name]:
                raise InputError(
                    f"{self.path} holds predictions with {name} {self._shared[name]!r}, not "
                    f"{value!r}; choose a different file with -o, or start over with --restart"
                )

    def add(self, prediction: Prediction) -> None:
        """Append one prediction to the file."""
        row = prediction_to_row(prediction)
        self.check(row)
        if not self._has_begun:
            # Not earlier: a command that fails before its first prediction changes nothing.
            self._journal.replace(self._stored_rows)
            self._has_begun = True
        self._journal.append(row)

    def close(self) -> None:
        """Close the file and release its lock."""
        self._journal.close()
        self._lock.release()

    def __enter__(self) -> "PredictionFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _base_seed(row: dict[str, Any]) -> int | None:
    """The seed of the first repeat."""
    seed = row.get("seed")
    return None if seed is None else int(seed) - int(row.get("repeat", 0))
