"""Options of commands that ask a model: which model, and how it is asked."""

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, get_args

import click

from worldline.core.errors import CodecError, InputError
from worldline.interfaces.api.engine_handle import EngineHandle, load_engine
from worldline.interfaces.cli.help_sections import section_option
from worldline.interfaces.cli.server_options import SERVER_OPTION_NAMES, server_options
from worldline.models.codecs import CODECS, get_codec
from worldline.models.prediction import (
    AUTO_CODEC,
    DEFAULT_CONCURRENCY,
    POLICIES,
    Mode,
    PredictionSettings,
)

DEFAULTS = PredictionSettings()
_ENGINE_OPTIONS = (*SERVER_OPTION_NAMES, "timeout", "retry_timeout")
_SETTINGS = tuple(field.name for field in fields(PredictionSettings))


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """The engine to ask, its concurrency, and the model's tokenizer if it is tokenized for here."""

    engine: EngineHandle
    concurrency: int
    tokenizer: str | None


def _engine_option(*, is_required: bool) -> Callable[..., Any]:
    return section_option(
        "Model",
        "--engine",
        required=is_required,
        envvar="WORLDLINE_ENGINE",
        metavar="URL",
        help="URL of a server (several: comma-separated), llamacpp:MODEL, transformers:FOLDER, or "
        "recorded:FILE.  [env: WORLDLINE_ENGINE]",
    )


_ACCESS_OPTIONS = (
    server_options,
    section_option(
        "Model",
        "--concurrency",
        type=click.IntRange(min=1),
        metavar="N",
        help="Maximum number of concurrent requests.  "
        f"[default: {DEFAULT_CONCURRENCY}; 1 for transformers]",
    ),
    section_option(
        "Model",
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        default=600.0,
        show_default=True,
        help="Timeout of one request.",
    ),
    section_option(
        "Model",
        "--retry-timeout",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
        default=120.0,
        show_default=True,
        help="Retry a request for this long after transient errors.",
    ),
    section_option(
        "Model",
        "--tokenizer",
        metavar="FILE",
        help="The model's tokenizer.json, to tokenize locally instead of on the server.",
    ),
)


def check_codec(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Check the name of a codec, which may end with a number of worked examples."""
    if value != AUTO_CODEC:
        try:
            get_codec(value)
        except CodecError as error:
            raise click.BadParameter(str(error), ctx, param) from None
    return value


_PREDICTION_OPTIONS = (
    section_option(
        "Prediction",
        "--mode",
        type=click.Choice(get_args(Mode)),
        metavar="MODE",
        default=DEFAULTS.mode,
        show_default=True,
        help="What the model predicts: free (every step), force-actions (the states, given the "
        "actual lines), force-state (the lines, given the actual states), guided (the states, and "
        "a choice among the possible lines), score (nothing: it scores the actual steps), "
        "on-demand (the steps that --policy trusts; the others are executed).",
    ),
    section_option(
        "Prediction",
        "--policy",
        type=click.Choice(POLICIES),
        metavar="NAME",
        default=DEFAULTS.policy,
        show_default=True,
        help="In the mode on-demand, which steps are executed: checks (those that contradict the "
        "steps before them), likelihood (improbable to the model), trust (both), illegal (not in "
        "the control-flow graph), branch (conditions and loops), random, all or none.",
    ),
    section_option(
        "Prediction",
        "--threshold",
        type=click.FloatRange(min=0, max=1),
        metavar="T",
        default=DEFAULTS.threshold,
        show_default=True,
        help="In the mode on-demand, execute the steps whose trust is below T.",
    ),
    section_option(
        "Prediction",
        "--codec",
        callback=check_codec,
        metavar="NAME",
        default=AUTO_CODEC,
        show_default=True,
        help="Format that the model writes; `auto` picks the best one that the model supports. "
        f"One of {', '.join([AUTO_CODEC, *sorted(CODECS)])}.",
    ),
    section_option(
        "Prediction",
        "--shots",
        type=click.IntRange(min=0),
        metavar="N",
        help="Worked examples in the prompt, with the codecs cwm-text (2 by default) and "
        "chat-trace (1): `--codec chat-trace --shots 2` is the codec chat-trace-2.",
    ),
    section_option(
        "Prediction",
        "--max-tokens",
        type=click.IntRange(min=1),
        metavar="N",
        default=DEFAULTS.max_tokens,
        show_default=True,
        help="Maximum completion tokens per sample, including teacher-forced tokens.",
    ),
    section_option(
        "Prediction",
        "--temperature",
        type=click.FloatRange(min=0),
        metavar="T",
        default=DEFAULTS.temperature,
        show_default=True,
        help="Sampling temperature; 0 is greedy decoding.",
    ),
    section_option(
        "Prediction",
        "--seed",
        type=int,
        metavar="N",
        default=DEFAULTS.seed,
        show_default=True,
        help="Sampling seed; repeat k uses seed + k.",
    ),
    section_option(
        "Prediction",
        "--repeats",
        type=click.IntRange(min=1),
        metavar="N",
        default=1,
        show_default=True,
        help="Samples per question, with different seeds.",
    ),
    section_option(
        "Prediction",
        "--from-step",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        show_default=True,
        help="Give the model the first N actual steps; it predicts the rest.",
    ),
    section_option(
        "Prediction",
        "--max-value-chars",
        type=click.IntRange(min=1),
        metavar="N",
        default=DEFAULTS.max_value_chars,
        show_default=True,
        help="Maximum characters of a value in guided mode, if the server supports grammars.",
    ),
    section_option(
        "Prediction",
        "--logprobs",
        is_flag=True,
        help="Store the log-probabilities of the generated tokens, in free mode: signals of trust.",
    ),
)


def access_options(command: Callable[..., Any], *, is_required: bool = True) -> Callable[..., Any]:
    """Options of the model, given to the command as `access`; None without an engine."""

    @functools.wraps(command)
    def with_access(**options: Any) -> Any:
        name, tokenizer = options.pop("engine"), options.pop("tokenizer")
        concurrency = options.pop("concurrency")
        engine_options = {each: options.pop(each) for each in _ENGINE_OPTIONS}
        if name is None:
            return command(**options, access=None)
        with load_engine(name, **engine_options) as engine:
            access = ModelAccess(engine, concurrency or engine.concurrency, tokenizer)
            return command(**options, access=access)

    return _with(with_access, (_engine_option(is_required=is_required), *_ACCESS_OPTIONS))


def prediction_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options of the model and the prediction, given as `access`, `settings` and `repeats`."""

    @functools.wraps(command)
    def with_settings(**options: Any) -> Any:
        shots = options.pop("shots")
        settings = PredictionSettings(**{name: options.pop(name) for name in _SETTINGS})
        if shots is not None:
            if settings.codec == AUTO_CODEC:
                raise InputError("--shots needs a codec with examples: add --codec chat-trace")
            settings = replace(settings, codec=get_codec(settings.codec, shots=shots).name)
        if options["repeats"] > 1 and settings.temperature == 0:
            raise InputError("with --temperature 0 all --repeats are the same; set a temperature")
        return command(**options, settings=settings)

    return access_options(_with(with_settings, _PREDICTION_OPTIONS))


def _with(command: Callable[..., Any], options: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command
