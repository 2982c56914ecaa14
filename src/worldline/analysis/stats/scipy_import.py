"""Lazy import of scipy and numpy, which take longer to import than most commands to run."""

import importlib
from typing import Any

from worldline.core.util.optional_imports import optional_import


def lazy_import(name: str) -> Any:
    """Import a module of scipy or numpy at its first use.

    Raises:
        InputError: The library is not installed; the error names the extra to install.
    """
    with optional_import(f"intervals and tests need {name.partition('.')[0]}", extra="runs"):
        return importlib.import_module(name)
