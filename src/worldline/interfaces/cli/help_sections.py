"""Commands whose help groups options under headings."""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

Function = TypeVar("Function", bound=Callable[..., Any])
# The order of headings in a help text; options without a section come first.
SECTIONS = ("Model", "Prediction", "Costs", "Fine-tuning", "Execution", "Limits")
# The range of a number, which click adds: "[default: 1; x>=1]", "[x>=1]".
_RANGE = re.compile(r"; (?:\d+<=)?x[<>]=?\d+(?=\])|  \[(?:\d+<=)?x[<>]=?\d+\]")


class SectionOption(click.Option):
    """An option that the help lists under a heading."""

    def __init__(self, *arguments: Any, section: str | None = None, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.section = section


class SectionCommand(click.Command):
    """A command whose help has one section per heading, and examples at the end."""

    def __init__(self, *arguments: Any, examples: tuple[str, ...] = (), **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self.examples = examples

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, section by section, and the examples."""
        rows: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            row = None if isinstance(parameter, click.Argument) else parameter.get_help_record(ctx)
            if row is not None:
                section = getattr(parameter, "section", None) or "Options"
                rows.setdefault(section, []).append((row[0], _RANGE.sub("", row[1])))
        for section in ("Options", *SECTIONS):
            if section in rows:
                with formatter.section(section):
                    formatter.write_dl(rows[section], col_max=26)
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"  {example}\n")


def command(
    name: str | None = None, *, examples: tuple[str, ...] = ()
) -> Callable[[Callable[..., Any]], SectionCommand]:
    """Make a function a command with sections in its help.

    Args:
        name: The command's name; by default that of the function.
        examples: Command lines for the end of the help.
    """
    return click.command(name, cls=SectionCommand, examples=examples)


def section_option(section: str, *names: str, **settings: Any) -> Callable[[Function], Function]:
    """Add an option under a heading of the help."""
    return click.option(*names, cls=SectionOption, section=section, **settings)
