"""Compiles one program. Executed by Python in the sandbox, as gdb is.

Each command gets the output of the one before, which is assembly; the first one gets the source,
which is in a file, too.

Descriptors: 0 the source, 1 the executable, 3 the rows of the result, 4 the request.
"""

import json
import os
import re
import shutil
import subprocess
import sys

_OUTPUT = "program"
_MAX_DETAIL = 20_000
_DISCRIMINATOR = re.compile(rb"^(\t\.loc .*?) discriminator \d+", re.MULTILINE)


def main() -> None:
    """Run the compiler on the input; write the executable, or the errors as the ending."""
    with open(4, "rb") as file:
        request = json.load(file)
    with open(0, "rb") as file:
        text = file.read()
    with open(request["source"], "wb") as file:
        file.write(text)
    for name, target in request["links"].items():
        os.symlink(target, name)
    *steps, last = request["commands"]
    for command in steps:
        # gdb leaves out rows with discriminators, which are those of loops within a line.
        text = _DISCRIMINATOR.sub(rb"\1", _run(command, text, request["environment"]))
    _run([*last, "-o", _OUTPUT], text, request["environment"])
    with open(_OUTPUT, "rb") as source, open(1, "wb", closefd=False) as target:
        shutil.copyfileobj(source, target)
    _end("finished", "")


def _run(command: "list[str]", text: bytes, environment: "dict[str, str]") -> bytes:
    """The output of a command; its errors are the ending."""
    process = subprocess.run(
        command,
        input=text,
        capture_output=True,
        env={**environment, "LC_ALL": "C.UTF-8"},
        check=False,
    )
    if process.returncode != 0:
        errors = process.stderr.decode("utf-8", "replace")[:_MAX_DETAIL].strip()
        _end("not_loaded", errors or f"the compiler ended with status {process.returncode}")
    return process.stdout


def _end(reason: str, detail: str) -> None:
    """Write the rows of recorder/recording_protocol.py, and exit."""
    rows = [["end", reason, detail, []], ["epilogue", 0, 0]]
    data = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    os.pwrite(3, data, 64)
    os.pwrite(3, len(data).to_bytes(8, "little"), 0)
    sys.exit(0)


main()
