"""Runs programs with Python alone, so that the recorder can be held against it.

    python plain_python.py [--events] FOLDER

FOLDER holds NAME.text, NAME.entry and NAME.stdin. Each program is run in a fork that then ends
as Python ends. NAME.stdout takes what it prints, NAME.json how it ended; or, with --events, what
`sys.settrace` said of it: a second recorder, too small to be wrong.
"""

import json
import os
import sys
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

events: list[list[Any]] = []


def on_event(frame: FrameType, event: str, arg: object) -> Any:
    """Write down every event of the program's own frames."""
    if frame.f_code.co_filename == "<program>":
        events.append([event, frame.f_lineno, frame.f_code.co_name])
        return on_event
    return None


# No function below: a program's frames stand right on a module's, as those of a script do.
folder = Path(sys.argv[-1])
is_traced = "--events" in sys.argv
for path in sorted(folder.glob("*.text")):
    if pid := os.fork():
        os.waitpid(pid, 0)
        continue
    entry = path.with_suffix(".entry").read_text()
    os.dup2(os.open(path.with_suffix(".stdin"), os.O_RDONLY), 0)
    os.dup2(os.open(path.with_suffix(".stdout"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    sys.argv = ["program"]
    module = ModuleType("program" if entry else "__main__")
    sys.modules[module.__name__] = module
    space = module.__dict__
    code = compile(path.read_text(encoding="utf-8"), "<program>", "exec", dont_inherit=True)
    if entry:
        exec(code, space)
    if is_traced:
        sys.settrace(on_event)
    try:
        result = space[entry]() if entry else eval(code, space)
        sys.settrace(None)
        ended = ["finished", f"{result!r}"]
    except SystemExit as error:
        ended = ["exited", str(error.code)]
    except BaseException as error:  # noqa: BLE001
        ended = ["raised", f"{type(error).__name__}: {error}"]
    sys.settrace(None)
    sys.setrecursionlimit(1000)
    path.with_suffix(".json").write_text(json.dumps({"ended": ended, "events": events}))
    if is_traced:
        os._exit(0)
    raise SystemExit
