"""The text of a state goes in; what of it is about which variable comes out."""

import json

from worldline.codecs.values import NotAState, read_entry


def state_entries(text: str) -> list[tuple[str, str]]:
    """Each variable, and the text that is about it; no variable for a value.

    '{"x": "1"}' -> ("x", '"x": "1"'); "x=1\\ny=2" -> ("x", "x=1"), ("y", "y=2")
    """
    if text.startswith("{"):
        try:
            found = json.loads(text)
        except ValueError:
            return [("", text)]
        return [(name, f"{json.dumps(name)}: {json.dumps(value)}") for name, value in found.items()]
    entries = []
    for line in text.split("\n"):
        try:
            name, value = read_entry(line)
        except NotAState:
            name, value = "", None
        entries.append((name if value is not None else "", line))
    return entries
