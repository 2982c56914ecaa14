"""Session of the debug adapter: answers requests, moves through the replay, sends events."""

import sys
import traceback
from collections.abc import Callable
from typing import Any

from worldline.analysis.replay import Motion
from worldline.core.errors import WorldlineError
from worldline.interfaces.api.engine_handle import EngineLike
from worldline.interfaces.dap import position_requests as position
from worldline.interfaces.dap.breakpoint_requests import (
    EXCEPTION_FILTERS,
    BreakpointRequests,
    data_breakpoint_info,
)
from worldline.interfaces.dap.launch_request import Launched, launch
from worldline.interfaces.dap.line_values import line_values
from worldline.interfaces.dap.message_framing import MessageWriter
from worldline.interfaces.dap.replay_cursor import ReplayCursor
from worldline.interfaces.dap.request_arguments import (
    Arguments,
    RequestError,
    flag_argument,
    object_argument,
    required_number,
    required_text,
    text_argument,
)

CAPABILITIES = {
    "supportsConfigurationDoneRequest": True,
    "supportsFunctionBreakpoints": True,
    "supportsConditionalBreakpoints": True,
    "supportsLogPoints": True,
    "supportsDataBreakpoints": True,
    "supportsEvaluateForHovers": True,
    "supportsStepBack": True,
    "supportsRestartFrame": True,
    "supportsGotoTargetsRequest": True,
    "supportsSteppingGranularity": True,
    "supportsSetVariable": True,
    "supportsExceptionInfoRequest": True,
    "supportsLoadedSourcesRequest": True,
    "supportsTerminateRequest": True,
    "supportsDelayedStackTraceLoading": True,
    "exceptionBreakpointFilters": list(EXCEPTION_FILTERS),
}
# The protocol's reasons of a stop. A divergence is shown as exceptions are.
_REASONS = {
    "line": "breakpoint",
    "function": "function breakpoint",
    "data": "data breakpoint",
    "exception": "exception",
    "divergence": "exception",
    "pause": "pause",
    "start": "entry",
    "end": "end",
}
Answer = dict[str, Any] | None


