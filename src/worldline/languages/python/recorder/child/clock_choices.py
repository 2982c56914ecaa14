"""Choices of `time` and `datetime`: the readings of the clock."""

import gc
import time
from sys import _getframe
from typing import Any

from .choice_session import ChoiceSession, Replacement
from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

_CLOCKS = ("time", "monotonic", "perf_counter", "process_time", "thread_time")
_CONVERSIONS = ("localtime", "gmtime", "ctime")
# They read the clock to wait, as often as it takes.
_WAITING_MODULES = frozenset(
    {"asyncio", "concurrent", "multiprocessing", "queue", "selectors", "subprocess", "threading"}
)
_time_ns = time.time_ns


def replace_clocks(session: ChoiceSession) -> None:
    """Replace the functions of `time` that read a clock."""
    originals = {name: getattr(time, name) for name in (*_CONVERSIONS, "strftime", "time")}

    def clock(name: str, original: Any) -> Any:
        def read() -> Any:
            if session.is_nested() or _is_waiting():
                return original()
            return session.choose(f"time.{name}", (), "clock", original)

        return read

    def conversion(name: str, original: Any) -> Any:
        def convert(seconds: Any = None) -> Any:
            if seconds is None and not session.is_nested():
                seconds = session.choose(f"time.{name}", (), "clock", originals["time"])
            return original(seconds)

        return convert

    def strftime(form: Any, *times: Any) -> Any:
        if not times and not session.is_nested():
            now = session.choose("time.strftime", (form,), "clock", originals["time"])
            times = (originals["localtime"](now),)
        return originals["strftime"](form, *times)

    for name in (each for base in _CLOCKS for each in (base, f"{base}_ns")):
        original = getattr(time, name, None)
        if original is not None:
            setattr(time, name, Replacement(original, clock(name, original)))
    for name in _CONVERSIONS:
        original = getattr(time, name)
        setattr(time, name, Replacement(original, conversion(name, original)))
    time.strftime = Replacement(originals["strftime"], strftime)


def _is_waiting() -> bool:
    """Whether a module that waits reads the clock, not the program."""
    frame = _getframe(3)
    module = frame.f_globals.get("__name__")
    return isinstance(module, str) and module.partition(".")[0] in _WAITING_MODULES


def replace_datetime(session: ChoiceSession) -> None:
    """Replace the class methods of `datetime` that read the clock.

    Attributes of these types cannot be set, but their dictionaries can be changed before the
    methods are used for the first time.
    """
    import datetime

    def microseconds(name: str) -> Any:
        return session.choose(f"datetime.{name}", (), "clock", lambda: _time_ns() // 1000)

    def now(cls: Any, tz: Any = None) -> Any:
        count = microseconds("datetime.now")
        moment = cls.fromtimestamp(count // 1_000_000, tz)
        return moment.replace(microsecond=count % 1_000_000)

    def utcnow(cls: Any) -> Any:
        count = microseconds("datetime.utcnow")
        moment = cls.fromtimestamp(count // 1_000_000, datetime.timezone.utc)  # noqa: UP017
        return moment.replace(microsecond=count % 1_000_000, tzinfo=None)

    def today(cls: Any) -> Any:
        count = microseconds("datetime.today")
        moment = cls.fromtimestamp(count // 1_000_000)
        return moment.replace(microsecond=count % 1_000_000)

    def date_today(cls: Any) -> Any:
        return cls.fromtimestamp(microseconds("date.today") // 1_000_000)

    moments = gc.get_referents(datetime.datetime.__dict__)[0]
    moments.update(now=classmethod(now), utcnow=classmethod(utcnow), today=classmethod(today))
    gc.get_referents(datetime.date.__dict__)[0]["today"] = classmethod(date_today)
