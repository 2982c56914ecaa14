"""Cursor of a session: the current row, how it moves, and why it stopped there."""

from collections.abc import Callable

from worldline.analysis.replay import Breakpoints, Motion, Side, Stop, Track, find_stop, move
from worldline.interfaces.dap.debuggee import Debuggee
from worldline.interfaces.dap.live_prediction import LivePrediction
from worldline.interfaces.dap.request_arguments import RequestError
from worldline.interfaces.dap.state_views import FrameView, StateViews, thread_id

START = Stop(0, "start", text="start of the recording")
END_TEXT = "end of the recording"


class ReplayCursor:
    """A position in a debuggee. With a model, moving past the last step asks for the next one.

    Attributes:
        debuggee: What is replayed; with a model, it grows.
        row: The current row.
        side: The execution that the user looks at.
        stop: Why the cursor is where it is; None after a step.
        views: The views of the position.
    """

    def __init__(
        self, debuggee: Debuggee, live: LivePrediction | None = None, *, first_line: int = 1
    ) -> None:
        self.debuggee = debuggee
        self._live = live
        self._first_line = first_line
        self.row = 0
        self.side: Side = debuggee.replay.tracks[0].execution.side
        self.stop: Stop | None = START
        self.views = StateViews(debuggee, 0, first_line=first_line)

    @property
    def is_at_end(self) -> bool:
        """Whether there is nothing after the current row."""
        return self.row == self.debuggee.replay.length - 1 and not self._can_grow

    @property
    def _can_grow(self) -> bool:
        return self._live is not None and not self._live.is_finished

    @property
    def thread(self) -> int:
        """The number, in the protocol, of the thread that the current step belongs to."""
        track = self.debuggee.replay.track(self.side)
        step = -1 if track is None else track.step(self.row)
        if track is None or step < 0:
            return thread_id(self.side, 0)
        return thread_id(self.side, track.execution.steps[step].thread)

    def jump(self, row: int, side: Side, stop: Stop | None = None) -> None:
        """Go to a row."""
        self.row, self.side, self.stop = row, side, stop
        self.views = StateViews(self.debuggee, row, first_line=self._first_line)

    def jump_to_file(self, is_cancelled: Callable[[], bool] = lambda: False) -> None:
        """Go to the first step in the program's file, after the line that calls it.

        A model is asked for the steps before it.
        """
        while True:
            track = self.debuggee.replay.tracks[0]
            # Of a model that predicts, only some steps have rows.
            for row, line in zip(track.rows, track.execution.lines, strict=False):
                if line is not None and "path" in self.debuggee.source(line):
                    self.jump(row, self.side, START)
                    return
            if not self._can_grow or (not self._grow(is_cancelled) and is_cancelled()):
                return

    def step(
        self, motion: Motion, track: Track, thread: int, is_cancelled: Callable[[], bool]
    ) -> None:
        """Move by one step; at an edge, the cursor stays there, and `stop` says so."""
        side = track.execution.side
        is_back = motion in ("back", "back_over")
        while True:
            replay = self.debuggee.replay
            can_grow = self._can_grow and not is_back
            target = move(replay, self.row, motion, side, thread=thread, stays_inside=not can_grow)
            if target is not None or not can_grow:
                break
            if not self._grow(is_cancelled) and is_cancelled():
                self.jump(self.row, side, Stop(self.row, "pause", side))
                return
        if target is not None:
            self.jump(target, side)
        elif is_back:
            self.jump(0, side, START)
        else:
            end = self.debuggee.replay.length - 1
            self.jump(end, side, Stop(end, "end", side, text=END_TEXT))

    def resume(
        self,
        breakpoints: Breakpoints,
        *,
        backwards: bool = False,
        from_start: bool = False,
        on_message: Callable[[str], None],
        is_cancelled: Callable[[], bool],
    ) -> None:
        """Go to the next stop; with `from_start`, the first row may be one."""
        row = -1 if from_start else self.row
        while True:
            stop = find_stop(
                self.debuggee.replay,
                row,
                breakpoints,
                backwards=backwards,
                on_message=on_message,
                is_cancelled=is_cancelled,
            )
            if stop.reason != "end" or not self._can_grow:
                break
            row = self.debuggee.replay.length - 1
            if not self._grow(is_cancelled) and is_cancelled():
                stop = Stop(row, "pause", stop.side)
                break
        self.jump(stop.row, stop.side, stop)

    def change_variable(self, view: FrameView, name: str, value: str) -> None:
        """Change a predicted variable; the model continues from there.

        Raises:
            RequestError: It is a recorded value, or not the state of the current step.
        """
        if self._live is None:
            raise RequestError(
                "the values of a recording cannot be changed; launch with an engine to change "
                "the predicted state"
            )
        if view.execution.side != "predicted" or not view.is_innermost:
            raise RequestError(
                "only the predicted variables of the innermost function can be changed"
            )
        self._live.set_variable(view.entry.step, name, value)
        self.debuggee = self._live.debuggee()
        track = self.debuggee.replay.track("predicted")
        assert track is not None
        row = track.rows[min(view.entry.step, len(track.rows) - 1)]
        self.jump(row, "predicted")

    def _grow(self, is_cancelled: Callable[[], bool]) -> bool:
        """Ask the model for one more step; false if there is none."""
        assert self._live is not None
        has_grown = self._live.advance(is_cancelled)
        # Also without a new step: the model may have finished, which shows the rest of the actual.
        self.debuggee = self._live.debuggee()
        return has_grown
