"""Runs of results whose trust is known."""

import json
from pathlib import Path

from tests.interfaces.cli.commands import ok


def make_trust_run(folder: Path, numbers: range) -> Path:
    """Make a run of programs; long answers are wrong, and so is one in ten of the short ones."""
    rows = []
    for number in numbers:
        is_long = number % 2 == 0
        result = repr("ab" * (20 if is_long else 1))
        answer = repr("b" * 40) if is_long else result if number % 10 != 1 else "'a'"
        rows.append(
            {
                "id": f"s{number}",
                "code": f"def f(s):  # {number}\n    return s * {20 if is_long else 1}\n",
                "call": "f('ab')",
                "expected": result,
                "output": f"[ANSWER] {answer} [/ANSWER]",
                "codec": "chat",
                "mode": "free",
                "max_tokens": 100,
            }
        )
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "predictions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    ok("diagnose", file, "-o", folder / "run")
    return folder / "run"
