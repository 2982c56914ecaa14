"""Run commands as a user types them."""

from pathlib import Path

from click.testing import CliRunner, Result

from worldline.interfaces.cli import main


def run(*words: str | Path, stdin: str | None = None, columns: int = 200) -> Result:
    """Run a `worldline` command, in a wide terminal unless the number of columns is given."""
    runner = CliRunner(env={"COLUMNS": str(columns)})
    return runner.invoke(main, list(map(str, words)), input=stdin)


def ok(*words: str | Path, stdin: str | None = None, columns: int = 200) -> Result:
    """Run a command that must not fail."""
    result = run(*words, stdin=stdin, columns=columns)
    assert result.exit_code == 0, result.output
    return result
