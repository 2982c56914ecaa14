"""Waits that a server asks for in the headers of its reply."""

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_UNIT_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_RESET = re.compile(r"(?:x-|anthropic-)?ratelimit-(?:reset(?:-(\w+))?|(\w[\w-]*)-reset)")
# Numbers from here on are times, in seconds or in milliseconds since 1970, and not durations.
_FIRST_TIME, _FIRST_TIME_MS = 1e9, 1e12


def parse_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds that a server asks to wait before the next request.

    `Retry-After` counts most. Without it, the wait is until the exhausted limits are reset; if no
    limit says that it is exhausted, until the first one is.

    {"retry-after": "20"} -> 20.0
    {"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s",
     "x-ratelimit-remaining-tokens": "0"} -> 360.0

    Args:
        headers: the headers, with names in lower case.

    Returns:
        The wait; None if the server does not say.
    """
    milliseconds = parse_duration(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    retry_after = parse_duration(headers.get("retry-after", ""))
    if retry_after is not None:
        return retry_after
    resets: list[float] = []
    exhausted: list[float] = []
    for name, value in headers.items():
        wait = parse_duration(value) if _RESET.fullmatch(name) else None
        if wait is not None:
            resets.append(wait)
            if headers.get(name.replace("reset", "remaining"), "").strip() == "0":
                exhausted.append(wait)
    return max(exhausted) if exhausted else min(resets, default=None)


def parse_duration(text: str) -> float | None:
    """Seconds of a duration, or until a time; None if it is neither.

    "20" -> 20.0; "6m0s" -> 360.0; "20ms" -> 0.02; "Wed, 21 Oct 2015 07:28:00 GMT" -> 0.0
    """
    text = text.strip()
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        if number != number or number >= 1e15:
            return None
        if number >= _FIRST_TIME_MS:
            number /= 1000
        return max(0.0, number - time.time() if number >= _FIRST_TIME else number)
    parts = _DURATION.findall(text)
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * _UNIT_SECONDS[unit] for number, unit in parts)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, moment.timestamp() - time.time())
