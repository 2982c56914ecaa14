"""Lazy imports of scipy, numpy and statsmodels, which take longer than most commands to run."""

import importlib
from typing import Any

from worldline.core.util.optional_imports import optional_import


def lazy_import(name: str, *, extra: str = "runs") -> Any:
    """Import a module at its first use.

    Args:
        name: The module, of scipy, numpy or statsmodels.
        extra: The extra of this package that has the library.

    Raises:
        InputError: The library is not installed; the error names the extra to install.
    """
    library = name.partition(".")[0]
    purpose = "the regression needs" if library == "statsmodels" else "intervals and tests need"
    with optional_import(f"{purpose} {library}", extra=extra):
        return importlib.import_module(name)
