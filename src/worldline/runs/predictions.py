"""A file of predictions that grows while a model is asked, and is gone on with when stopped."""

import json
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.predict import (
    Prediction,
    Question,
    Settings,
    asked_as,
    prediction_to_row,
    repeat_id,
)
from worldline.store import Journal, Lock

# What is the same for all predictions in one file.
_ALIKE = ("model", "mode", "codec", "budget", "temperature", "from_step", "longest_value")


class PredictionFile:
    """Each prediction is a line, written when it is ready.

    Opening the file again drops failures, which are to be asked again, and a line that was cut
    when the last run was stopped; `done` has the ids of the rest. `is_restarted` begins
    it anew.
    """

    def __init__(self, path: Path, *, is_restarted: bool = False) -> None:
        self.path = path
        self.done: set[str] = set()
        self._programs: dict[str, str | None] = {}
        self._alike: dict[str, Any] | None = None
        if path.exists() and not path.is_file():
            raise InputError(f"cannot write {path}: it is not a file")
        self._lock = Lock(path)
        try:
            self._kept = [] if is_restarted or not path.exists() else self._read()
        except (OSError, UnicodeDecodeError) as error:
            self._lock.let_go()
            raise InputError(f"cannot read {path}: {error}") from error
        except InputError:
            self._lock.let_go()
            raise
        self._journal = Journal(path)
        self._is_begun = False

    def _read(self) -> list[dict[str, Any]]:
        """The rows of predictions that need not be asked for again."""
        kept = []
        lines = self.path.read_text(encoding="utf-8").split("\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
                key = str(row["id"])
            except (ValueError, KeyError, TypeError) as error:
                if number == len(lines):
                    continue
                raise InputError(
                    f"line {number} of {self.path} is no prediction ({error!r}); name another file "
                    "with -o, or begin it anew with --restart"
                ) from None
            if "error" in row or key in self.done:
                continue
            self.check(row)
            self.done.add(key)
            self._programs[key] = row.get("program")
            kept.append(row)
        return kept

    def expect(self, settings: Settings) -> None:
        """Refuse to go on in another way than the file was begun, before anything is asked."""
        asked = asked_as(settings)
        if self._alike is not None:
            self._compare({name: getattr(asked, name) for name in (*_ALIKE[1:], "seed")})

    def has(self, question: Question, repeat: int) -> bool:
        """Whether a question need not be asked; one of the same name about another program is
        refused."""
        key = repeat_id(question.id, repeat)
        if self._programs.get(key) not in (None, question.program.hash):
            raise InputError(
                f"{self.path} holds a prediction of another program by the name of {key!r}; name "
                "another file with -o, or begin it anew with --restart"
            )
        return key in self.done

    def check(self, row: dict[str, Any]) -> None:
        """Refuse a prediction of another model, or one that was asked for in another way."""
        alike = {name: row.get(name) for name in _ALIKE} | {"seed": _base_seed(row)}
        if self._alike is None:
            self._alike = alike
        self._compare(alike)

    def _compare(self, alike: dict[str, Any]) -> None:
        assert self._alike is not None
        for name, value in alike.items():
            if value != self._alike[name]:
                raise InputError(
                    f"{self.path} holds predictions with {name} {self._alike[name]!r}, not "
                    f"{value!r}; name another file with -o, or begin it anew with --restart"
                )

    def add(self, prediction: Prediction) -> None:
        """Write one prediction down."""
        row = prediction_to_row(prediction)
        self.check(row)
        if not self._is_begun:
            # Only now: whoever does not get so far changes nothing.
            self._journal.replace(self._kept)
            self._is_begun = True
        self._journal.append(row)

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()
        self._lock.let_go()

    def __enter__(self) -> "PredictionFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _base_seed(row: dict[str, Any]) -> int | None:
    """The seed of the first repeat."""
    seed = row.get("seed")
    return None if seed is None else int(seed) - int(row.get("repeat", 0))
