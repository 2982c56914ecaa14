"""What a user would type goes in; what the command printed, and how it ended, comes out."""

from pathlib import Path

from click.testing import CliRunner, Result

from worldline.cli import main


def run(*words: str | Path) -> Result:
    """Give a command to `worldline`, in a terminal that is wide enough."""
    return CliRunner(env={"COLUMNS": "200"}).invoke(main, list(map(str, words)))


def ok(*words: str | Path) -> Result:
    """The same, for a command that must not fail."""
    result = run(*words)
    assert result.exit_code == 0, result.output
    return result
