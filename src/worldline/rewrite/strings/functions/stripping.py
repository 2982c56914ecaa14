"""Texts without what stands at their ends: the functions for strip, lstrip and rstrip."""

FRONT = """\
    while start < stop and {first}:
        start = start + 1
"""

BEHIND = """\
    while stop > start and {last}:
        stop = stop - 1
"""

STRIP = """\
def string_{name}(text{parameter}):
    if type(text) is not str{guard}:
        return FALLBACK
{characters}\
    start = 0
    stop = len(text)
{ends}\
    result = ''
    for position in range(start, stop):
        result = result + text[position]
    return result
"""

ENDS = {"strip": FRONT + BEHIND, "lstrip": FRONT, "rstrip": BEHIND}


def strip_spaces(method: str) -> str:
    """The function for one method that takes white space away."""
    ends = ENDS[method].format(first="text[start].isspace()", last="text[stop - 1].isspace()")
    return STRIP.format(name=method, parameter="", guard="", characters="", ends=ends)


def strip_characters(method: str) -> str:
    """The function for one method that takes away the characters it is given."""
    ends = ENDS[method].format(
        first="text[start] in characters", last="text[stop - 1] in characters"
    )
    return STRIP.format(
        name=f"{method}_of",
        parameter=", chars",
        guard=" or type(chars) is not str",
        characters="    characters = list(chars)\n",
        ends=ends,
    )


STRIPPING = "\n".join(make(method) for method in ENDS for make in (strip_spaces, strip_characters))
