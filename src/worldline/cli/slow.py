"""Who has no recorder in C is told what that costs."""

import click


def say_if_slow(method: str) -> None:
    """Tell them, if this is how events are written down."""
    if method == "settrace":
        click.echo(
            "worldline: the recorder works in Python here, which takes over forty times as long "
            "over a step as in C: that part was not built for this interpreter (docs/recording.md)",
            err=True,
        )
