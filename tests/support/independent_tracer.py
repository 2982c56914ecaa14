"""Independent tracer: the events of `sys.settrace`, without any code of worldline.

It reads lines of JSON (`text`, `steps`) and writes the first `steps` events of `main()` for each.
"""

import json
import re
import sys
from types import FrameType
from typing import Any

ADDRESS = re.compile(r" at 0x[0-9a-f]+")


class StepLimitReached(BaseException):
    """Raised to stop a program at the step limit."""


def events(text: str, max_events: int) -> list[list[Any]]:
    """Record event, line, locals and value of the first steps."""
    recorded: list[list[Any]] = []
    depth = 0

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal depth
        if frame.f_code.co_filename != "<traced>":
            return None
        if len(recorded) >= max_events:
            raise StepLimitReached
        shown = {n: ADDRESS.sub("", repr(v)) for n, v in frame.f_locals.items()}
        value = ADDRESS.sub("", repr(arg)) if event in ("return", "exception") else None
        recorded.append([event, frame.f_lineno, shown, value])
        depth += 1
        return trace

    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(text, "<traced>", "exec"), namespace)
    sys.settrace(trace)
    try:
        namespace["main"]()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
    finally:
        sys.settrace(None)
    return recorded


def main() -> None:
    """Trace the program of every line on standard input."""
    for line in sys.stdin:
        request = json.loads(line)
        sys.stdout.write(json.dumps(events(request["text"], request["steps"])) + "\n")


if __name__ == "__main__":
    main()
