"""`python -m worldline` is the `worldline` command."""

from worldline.interfaces.cli import main

main(prog_name="worldline")
