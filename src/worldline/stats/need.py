"""The name of a scientific library goes in; the library comes out, or what to install."""

import importlib
from typing import Any

from worldline.errors import InputError


def need(name: str) -> Any:
    """A module of scipy, or numpy, which comes with it: imported when it is first used, for it
    takes longer than most commands."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise InputError(
            f"intervals and tests need {name.partition('.')[0]}: pip install 'worldline[runs]'"
        ) from None
