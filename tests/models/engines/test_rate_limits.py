"""Waits in the headers of replies."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from worldline.models.engines.rate_limits import parse_duration, parse_wait


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("20", 20.0), ("0.5", 0.5), ("20ms", 0.02), ("1s", 1.0), ("6m0s", 360.0),
        ("1h2m3s", 3723.0),
        ("-3", 0.0), ("", None), ("soon", None), ("6m soon", None), ("nan", None), ("inf", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)  # fmt: skip
def test_durations(text: str, seconds: float | None) -> None:
    assert parse_duration(text) == seconds


def test_times() -> None:
    later = datetime.now(UTC) + timedelta(seconds=50)
    texts = [format_datetime(later, usegmt=True), later.isoformat(), f"{time.time() + 50:.0f}"]
    for text in [*texts, f"{(time.time() + 50) * 1000:.0f}"]:
        wait = parse_duration(text)
        assert wait is not None
        assert 48 <= wait <= 51


def test_the_exhausted_limit_decides() -> None:
    limits = {"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}
    assert parse_wait(limits) == 1.0
    assert parse_wait(limits | {"x-ratelimit-remaining-tokens": "0"}) == 360.0
    assert parse_wait(limits | {"retry-after": "3"}) == 3.0
    assert parse_wait(limits | {"retry-after-ms": "250"}) == 0.25
    assert parse_wait({"x-ratelimit-limit-requests": "60"}) is None
