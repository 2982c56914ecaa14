"""The `worldline` command: subcommands by purpose, shared options and error messages."""

import io
import os
import select
import sys
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from worldline.core.errors import WorldlineError

# The exit code that shells expect of a command that Ctrl-C ended.
INTERRUPTED = 130

# Heading → command → (module, help line). Modules are imported when their command runs.
COMMANDS: dict[str, dict[str, tuple[str, str]]] = {
    "Inspect": {
        "demo": ("demo", "Diagnose the built-in example predictions."),
        "record": ("record", "Execute a program and list its steps."),
        "replay": ("replay", "Execute the program of a trace again, with its random numbers."),
        "show": ("show", "Show one prediction next to the actual execution."),
        "view": ("view", "Browse runs in a web page on this machine."),
        "report": ("report", "Summarize a run or rank several, as text or HTML."),
        "dap": ("dap", "Step through executions in an editor (DAP server)."),
    },
    "Predict and diagnose": {
        "engines": ("engines", "Test the capabilities of a model server."),
        "predict": ("predict", "Ask a model to predict executions."),
        "diagnose": ("diagnose", "Find the first wrong step of each prediction."),
        "explain": ("explain", "Find a misconception that reproduces an error."),
        "intervene": ("intervene", "Confirm causes by predicting again with one change."),
        "mcp": ("mcp", "Let agents trace and check code (MCP server)."),
        "distribution": ("distribution", "List the results of a program with chance."),
        "schedules": ("schedules", "List the results of a program with threads."),
        "belief": ("belief", "List the hidden states of a game after observations."),
        "run": ("run_program", "Execute a program; a model provides what cannot run here."),
    },
    "Evaluate": {
        "bench": ("bench", "Evaluate a model on a benchmark."),
        "compare": ("compare", "Compare two runs, or fail if the second is worse."),
        "trust": ("trust", "Estimate which predicted results are correct."),
        "rank": ("rank", "Rank candidate solutions by executing or predicting."),
        "sql": ("sql", "Query runs with SQL."),
        "tokens": ("tokens", "Count the tokens of traces with each codec."),
    },
    "Data": {
        "generate": ("generate", "Generate random programs from a seed."),
        "harvest": ("harvest", "Harvest functions of real code with inputs that run."),
        "curriculum": ("curriculum", "Choose programs that exercise a run's failures."),
        "rewrite": ("rewrite", "Rewrite a program into simpler steps."),
        "trace": ("trace", "Trace many programs, on one machine or a cluster."),
        "compact": ("compact", "Merge the small files of a trace store."),
    },
    "Train": {
        "export": ("export", "Export traces as training examples."),
        "train": ("train", "Train a small code world model."),
        "improve": ("improve", "Evaluate, choose data and train, in rounds."),
    },
    "Setup": {
        "models": ("models", "Download models and serve them on this machine."),
        "sandbox": ("sandbox", "Inspect the sandbox on this machine."),
    },
}
_ATTRIBUTES = {"improve": "improve_command", "train": "train_command"}


class _Group(click.Group):
    """Subcommands by heading. A Worldline error is one line, any other error a traceback."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for commands in COMMANDS.values() for name in commands]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        for commands in COMMANDS.values():
            if name in commands:
                module = import_module(f"worldline.interfaces.cli.{commands[name][0]}")
                command: click.Command = getattr(module, _ATTRIBUTES.get(name, name))
                return command
        return None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for heading, commands in COMMANDS.items():
            with formatter.section(heading):
                formatter.write_dl([(name, line) for name, (_, line) in commands.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the names of subcommands without importing them."""
        items = [
            CompletionItem(name, help=line)
            for commands in COMMANDS.values()
            for name, (_, line) in commands.items()
            if name.startswith(incomplete)
        ]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def main(self, *arguments: Any, **options: Any) -> Any:
        _repair_streams()
        return super().main(*arguments, **options)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _sandbox_first(args))

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except WorldlineError as error:
            click.echo(f"worldline: {error}", err=True)
            sys.exit(2)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            sys.exit(INTERRUPTED)
        except BrokenPipeError:
            if not _is_unread():
                raise
            # The reader (head, less) has closed the pipe.
            sys.stderr.close()
            sys.exit(0)


def _sandbox_first(arguments: list[str]) -> list[str]:
    """Move `--sandbox VALUE` before the subcommand, so that it is accepted anywhere.

    ["demo", "--sandbox", "reduced"] -> ["--sandbox", "reduced", "demo"]
    """
    for index, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--sandbox" and index + 1 < len(arguments):
            end = index + 2
        elif argument.startswith("--sandbox="):
            end = index + 1
        else:
            continue
        return [*arguments[index:end], *arguments[:index], *arguments[end:]]
    return arguments


def _is_unread() -> bool:
    """Whether the reader of standard output has closed it."""
    if not hasattr(select, "poll"):  # Windows
        return True
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), select.POLLERR)
        return bool(poll.poll(0))
    except (OSError, ValueError):
        return True


def _repair_streams() -> None:
    """Make any standard output usable: one that is closed, or that has no Unicode."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
        # In the C locale, Python's own handler does not help with characters that ASCII lacks.
        elif isinstance(stream, io.TextIOWrapper) and (
            stream.errors == "strict"
            or (stream.errors == "surrogateescape" and stream.encoding.lower() != "utf-8")
        ):
            stream.reconfigure(errors="backslashreplace")


def _print_version(ctx: click.Context, _: click.Parameter, is_wanted: bool) -> None:
    if is_wanted and not ctx.resilient_parsing:
        from importlib.metadata import version

        click.echo(f"worldline {version('worldline')}, Python {sys.version.split()[0]}")
        ctx.exit()


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "-V",
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
@click.option(
    "--sandbox",
    "level",
    type=click.Choice(["full", "container", "reduced"]),
    envvar="WORLDLINE_SANDBOX",
    show_envvar=True,
    help="`full` (default): execute programs only if all required isolation layers are available. "
    "`container`: without namespaces, which most containers forbid; programs cannot write files. "
    "`reduced`: with the available layers. Traces record which were missing. Every command accepts "
    "this option.",
)
def main(level: str | None) -> Any:
    """A debugger for code world models.

    Start with `worldline demo`.

    Shell completion: eval "$(_WORLDLINE_COMPLETE=bash_source worldline)"
    """
    if level is not None:
        # Worker processes read it, too.
        os.environ["WORLDLINE_SANDBOX"] = level
