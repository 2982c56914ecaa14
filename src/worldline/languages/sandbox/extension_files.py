"""C extensions of the sandbox: the Python versions that they are installed for."""

import re
from pathlib import Path

# Versions of CPython that the extensions can be built for; as in hatch_build.py.
SUPPORTED_VERSIONS = ("3.11", "3.12", "3.13")
_VERSION = re.compile(r"\.cpython-(\d)(\d+)-")


def version_of_suffix(suffix: str) -> str:
    """The Python version of an extension's suffix; "" if it is not one of CPython.

    ".cpython-311-x86_64-linux-gnu.so" -> "3.11"
    """
    match = _VERSION.match(suffix)
    return f"{match[1]}.{match[2]}" if match else ""


def installed_versions(child: Path) -> tuple[str, ...]:
    """The Python versions that have the extension in a folder, oldest first."""
    names = (path.name for path in child.glob("_sandbox_layers.*.so"))
    versions = {version_of_suffix(name.removeprefix("_sandbox_layers")) for name in names} - {""}
    return tuple(sorted(versions, key=lambda version: int(version.split(".")[1])))


def explain_missing_extension(python: str, version: str, installed: tuple[str, ...]) -> str:
    """Why programs cannot be executed with an interpreter, and what to do.

    Args:
        python: The path of the interpreter.
        version: Its version, such as "3.14".
        installed: The versions that have the extension.
    """
    others = " and ".join(installed)
    choose = f"choose another Python (--python python{installed[-1]})" if installed else ""
    if version not in SUPPORTED_VERSIONS:
        reason = f"the full sandbox does not support Python {version or 'other than CPython'}"
        supported = f"{SUPPORTED_VERSIONS[0]} to {SUPPORTED_VERSIONS[-1]}"
        remedy = choose or f"install worldline in Python {supported}"
    elif installed:
        reason = f"the sandbox's C extension is installed for Python {others}, not for {version}"
        remedy = (
            f"{choose}, or install worldline again with python{version} and its headers on PATH"
        )
    else:
        reason = "worldline is installed without its C extensions, which the full sandbox needs"
        remedy = (
            "install a C compiler and Python's headers (apt install gcc python3-dev), then "
            "worldline again (pip install --force-reinstall)"
        )
    return f"{reason} ({python}): {remedy}"
