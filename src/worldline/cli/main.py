"""The `worldline` command and how it reports errors."""

import os
import select
import sys

import click

from worldline.cli.bench import bench
from worldline.cli.compact import compact
from worldline.cli.compare import compare
from worldline.cli.demo import demo
from worldline.cli.diagnose import diagnose
from worldline.cli.engines import engines
from worldline.cli.export import export
from worldline.cli.generate import generate
from worldline.cli.intervene import intervene
from worldline.cli.predict import predict
from worldline.cli.record import record
from worldline.cli.report import report
from worldline.cli.rewrite import rewrite
from worldline.cli.sandbox import sandbox
from worldline.cli.show import show
from worldline.cli.sql import sql
from worldline.cli.tokens import tokens
from worldline.cli.trace import trace
from worldline.cli.train import train_command
from worldline.cli.view import view
from worldline.errors import WorldlineError


class _Group(click.Group):
    """Errors of our own are told in one line; anything else is a bug and keeps its traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except WorldlineError as error:
            click.echo(f"worldline: {error}", err=True)
            sys.exit(2)
        except BrokenPipeError:
            if not _is_unread():
                raise
            # The reader (head, less) has seen enough.
            sys.stderr.close()
            sys.exit(0)


def _is_unread() -> bool:
    """Whether nobody reads what we print any more."""
    try:
        watched = select.poll()
        watched.register(sys.stdout.fileno(), select.POLLERR)
        return bool(watched.poll(0))
    except (OSError, ValueError):
        return True


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="worldline", prog_name="worldline")
@click.option(
    "--sandbox",
    "held",
    type=click.Choice(["full", "reduced"]),
    help="Where programs cannot be held in full: run them with what holds; each trace says so.",
)
def main(held: str | None) -> None:
    """A debugger for code world models.

    Start with `worldline demo`: one small prediction for each kind of outcome.
    """
    if held is not None:
        # For the processes that record, too.
        os.environ["WORLDLINE_SANDBOX"] = held


for command in (
    *(demo, record, predict, diagnose, show),
    *(bench, report, view, compare, intervene, sql, engines),
    *(tokens, rewrite, generate, trace, compact, export, train_command, sandbox),
):
    main.add_command(command)
