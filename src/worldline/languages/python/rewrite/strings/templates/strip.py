"""Functions for strip, lstrip and rstrip."""

STRIP_LEFT = """\
    while start < stop and {first}:
        start = start + 1
"""

STRIP_RIGHT = """\
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

ENDS = {"strip": STRIP_LEFT + STRIP_RIGHT, "lstrip": STRIP_LEFT, "rstrip": STRIP_RIGHT}


def strip_spaces(method: str) -> str:
    """Return the function for one method that strips whitespace."""
    ends = ENDS[method].format(first="text[start].isspace()", last="text[stop - 1].isspace()")
    return STRIP.format(name=method, parameter="", guard="", characters="", ends=ends)


def strip_characters(method: str) -> str:
    """Return the function for one method that strips given characters."""
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


STRIP_FUNCTIONS = "\n".join(
    make(method) for method in ENDS for make in (strip_spaces, strip_characters)
)
