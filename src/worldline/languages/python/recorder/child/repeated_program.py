"""Many executions of one program in one process, without a trace: only results and choices.

The program is loaded again for each execution; modules that it imports are loaded once.
"""

import io
import os
import sys
from os import O_WRONLY, _exit, devnull, dup2
from typing import Any, NoReturn

from .bounded_repr import render, type_name
from .choice_session import ChoiceSession
from .choice_sources import replace_sources
from .interrupts import FILENAME
from .json_lines import OWN_BUILTINS, protect_descriptor, to_line
from .program_process import limit_memory, new_namespace, short_text
from .sandbox_layers import apply_layers
from .schedule_search import ScheduleSearch

__builtins__ = OWN_BUILTINS

# Where the rows begin; the first eight bytes are their length.
_ROWS_OFFSET = 64
_pwrite = os.pwrite


def repeat_and_exit(
    request: "dict[str, Any]", files: "list[int]", settings: "dict[str, Any]"
) -> NoReturn:
    """Sandbox the process, execute the program repeatedly, and write one row per execution.

    Args:
        request: The program, its limits, and for each execution the values of its first choices
            (`repeats`); or the number of executions with random choices (`draws`) and a `seed`;
            or the bounds of a search of schedules (`search`).
        files: Memory files: for the rows, the program's input and its output.
        settings: The settings of the sandbox.
    """
    memory = protect_descriptor(files[0])
    null = os.open(devnull, O_WRONLY)
    dup2(files[1], 0)
    for fd in (1, 2):
        dup2(null, fd)
    notes: list[str] = []
    try:
        apply_layers(settings, request["limits"], request["path"])
        limit_memory(request["limits"], 0)
    except Exception as error:  # noqa: BLE001
        _write(memory, [["end", "recorder_failed", f"the sandbox: {error}", []]])
        _exit(1)
    session = ChoiceSession({"seed": request.get("seed")}, notes)
    try:
        code = start = compile(request["text"], FILENAME, "exec", dont_inherit=True)
        replace_sources(code, session, imports_files=bool(request["path"]))
        if request["entry"] is not None:
            start = compile(f"{request['entry']}()", "<recorder>", "eval")
    except BaseException as error:  # noqa: BLE001
        detail = f"{type_name(type(error))}: {short_text(error)}"
        _write(memory, [["end", "not_loaded", detail, []]])
        _exit(1)
    new_namespace(request)
    if "search" in request:
        rows = ScheduleSearch(request, session, code, start).rows()
    else:
        rows = _repeat(request, session, code, start)
    _write(memory, [*rows, ["end", "finished", "", notes]])
    _exit(0)


def _repeat(
    request: "dict[str, Any]", session: ChoiceSession, code: Any, start: Any
) -> "list[list[Any]]":
    if "draws" not in request:
        rows = []
        for values in request["repeats"]:
            session.restart(values, is_systematic=True)
            ending, text = _execute(request, code, start)
            rows.append(["result", ending, text, [row[1:] for row in session.rows]])
        return rows
    counts: dict[tuple[str, str], int] = {}
    session.is_unrecorded = True
    for _ in range(request["draws"]):
        outcome = _execute(request, code, start)
        counts[outcome] = counts.get(outcome, 0) + 1
    return [["result", *outcome, count] for outcome, count in counts.items()]


def _execute(request: "dict[str, Any]", code: Any, start: Any) -> "tuple[str, str]":
    """The ending and the result of one execution; for a module, what it printed."""
    namespace = new_namespace(request | {"path": []})
    printed = sys.stdout = io.StringIO()
    sys.stdin = io.StringIO(request["stdin"])
    try:
        eval(code, namespace)
        if start is code:
            return "finished", printed.getvalue()
        return "finished", render(eval(start, namespace), request["limits"]["value_chars"])
    except SystemExit as error:
        return "exited", short_text(error.code)
    except BaseException as error:  # noqa: BLE001
        return "raised", f"{type_name(type(error))}: {short_text(error)}"


def _write(memory: int, rows: "list[list[Any]]") -> None:
    """Write all rows, as the tracer in C does."""
    content = b"".join([to_line(row) for row in [*rows, ["epilogue", 0, 0]]])
    offset = 0
    while offset < len(content):
        offset += _pwrite(memory, content[offset:], _ROWS_OFFSET + offset)
    _pwrite(memory, len(content).to_bytes(8, "little"), 0)
