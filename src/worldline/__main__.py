"""`python -m worldline` is the `worldline` command."""

from worldline.cli import main

main(prog_name="worldline")
