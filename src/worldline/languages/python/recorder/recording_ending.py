"""Ending of a recording, from its rows and the wait status of its process."""

import os
import signal
from typing import get_args

from worldline.core.errors import RecorderError
from worldline.core.trace import Ending, EndReason, Limits
from worldline.languages.python.recorder.assumed_request import NEEDED
from worldline.languages.python.recorder.recording_protocol import RawRecording

END_REASONS = frozenset(get_args(EndReason))


def recording_ending(recording: RawRecording, limits: Limits) -> Ending:
    """Why the recording ended: as the child process reported, or else from its wait status."""
    if recording.is_tampered:
        return Ending("tampered", "the recording is not what its own last row says")
    if recording.end is not None:
        return reported_ending(*recording.end, limits)
    if recording.was_cancelled:
        return Ending("killed", "cancelled")
    if recording.was_timed_out:
        return Ending("time_limit", f"more than {limits.seconds:g} s")
    if recording.is_dead:
        return Ending("killed", "the recorder's interpreter died with it, twice")
    if recording.status is None:
        return Ending("killed", "from outside")
    status = os.waitstatus_to_exitcode(recording.status)
    if status == -signal.SIGXFSZ:
        return Ending("output_limit", f"more than {limits.output_mb:,} MB printed")
    if status == -signal.SIGXCPU:
        return Ending.from_cpu_time_limit(limits.enforced_cpu_seconds)
    if status == -signal.SIGSYS:
        return Ending("forbidden_call", "a system call that no program needs")
    if status < 0:
        return Ending("killed", _signal_name(-status))
    return Ending("killed", f"the process ended itself with status {status}")


def reported_ending(reason: str, detail: str, limits: Limits) -> Ending:
    """The ending that the child process has reported.

    Raises:
        RecorderError: The recorder failed in the child process.
    """
    if reason == "recorder_failed":
        raise RecorderError(f"the recorder failed in the program's process:\n{detail}")
    if reason == NEEDED:
        return Ending("assumption_failed", "no value was provided for a call")
    details = {
        "step_limit": f"more than {limits.steps:,} steps",
        "trace_limit": f"more than {limits.trace_mb:,} MB of trace",
        "memory_limit": f"more than {limits.memory_mb:,} MB of memory",
    }
    assert reason in END_REASONS
    return Ending(reason, detail or details.get(reason, ""))  # type: ignore[arg-type]


def _signal_name(number: int) -> str:
    """9 -> "SIGKILL"; 40, which has no name -> "signal 40" """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
