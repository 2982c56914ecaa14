"""Script that executes programs without the recorder, for comparison.

    python run_unrecorded.py [--events] FOLDER

FOLDER contains NAME.text, NAME.entry and NAME.stdin. Each program is executed in a fork, which ends
as Python ends. Its output is written to NAME.stdout and its ending to NAME.json; with --events,
also the events of `sys.settrace`.
"""

import json
import os
import sys
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

events: list[list[Any]] = []


def on_event(frame: FrameType, event: str, arg: object) -> Any:
    """Trace function: collect every event of the program's frames."""
    if frame.f_code.co_filename == "<program>":
        events.append([event, frame.f_lineno, frame.f_code.co_name])
        return on_event
    return None


# Not in a function: the program's frames are directly above a module's, as in a script.
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
    namespace = module.__dict__
    code = compile(path.read_text(encoding="utf-8"), "<program>", "exec", dont_inherit=True)
    if entry:
        exec(code, namespace)
    if is_traced:
        sys.settrace(on_event)
    try:
        result = namespace[entry]() if entry else eval(code, namespace)
        sys.settrace(None)
        ending = ["finished", f"{result!r}"]
    except SystemExit as error:
        ending = ["exited", str(error.code)]
    except BaseException as error:  # noqa: BLE001
        ending = ["raised", f"{type(error).__name__}: {error}"]
    sys.settrace(None)
    sys.setrecursionlimit(1000)
    path.with_suffix(".json").write_text(json.dumps({"ending": ending, "events": events}))
    if is_traced:
        os._exit(0)
    raise SystemExit
