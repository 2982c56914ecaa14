"""Options of the commands that ask a model: which one, how, and how many at a time."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, get_args

import click

from worldline.cli.engines import engine_maker
from worldline.codecs import CODECS
from worldline.engines import Engine
from worldline.errors import InputError
from worldline.predict import IN_FLIGHT, Mode, Settings
from worldline.tokens import Tokenizer, load_tokenizer

DEFAULTS = Settings()
_SETTINGS = tuple(field.name for field in fields(Settings))


@dataclass(frozen=True, slots=True)
class Access:
    """How a model is reached."""

    engine: str
    model: str | None
    api_key: str | None
    in_flight: int | None
    timeout: float
    patience: float
    tokenizer: str | None

    def maker(self) -> Callable[[], Engine]:
        """How to open the engine."""
        return engine_maker(
            self.engine,
            model=self.model,
            api_key=self.api_key,
            timeout=self.timeout,
            patience=self.patience,
        )

    @property
    def most(self) -> int:
        """How many programs are asked about at a time."""
        # What one program's steps left in the cache, those of another would drive out.
        return self.in_flight or (1 if self.engine.startswith("transformers:") else IN_FLIGHT)

    def load_tokenizer(self) -> Tokenizer | None:
        """The model's own tokenizer, where it was named."""
        return load_tokenizer(self.tokenizer) if self.tokenizer else None


_ACCESS = tuple(field.name for field in fields(Access))

_ACCESS_OPTIONS = (
    click.option(
        "--engine",
        required=True,
        envvar="WORLDLINE_ENGINE",
        metavar="URL",
        help="A server's address (or several, with commas), transformers:FOLDER, or recorded:FILE "
        "[WORLDLINE_ENGINE].",
    ),
    click.option("--model", help="Which of the server's models."),
    click.option("--api-key", envvar="OPENAI_API_KEY", help="The server's key [OPENAI_API_KEY]."),
    click.option(
        "--in-flight",
        type=click.IntRange(min=1),
        help=f"Programs asked about at a time  [default: {IN_FLIGHT}; 1 in this process]",
    ),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=600.0,
        show_default=True,
        help="Seconds that one request may take.",
    ),
    click.option(
        "--patience",
        type=click.FloatRange(min=0),
        default=120.0,
        show_default=True,
        help="Seconds to go on asking a server that fails.",
    ),
    click.option(
        "--tokenizer",
        metavar="FILE",
        help="The model's tokenizer.json: split and count text here, which spares the server.",
    ),
)
_SETTINGS_OPTIONS = (
    click.option(
        "--mode",
        type=click.Choice(get_args(Mode)),
        default=DEFAULTS.mode,
        show_default=True,
        help="What is given and what the model writes.",
    ),
    click.option(
        "--codec",
        type=click.Choice(sorted(CODECS)),
        default=DEFAULTS.codec,
        show_default=True,
        help="The format: cwm, or chat for a general chat model.",
    ),
    click.option(
        "--budget",
        type=click.IntRange(min=1),
        default=DEFAULTS.budget,
        show_default=True,
        help="Tokens behind the prompt, given or written.",
    ),
    click.option(
        "--temperature",
        type=click.FloatRange(min=0),
        default=DEFAULTS.temperature,
        show_default=True,
        help="0 takes the likeliest token; more samples.",
    ),
    click.option(
        "--seed", type=int, default=DEFAULTS.seed, show_default=True, help="Of the first repeat."
    ),
    click.option(
        "--repeats",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="Ask so many times, each with a seed of its own.",
    ),
    click.option(
        "--first", type=click.IntRange(min=1), help="Ask only about the first N programs."
    ),
    click.option(
        "--from-step",
        type=click.IntRange(min=0),
        default=0,
        help="Begin behind so many steps of the true trace.",
    ),
    click.option(
        "--longest-value",
        type=click.IntRange(min=1),
        default=DEFAULTS.longest_value,
        show_default=True,
        help="Characters of a value in a guided state.",
    ),
)


def access_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Which model is asked, given to the command as `access`."""

    @functools.wraps(command)
    def with_access(**options: Any) -> Any:
        access = Access(**{name: options.pop(name) for name in _ACCESS})
        return command(**options, access=access)

    return _with(with_access, _ACCESS_OPTIONS)


def asking_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """That and how it is asked, given as `access`, `settings`, `repeats` and `first`."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> Any:
        settings = Settings(**{name: options.pop(name) for name in _SETTINGS})
        if options["repeats"] > 1 and settings.temperature == 0:
            raise InputError("without a --temperature every one of --repeats would be the same")
        return command(**options, settings=settings)

    return access_options(_with(with_settings, _SETTINGS_OPTIONS))


def _with(command: Callable[..., Any], options: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command
