"""Breakpoints that a client has set, and whether each can be reached."""

from typing import Any

from worldline.analysis.replay import (
    Breakpoint,
    Breakpoints,
    DataBreakpoint,
    Expression,
    FunctionBreakpoint,
    LineBreakpoint,
    Side,
    parse_expression,
    steps_that_call,
    steps_that_change,
)
from worldline.core.errors import ExpressionError
from worldline.core.util.text import pluralize
from worldline.interfaces.dap.debuggee import Debuggee
from worldline.interfaces.dap.request_arguments import (
    Arguments,
    RequestError,
    list_argument,
    number_argument,
    object_argument,
    object_list,
    required_number,
    required_text,
    text_argument,
)
from worldline.interfaces.dap.state_views import FrameView, StateViews

EXCEPTION_FILTERS = (
    {
        "filter": "divergence",
        "label": "Divergence of the prediction",
        "description": "Stop at the first step that differs from the actual execution.",
        "default": True,
    },
    {
        "filter": "raised",
        "label": "Raised exceptions",
        "description": "Stop where the program raises an exception, caught or not.",
        "default": False,
    },
)
_NOT_LAUNCHED = "nothing is launched yet"


class BreakpointRequests:
    """The breakpoints of a session; a new list of a kind replaces the old one."""

    def __init__(self, *, first_line: int = 1) -> None:
        self._line_offset = first_line - 1
        # By file, as several files may have breakpoints and one of them is debugged.
        self._lines: dict[str, list[LineBreakpoint]] = {}
        self._functions: list[FunctionBreakpoint] = []
        self._data: list[DataBreakpoint] = []
        self._filters: frozenset[str] = frozenset({"divergence"})
        self._last_id = 0

    def active(self) -> Breakpoints:
        """The breakpoints of the program that is debugged."""
        own: list[Breakpoint] = [each for lines in self._lines.values() for each in lines]
        return Breakpoints(
            (*own, *self._functions, *self._data),
            on_exception="raised" in self._filters,
            on_divergence="divergence" in self._filters,
        )

    def set_lines(self, arguments: Arguments, debuggee: Debuggee | None) -> list[dict[str, Any]]:
        """Set the breakpoints of one source."""
        source = object_argument(arguments, "source")
        rows = object_list(arguments, "breakpoints") or [
            {"line": line} for line in list_argument(arguments, "lines")
        ]
        key = str(source.get("sourceReference") or source.get("path") or source.get("name"))
        is_debugged = debuggee is not None and debuggee.has_source(source)
        self._lines[key] = []
        documents = []
        for row in rows:
            line = required_number(row, "line") - self._line_offset
            document: dict[str, Any] = {"id": self._next_id(), "line": line + self._line_offset}
            if debuggee is None or not is_debugged:
                reason = _NOT_LAUNCHED if debuggee is None else "not the program that is debugged"
                documents.append({**document, "verified": False, "message": reason})
                continue
            try:
                each = LineBreakpoint(
                    document["id"],
                    line,
                    _condition(row, debuggee),
                    text_argument(row, "logMessage") or None,
                )
            except ExpressionError as error:
                documents.append({**document, "verified": False, "message": str(error)})
                continue
            self._lines[key].append(each)
            visits = sum(
                len(track.execution.visits.get(line, ())) for track in debuggee.replay.tracks
            )
            documents.append(
                {**document, **_verified(visits, "this line is not executed", debuggee)}
            )
        return documents

    def set_functions(
        self, arguments: Arguments, debuggee: Debuggee | None
    ) -> list[dict[str, Any]]:
        """Set the breakpoints on functions."""
        self._functions = []
        documents = []
        for row in object_list(arguments, "breakpoints"):
            name, id = required_text(row, "name"), self._next_id()
            document: dict[str, Any] = {"id": id}
            if debuggee is None:
                documents.append({**document, "verified": False, "message": _NOT_LAUNCHED})
                continue
            try:
                self._functions.append(FunctionBreakpoint(id, name, _condition(row, debuggee)))
            except ExpressionError as error:
                documents.append({**document, "verified": False, "message": str(error)})
                continue
            calls = sum(
                len(steps_that_call(track.execution, name)) for track in debuggee.replay.tracks
            )
            documents.append({**document, **_verified(calls, f"{name} is not called", debuggee)})
        return documents

    def set_exceptions(self, arguments: Arguments) -> list[dict[str, Any]]:
        """Set the filters of exceptions: `raised` and `divergence`."""
        names = [each["filter"] for each in EXCEPTION_FILTERS]
        options = [
            required_text(row, "filterId") for row in object_list(arguments, "filterOptions")
        ]
        filters = [*list_argument(arguments, "filters"), *options]
        unknown = [str(each) for each in filters if each not in names]
        if unknown:
            raise RequestError(
                f"there is no filter {', '.join(unknown)}; there are {', '.join(map(str, names))}"
            )
        self._filters = frozenset(filters)
        return [{"verified": True} for _ in filters]

    def set_data(self, arguments: Arguments, debuggee: Debuggee | None) -> list[dict[str, Any]]:
        """Set the breakpoints on variables."""
        self._data = []
        documents = []
        for row in object_list(arguments, "breakpoints"):
            document: dict[str, Any] = {"id": self._next_id()}
            if debuggee is None:
                documents.append({**document, "verified": False, "message": _NOT_LAUNCHED})
                continue
            try:
                each = _data_breakpoint(document["id"], row, debuggee)
            except (ExpressionError, RequestError) as error:
                documents.append({**document, "verified": False, "message": str(error)})
                continue
            self._data.append(each)
            changes = sum(
                len(steps_that_change(track.execution, each))
                for track in debuggee.replay.tracks
                if each.side in (None, track.execution.side)
            )
            documents.append(
                {**document, **_verified(changes, f"{each.name} never changes", debuggee)}
            )
        return documents

    def _next_id(self) -> int:
        self._last_id += 1
        return self._last_id


