"""Names of modules and functions that are not executed, from the command line or Python."""

import builtins
import keyword
from collections.abc import Iterable

from worldline.core.errors import InputError

# What the sandbox forbids: the network, and other programs.
FORBIDDEN = (
    "ftplib",
    "http.client",
    "imaplib",
    "os.popen",
    "os.system",
    "poplib",
    "smtplib",
    "socket",
    "ssl",
    "subprocess",
    "urllib.request",
    "xmlrpc.client",
)
_FORBIDDEN_NAME = "forbidden"
# Placeholders for them would break the program or the import system.
_NEVER = frozenset({"builtins", "sys", "importlib", "__main__"})


def parse_assumed_names(texts: Iterable[str]) -> tuple[str, ...]:
    """The names in comma-separated texts, sorted; `forbidden` stands for several.

    Args:
        texts: Modules (`requests`, `urllib.request`), functions (`time.time`), built-in functions
            (`input`), `missing` for all modules that are not installed, or `forbidden`.

    Raises:
        InputError: There is no name, or one that cannot be assumed.

    Examples:
        >>> parse_assumed_names(["requests,torch", "input"])
        ('input', 'requests', 'torch')
    """
    names: set[str] = set()
    for name in (part.strip() for text in texts for part in text.split(",")):
        if name == _FORBIDDEN_NAME:
            names.update(FORBIDDEN)
        elif name:
            _check_name(name)
            names.add(name)
    if not names:
        raise InputError(
            "no name to assume; add --assume with a module (requests), a function (time.time, "
            "input), `missing` or `forbidden`"
        )
    return tuple(sorted(names))


def _check_name(name: str) -> None:
    parts = name.split(".")
    is_name = all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)
    is_class = isinstance(getattr(builtins, name, None), type)
    if not is_name or is_class or parts[0] in _NEVER or name == "__import__":
        raise InputError(
            f"--assume {name!r}: this cannot be assumed; name a module (requests), a function "
            "(time.time, input), `missing` or `forbidden`"
        )