class DebugSession:
    """One client's session, from `initialize` to `disconnect`.

    Args:
        writer: Sends responses and events.
        engine: The engine of launches that name none; without one, nothing is predicted.
        is_interrupted: Whether a request to pause or to end has arrived meanwhile.
    """

    def __init__(
        self,
        writer: MessageWriter,
        *,
        engine: EngineLike | None = None,
        is_interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        self._writer = writer
        self._engine = engine
        self._is_interrupted = is_interrupted
        self._first_line: int | None = None
        self._breakpoints = BreakpointRequests()
        self._launched: Launched | None = None
        self._launch_request: dict[str, Any] | None = None
        self._cursor: ReplayCursor | None = None
        self._stops_on_entry = False
        self._starts_in_file = False
        self._has_printed = False
        self._is_terminated = False
        self.is_closed = False
        # What is done after the response was sent.
        self._follow_up: Callable[[], None] | None = None
        self._handlers: dict[str, Callable[[Arguments], Answer]] = {
            "initialize": self._initialize,
            "launch": self._launch,
            "attach": self._refuse_attach,
            "configurationDone": self._configuration_done,
            "setBreakpoints": self._set_line_breakpoints,
            "setFunctionBreakpoints": self._set_function_breakpoints,
            "setExceptionBreakpoints": self._set_exception_breakpoints,
            "setDataBreakpoints": self._set_data_breakpoints,
            "dataBreakpointInfo": lambda a: data_breakpoint_info(
                a, self._at.views, self._at.debuggee
            ),
            "threads": self._threads,
            "stackTrace": lambda a: position.answer_stack(self._at, a),
            "scopes": lambda a: position.answer_scopes(self._at, a),
            "variables": lambda a: position.answer_variables(self._at, a),
            "setVariable": self._set_variable,
            "evaluate": lambda a: position.answer_evaluation(self._at, a),
            "continue": lambda a: self._continue(a, backwards=False),
            "reverseContinue": lambda a: self._continue(a, backwards=True),
            "next": lambda a: self._step(a, "over"),
            "stepIn": lambda a: self._step(a, "in"),
            "stepOut": lambda a: self._step(a, "out"),
            "stepBack": self._step_back,
            "pause": self._pause,
            "restartFrame": self._restart_frame,
            "gotoTargets": lambda a: position.answer_goto_targets(
                self._at, a, first_line=self._first_line or 0
            ),
            "goto": self._goto,
            "exceptionInfo": lambda a: position.answer_exception(self._at),
            "loadedSources": lambda a: {"sources": self._at.debuggee.sources},
            "source": lambda a: position.answer_source(self._at, a),
            # Not in the protocol: our own extension of VS Code shows them.
            "worldline/lineValues": lambda a: {
                "lines": line_values(self._at.debuggee, self._at.row)
            },
            "terminate": self._terminate,
            "disconnect": self._disconnect,
        }

    def handle(self, request: dict[str, Any]) -> None:
        """Answer one request; an error is a response, too."""
        command = request.get("command")
        if request.get("type") != "request" or not isinstance(command, str):
            self._writer.send_error(request, "not a request: it needs type and command")
            return
        self._follow_up = None
        try:
            body = self._answer(command, request)
        except WorldlineError as error:
            self._writer.send_error(request, str(error), is_shown=command == "launch")
            return
        except Exception as error:  # noqa: BLE001
            # A mistake of the adapter must not end the session.
            traceback.print_exc(file=sys.stderr)
            self._writer.send_error(request, f"internal error: {type(error).__name__}: {error}")
            return
        if command == "launch":
            # It is answered after configurationDone.
            self._launch_request = request
        else:
            self._writer.send_response(request, body)
        self._run_follow_up()

    def _answer(self, command: str, request: dict[str, Any]) -> Answer:
        handler = self._handlers.get(command)
        if handler is None:
            raise RequestError(f"the request {command} is not supported")
        if self._first_line is None and command not in ("initialize", "disconnect"):
            raise RequestError("the first request must be initialize")
        return handler(object_argument(request, "arguments"))

    def close(self) -> None:
        """End the session, and what it has started for a model."""
        self.is_closed = True
        if self._launched is not None and self._launched.live is not None:
            self._launched.live.close()
        self._launched = None

    @property
    def _at(self) -> ReplayCursor:
        """The cursor.

        Raises:
            RequestError: Nothing is launched.
        """
        if self._cursor is None:
            raise RequestError("nothing is launched yet; send launch first")
        return self._cursor

    def _run_follow_up(self) -> None:
        if self._follow_up is None:
            return
        try:
            self._follow_up()
        except WorldlineError as error:
            # The engine failed: the session stays where it is.
            self._say(f"{error}\n", category="stderr")
            self._send_stopped("pause", str(error))
        except ConnectionError:
            # The client is gone.
            raise
        except Exception as error:  # noqa: BLE001
            # A mistake of the adapter must not end the session: the client waits for a stop.
            traceback.print_exc(file=sys.stderr)
            text = f"internal error: {type(error).__name__}: {error}"
            self._say(f"{text}\n", category="stderr")
            self._send_stopped("pause", text)

    def _initialize(self, arguments: Arguments) -> Answer:
        if self._first_line is not None:
            raise RequestError("initialize was sent before")
        self._first_line = int(flag_argument(arguments, "linesStartAt1", default=True))
        self._breakpoints = BreakpointRequests(first_line=self._first_line)
        return CAPABILITIES

    def _launch(self, arguments: Arguments) -> Answer:
        if self._launched is not None:
            raise RequestError("a program is launched already; disconnect first")
        self._stops_on_entry = flag_argument(arguments, "stopOnEntry")
        self._starts_in_file = flag_argument(arguments, "startInFile")
        launched = launch(arguments, engine=self._engine, say=lambda text: self._say(f"{text}\n"))
        self._launched = launched
        self._cursor = ReplayCursor(
            launched.debuggee, launched.live, first_line=self._first_line or 0
        )
        self._say(f"{launched.debuggee.summary}\n")
        # Breakpoints are set now, when it is known which lines are executed.
        self._follow_up = lambda: self._writer.send_event("initialized")
        return None

    def _refuse_attach(self, arguments: Arguments) -> Answer:
        raise RequestError("there is no process to attach to: use launch")

    def _configuration_done(self, arguments: Arguments) -> Answer:
        if self._launch_request is None:
            raise RequestError("nothing is launched yet; send launch first")
        request, self._launch_request = self._launch_request, None

        def start() -> None:
            self._writer.send_response(request)
            for id, _, _, _ in self._at.views.threads():
                self._writer.send_event("thread", {"reason": "started", "threadId": id})
            if self._stops_on_entry:
                if self._starts_in_file:
                    self._at.jump_to_file(self._is_interrupted)
                self._send_stopped("entry")
            else:
                self._resume(backwards=False, from_start=True)

        self._follow_up = start
        return None

    def _set_line_breakpoints(self, arguments: Arguments) -> Answer:
        debuggee = self._cursor.debuggee if self._cursor else None
        return {"breakpoints": self._breakpoints.set_lines(arguments, debuggee)}

    def _set_function_breakpoints(self, arguments: Arguments) -> Answer:
        debuggee = self._cursor.debuggee if self._cursor else None
        return {"breakpoints": self._breakpoints.set_functions(arguments, debuggee)}

    def _set_exception_breakpoints(self, arguments: Arguments) -> Answer:
        return {"breakpoints": self._breakpoints.set_exceptions(arguments)}

    def _set_data_breakpoints(self, arguments: Arguments) -> Answer:
        debuggee = self._cursor.debuggee if self._cursor else None
        return {"breakpoints": self._breakpoints.set_data(arguments, debuggee)}

    def _threads(self, arguments: Arguments) -> Answer:
        return {"threads": []} if self._cursor is None else position.answer_threads(self._cursor)

    def _continue(self, arguments: Arguments, *, backwards: bool) -> Answer:
        self._check_moves(arguments)
        if self._at.is_at_end and not backwards:
            self._follow_up = self._end
        else:
            self._follow_up = lambda: self._resume(backwards=backwards)
        return {"allThreadsContinued": True}

    def _step(self, arguments: Arguments, motion: Motion) -> Answer:
        self._check_moves(arguments)
        if self._at.is_at_end and motion in ("in", "over", "out"):
            self._follow_up = self._end
            return None
        track, thread = self._at.views.find_thread(required_number(arguments, "threadId"))

        def go() -> None:
            self._at.step(motion, track, thread, self._is_interrupted)
            self._send_stopped("step")

        self._follow_up = go
        return None

    def _step_back(self, arguments: Arguments) -> Answer:
        granularity = text_argument(arguments, "granularity")
        return self._step(arguments, "back_over" if granularity == "line" else "back")

    def _pause(self, arguments: Arguments) -> Answer:
        # What was running has stopped already: see `is_interrupted`.
        self._at.views.find_thread(required_number(arguments, "threadId"))
        return None

    def _check_moves(self, arguments: Arguments) -> None:
        if self._is_terminated:
            raise RequestError("the session has ended")
        if self._launch_request is not None:
            raise RequestError("the configuration is not done; send configurationDone first")
        self._at.views.find_thread(required_number(arguments, "threadId"))

    def _restart_frame(self, arguments: Arguments) -> Answer:
        view = self._at.views.frame(required_number(arguments, "frameId"))
        step = view.execution.frames[view.entry.frame].first_step
        row, side = view.track.rows[step], view.execution.side

        def go() -> None:
            self._at.jump(row, side)
            self._send_stopped("restart")

        self._follow_up = go
        return None

    def _goto(self, arguments: Arguments) -> Answer:
        self._check_moves(arguments)
        row, side = position.find_target(self._at, required_number(arguments, "targetId"))

        def go() -> None:
            self._at.jump(row, side)
            self._send_stopped("goto")

        self._follow_up = go
        return None

    def _set_variable(self, arguments: Arguments) -> Answer:
        name, value = required_text(arguments, "name"), required_text(arguments, "value")
        reference = required_number(arguments, "variablesReference")
        view = self._at.views.owner(reference)
        if view is None or self._at.views.row(reference, name) is None or name.startswith("("):
            raise RequestError(f"{name} is not a local variable that can be changed")
        self._at.change_variable(view, name, value)
        # The later steps are gone, and so are the client's frames.
        self._follow_up = lambda: self._send_stopped("goto", f"{name} was changed")
        return {"value": value, "variablesReference": 0}

    def _terminate(self, arguments: Arguments) -> Answer:
        self._follow_up = self._end
        return None

    def _disconnect(self, arguments: Arguments) -> Answer:
        self.close()
        return None

    def _resume(self, *, backwards: bool, from_start: bool = False) -> None:
        self._at.resume(
            self._breakpoints.active(),
            backwards=backwards,
            from_start=from_start,
            on_message=lambda text: self._say(f"{text}\n"),
            is_cancelled=self._is_interrupted,
        )
        self._send_stopped("pause")

    def _send_stopped(self, reason: str, text: str = "") -> None:
        """Tell the client where the replay has stopped, and why."""
        cursor, stop = self._at, self._at.stop
        body: dict[str, Any] = {"reason": reason, "threadId": cursor.thread}
        if stop is not None and reason in ("step", "pause") and not text:
            text = stop.text
            body["reason"] = _REASONS[stop.reason]
            if stop.reason == "divergence":
                body["description"] = "Paused on divergence"
            if stop.reason == "end":
                body["description"] = "End of the recording"
        if stop is not None and stop.ids:
            body["hitBreakpointIds"] = list(stop.ids)
        if text:
            body["text"] = text
        if cursor.is_at_end and not self._has_printed:
            self._has_printed = True
            if cursor.debuggee.stdout:
                self._say(cursor.debuggee.stdout, category="stdout")
        self._writer.send_event("stopped", {**body, "allThreadsStopped": True})

    def _end(self) -> None:
        """Tell the client that the program has ended, once."""
        if not self._is_terminated:
            self._is_terminated = True
            self._writer.send_event("exited", {"exitCode": 0})
            self._writer.send_event("terminated")

    def _say(self, text: str, *, category: str = "console") -> None:
        self._writer.send_event("output", {"category": category, "output": text})
