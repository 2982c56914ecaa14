"""The option --quiet of the command that runs."""

import click

_QUIET = "worldline.quiet"


def set_quiet(ctx: click.Context, _: click.Parameter, is_quiet: bool) -> None:
    """Remember that progress and hints are not wanted."""
    if is_quiet:
        ctx.meta[_QUIET] = True


def is_quiet() -> bool:
    """Whether the command runs with --quiet."""
    ctx = click.get_current_context(silent=True)
    return ctx is not None and bool(ctx.meta.get(_QUIET))
