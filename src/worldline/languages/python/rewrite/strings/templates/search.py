"""Functions for searches: find, index, count and `in`."""

# Bounds of a search -> the additional parameters, the check of their types, and their conversion
# to positions.
BOUNDS = {
    "": ("", "", ""),
    "_from": (
        ", start",
        " or type(start) is not int",
        """\
    if start < 0:
        start = max(start + len(text), 0)
""",
    ),
    "_between": (
        ", start, stop",
        " or type(start) is not int or type(stop) is not int",
        """\
    if start < 0:
        start = max(start + len(text), 0)
    if stop < 0:
        stop = max(stop + len(text), 0)
    stop = min(stop, len(text))
""",
    ),
}

FORWARD = {
    "": "range(len(text) - len(part) + 1)",
    "_from": "range(start, len(text) - len(part) + 1)",
    "_between": "range(start, stop - len(part) + 1)",
}

BACKWARD = {
    "": "range(len(text) - len(part), -1, -1)",
    "_from": "range(len(text) - len(part), start - 1, -1)",
    "_between": "range(stop - len(part), start - 1, -1)",
}

SEARCH = """\
def string_{method}{bounds}(text, part{parameters}):
    if type(text) is not str or type(part) is not str or part == ''{guard}:
        return FALLBACK
{places}\
    for position in {order}:
        if text[position] == part[0]:
            length = 1
            while length < len(part) and text[position + length] == part[length]:
                length = length + 1
            if length == len(part):
                return position
    return {missing}
"""

# Occurrences that overlap the one counted before are not counted.
COUNT = """\
def string_count{bounds}(text, part{parameters}):
    if type(text) is not str or type(part) is not str or part == ''{guard}:
        return FALLBACK
{places}\
    total = 0
    following = 0
    for position in {order}:
        if position >= following and text[position] == part[0]:
            length = 1
            while length < len(part) and text[position + length] == part[length]:
                length = length + 1
            if length == len(part):
                total = total + 1
                following = position + length
    return total
"""

IN = """\
def string_in(part, text):
    if type(part) is not str or type(text) is not str or part == '':
        return FALLBACK
    for position in range(len(text) - len(part) + 1):
        if text[position] == part[0]:
            length = 1
            while length < len(part) and text[position + length] == part[length]:
                length = length + 1
            if length == len(part):
                return True
    return False
"""


def search(method: str, bounds: str) -> str:
    """Return the function for one search method with these bounds."""
    parameters, guard, places = BOUNDS[bounds]
    return (COUNT if method == "count" else SEARCH).format(
        method=method,
        bounds=bounds,
        parameters=parameters,
        guard=guard,
        places=places,
        order=(BACKWARD if method.startswith("r") else FORWARD)[bounds],
        # Python raises the error.
        missing="FALLBACK" if method.endswith("index") else "-1",
    )


SEARCH_FUNCTIONS = "\n".join(
    [search(m, b) for m in ("find", "rfind", "index", "rindex", "count") for b in BOUNDS] + [IN]
)
