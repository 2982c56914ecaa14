"""Messages of a group: complete ones count, and nothing after a message that is too long."""

import random

from worldline.languages.python.recorder.group_messages import GroupReceiver

Results = tuple[list[bytes | None], bool]


def message(rows: bytes, output: bytes = b"", *, is_last: bool = False) -> bytes:
    lengths = (len(each).to_bytes(4, "little") for each in (rows, output))
    return b"".join(lengths) + bytes([is_last]) + rows + output


def received(*parts: bytes, messages: int = 3, message_bytes: int = 1000) -> Results:
    """What a receiver has read after each part was sent."""
    receiver = GroupReceiver[bytes](
        lambda rows, output: rows + b"|" + output, messages=messages, message_bytes=message_bytes
    )
    try:
        for part in parts:
            receiver.remote.sendall(part)
            receiver.receive()
        recorded, ended_itself = receiver.results()
        return recorded, ended_itself
    finally:
        receiver.close()


def test_messages_in_parts() -> None:
    data = message(b"ab", b"cd") + message(b"") + message(b"ef", is_last=True)
    expected = [b"ab|cd", None, b"ef|"]
    assert received(data) == (expected, True)
    draws = random.Random(1)
    for _ in range(20):
        cuts = sorted(draws.sample(range(len(data)), 5))
        parts = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        assert received(*parts) == (expected, True)


def test_an_incomplete_message_does_not_count() -> None:
    data = message(b"ab", b"cd")
    for size in range(len(data)):
        assert received(message(b"x") + data[:size]) == ([b"x|"], False)


def test_messages_after_the_last_program_do_not_count() -> None:
    assert received(message(b"a") * 5) == ([b"a|"] * 3, False)


def test_a_message_that_is_too_long_ends_the_reading() -> None:
    long = (2**32 - 1).to_bytes(4, "little") * 2 + b"\0" + b"x" * 2000
    assert received(message(b"a"), long, message(b"b") * 100) == ([b"a|"], False)


def test_nothing_is_received_from_a_process_that_has_ended() -> None:
    assert received() == ([], False)