def data_breakpoint_info(
    arguments: Arguments, views: StateViews, debuggee: Debuggee
) -> dict[str, Any]:
    """Say whether a breakpoint can be set on a variable, and under which name."""
    name = required_text(arguments, "name")
    reference = number_argument(arguments, "variablesReference")
    frame = number_argument(arguments, "frameId")
    view: FrameView | None = None
    if reference:
        view = views.owner(reference)
        if view is None or views.row(reference, name) is None or name.startswith("("):
            text = f"only local variables can be watched for changes, not {name}"
            return {"dataId": None, "description": text}
    elif frame is not None:
        view = views.frame(frame)
    histories = [
        scope
        for track in debuggee.replay.tracks
        for scope in track.execution.histories.values()
        if name in scope
    ]
    if not histories:
        return {"dataId": None, "description": f"there is no variable {name}"}
    if view is None:
        return _info(f"*/*/{name}", f"{name} in any function")
    scope = view.execution.frames[view.entry.frame].scope
    if name not in view.execution.histories.get(scope, {}):
        return {"dataId": None, "description": f"there is no variable {name} in this function"}
    side, function = view.execution.side, view.execution.function(view.entry.frame)
    return _info(f"{side}/{scope}/{name}", f"{name} in this call of {function} ({side})")


def _info(id: str, description: str) -> dict[str, Any]:
    return {
        "dataId": id, "description": description, "accessTypes": ["write"], "canPersist": False
    }  # fmt: skip


def _data_breakpoint(id: int, row: Arguments, debuggee: Debuggee) -> DataBreakpoint:
    data_id = required_text(row, "dataId")
    parts = data_id.split("/", 2)
    sides: dict[str, Side | None] = {"actual": "actual", "predicted": "predicted", "*": None}
    is_valid = len(parts) == 3 and parts[0] in sides and (parts[1] == "*" or parts[1].isdecimal())
    if not is_valid:
        raise RequestError(f"{data_id!r} is no dataId that dataBreakpointInfo has given out")
    if text_argument(row, "accessType") not in (None, "write"):
        raise RequestError("only changes of a variable were recorded, not when it was read")
    scope = None if parts[1] == "*" else int(parts[1])
    return DataBreakpoint(id, parts[2], sides[parts[0]], scope, _condition(row, debuggee))


def _condition(row: Arguments, debuggee: Debuggee) -> Expression | None:
    text = text_argument(row, "condition")
    if not text:
        return None
    return parse_expression(text, language=debuggee.program.language)


def _verified(count: int, otherwise: str, debuggee: Debuggee) -> dict[str, Any]:
    if count:
        return {"verified": True, "message": pluralize(count, "time")}
    if debuggee.is_growing:
        return {"verified": True}
    return {"verified": False, "message": f"{otherwise} in this recording"}
