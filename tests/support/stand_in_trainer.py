"""Stand-in for a training: a "model" predicts right what it has seen, and the rest wrong.

    python stand_in_trainer.py EXPORT MODEL OUT PROGRAMS...

A model is a folder with a tokenizer, the methods that it knows, and recorded predictions for the
programs that it will be asked. While the file named by STAND_IN_WAIT exists, the training waits.
"""

import json
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from worldline.core.trace import Program
from worldline.evaluation.store import open_location, read_parts
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import CwmCodec, get_codec
from worldline.models.prediction import read_questions
from worldline.models.tokenizers import train_tokenizer

# The beginning of the value of `t`, and of returned values.
_VALUES = re.compile(r"""("t": "'|<\|arg_sep\|>"')""")
METHODS = ("upper", "lower", "title", "strip")


def source_of(method: str, number: int) -> str:
    """A program that executes one method; sources of different numbers differ."""
    return f"def f(s):\n    t = s.{method}()\n    return t + '{number}'\n"


def make_model(folder: Path, known: Iterable[str], programs: Iterable[str | Path]) -> None:
    """Write a model that predicts programs with the known methods right."""
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(known)
    (folder / "known.json").write_text(json.dumps(names))
    if not (folder / "tokenizer.json").exists():
        specials = sorted(CwmCodec.special_tokens, key=CwmCodec.special_tokens.__getitem__)
        train_tokenizer([], folder, size=None, special_tokens=list(map(str, specials)))
    rows = []
    with PythonRecorder() as recorder:
        for question in (question for path in programs for question in read_questions(path)):
            text = "".join(get_codec("cwm").encode(recorder.record(question.program)))
            is_known = any(f".{name}(" in question.program.source for name in names)
            output = text if is_known else _VALUES.sub(r"\1wrong", text)
            rows.append(_row(question.id, question.program, output))
    (folder / "predictions.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def _row(name: str, program: Program, output: str) -> dict[str, str | None]:
    return {"id": name, "code": program.source, "call": program.call, "output": output}


def main(export: Path, model: Path, out: Path, programs: list[str]) -> None:
    """Learn the methods of the examples."""
    sys.stdout.write(f"training on {export}\n")
    sys.stdout.flush()
    wait = os.environ.get("STAND_IN_WAIT")
    while wait and Path(wait).exists():
        time.sleep(0.05)
    files = sorted(map(str, export.glob("data/*.parquet")))
    prompts = [row["prompt"] for row in read_parts(open_location(export), files)]
    seen = [name for name in METHODS if any(f".{name}(" in prompt for prompt in prompts)]
    out.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(model / "tokenizer.json", out / "tokenizer.json")
    make_model(out, {*json.loads((model / "known.json").read_text()), *seen}, programs)


if __name__ == "__main__":
    first, second, third, *others = sys.argv[1:]
    main(Path(first), Path(second), Path(third), others)
