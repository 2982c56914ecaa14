"""Text for people: escapes, plurals, truncation."""


def printable(text: str) -> str:
    """The text with control characters and invisible characters written as escapes.

    "a\x1b[31m\n" -> "a\\x1b[31m\\n"
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def pluralize(number: int, noun: str) -> str:
    """A number and its noun, in the plural if needed.

    1, "step" -> "1 step"; 1234, "step" -> "1,234 steps"
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def truncate_text(text: str, width: int, *, around: int = 0) -> str:
    """Truncate a text to `width` characters, with … for what was left out.

    Args:
        text: Any text; control characters are escaped.
        width: Characters of the result.
        around: Position in the text that has to be shown.

    "abcdefghij", 5, around=6 -> "…fgh…"
    """
    text = printable(text)
    start = max(0, around - width // 2)
    if start == 0 and len(text) <= width:
        return text
    rest = text[start + (start > 0) :]
    room = width - (start > 0)
    return ("…" if start else "") + (rest if len(rest) <= room else rest[: room - 1] + "…")


def common_prefix_length(a: str, b: str) -> int:
    """Length of the longest common prefix of two texts.

    "abc", "abd" -> 2
    """
    pairs = zip(a, b, strict=False)
    return next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))
