"""Text of floating-point numbers of 32 bits."""

import struct


def float32_text(value: float) -> str:
    """A float, with as few digits as give the same float."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("<f", float(text)) == struct.pack("<f", value):
            return repr(float(text))
    return repr(value)
