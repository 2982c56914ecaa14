"""Stop strings: where a completion ends."""

from collections.abc import Sequence


def cut_after_stop(text: str, stops: Sequence[str]) -> str | None:
    """The text up to the end of the first complete stop string; None if there is none.

    "a = 1\\nb", ("\\n",) -> "a = 1\\n"
    """
    ends = [text.index(stop) + len(stop) for stop in stops if stop and stop in text]
    return text[: min(ends)] if ends else None
