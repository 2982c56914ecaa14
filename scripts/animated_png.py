"""Animated PNG files, from the PNG pictures of a browser; without a library for pictures."""

import struct
import zlib
from collections.abc import Iterator, Sequence

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# A frame replaces the one before it.
_REPLACE = b"\0\0"

Chunk = tuple[bytes, bytes]


def animate(frames: Sequence[tuple[bytes, int]]) -> bytes:
    """Join pictures to an animation that repeats without end.

    Args:
        frames: PNG files of the same size and colour type, and how many milliseconds each is shown.

    Raises:
        ValueError: The pictures differ in size or colour type.
    """
    pictures = [list(read_chunks(picture)) for picture, _ in frames]
    headers = {dict(chunks)[b"IHDR"] for chunks in pictures}
    if len(headers) != 1:
        raise ValueError("all pictures must have the same size and colour type")
    (header,) = headers
    size, numbers = header[:8], iter(range(10_000))
    body = [(b"IHDR", header), (b"acTL", struct.pack(">II", len(frames), 0))]
    for index, (chunks, (_, milliseconds)) in enumerate(zip(pictures, frames, strict=True)):
        place = size + struct.pack(">IIHH", 0, 0, milliseconds, 1000) + _REPLACE
        body.append((b"fcTL", struct.pack(">I", next(numbers)) + place))
        data = b"".join(content for kind, content in chunks if kind == b"IDAT")
        body.append((b"IDAT", data) if not index else (b"fdAT", _number(next(numbers)) + data))
    body.append((b"IEND", b""))
    return SIGNATURE + b"".join(_encode(*chunk) for chunk in body)


def read_chunks(picture: bytes) -> Iterator[Chunk]:
    """The chunks of a PNG file: their kind and content."""
    if not picture.startswith(SIGNATURE):
        raise ValueError("not a PNG file")
    position = len(SIGNATURE)
    while position < len(picture):
        length, kind = struct.unpack_from(">I4s", picture, position)
        yield kind, picture[position + 8 : position + 8 + length]
        position += length + 12


def _number(number: int) -> bytes:
    return struct.pack(">I", number)


def _encode(kind: bytes, content: bytes) -> bytes:
    return _number(len(content)) + kind + content + _number(zlib.crc32(kind + content))
