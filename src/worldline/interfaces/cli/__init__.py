"""Command line: one module per command."""

from worldline.interfaces.cli.command_line import main

__all__ = ["main"]
