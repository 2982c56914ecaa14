"""Imports of optional libraries, with an error that says which extra to install."""

from collections.abc import Iterator
from contextlib import contextmanager

from worldline.core.errors import InputError, WorldlineError


@contextmanager
def optional_import(
    purpose: str, *, extra: str, error: type[WorldlineError] = InputError
) -> Iterator[None]:
    """Turn an `ImportError` in the block into an error that names the extra to install.

    The import statement stays in the calling module, where the import contracts check it.

        with optional_import("queries need duckdb; install it with", extra="runs"):
            import duckdb

    Args:
        purpose: The error's text before the colon.
        extra: The extra of this package that has the library.
        error: The class of the error to raise.

    Raises:
        WorldlineError: A library in the block is not installed; its class is `error`.
    """
    try:
        yield
    except ImportError:
        raise error(f"{purpose}: pip install 'worldline[{extra}]'") from None
