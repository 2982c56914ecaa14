"""The command line: one file a command."""

from worldline.cli.main import main

__all__ = ["main"]
