"""Options of the access to a server: model, key, headers, and fields of requests."""

import json
from collections.abc import Callable
from typing import Any

import click

from worldline.core.errors import InputError
from worldline.interfaces.cli.help_sections import section_option

# Names of these options as arguments of `load_engine`.
SERVER_OPTION_NAMES = (
    "model",
    "api_key",
    "api_key_env",
    "headers",
    "reasoning_effort",
    "extra_body",
)


def server_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that `load_engine` takes for a server, under the names in `SERVER_OPTION_NAMES`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def parse_headers(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """ "X-Team: a" -> {"X-Team": "a"}

    Raises:
        InputError: a value is no header. The message does not show it, because it may be secret.
    """
    headers = {}
    for value in values:
        name, colon, content = value.partition(":")
        if not colon or not name.strip():
            raise InputError("--header needs NAME:VALUE, for example 'X-Team: research'")
        headers[name.strip()] = content.strip()
    return headers


def parse_extra_body(_: click.Context, __: click.Parameter, value: str | None) -> dict[str, Any]:
    """'{"top_k": 20}' -> {"top_k": 20}

    Raises:
        InputError: the value is no JSON object.
    """
    try:
        body = json.loads(value) if value is not None else {}
    except ValueError as error:
        raise InputError(f"--extra-body is not JSON: {error}") from None
    if not isinstance(body, dict):
        raise InputError("""--extra-body needs a JSON object, for example '{"top_k": 20}'""")
    return body


_OPTIONS = (
    section_option(
        "Model", "--model", metavar="NAME", help="Name of the model, if the server has several."
    ),
    section_option(
        "Model",
        "--api-key",
        envvar="OPENAI_API_KEY",
        metavar="KEY",
        help="The server's API key.  [env: OPENAI_API_KEY]",
    ),
    section_option(
        "Model",
        "--api-key-env",
        metavar="NAME",
        help="Read the API key from this environment variable.",
    ),
    section_option(
        "Model",
        "--header",
        "headers",
        multiple=True,
        metavar="NAME:VALUE",
        callback=parse_headers,
        help="Add an HTTP header to every request; repeatable.",
    ),
    section_option(
        "Model",
        "--reasoning-effort",
        metavar="EFFORT",
        help="How much a reasoning model reasons: low, medium, high, …",
    ),
    section_option(
        "Model",
        "--extra-body",
        metavar="JSON",
        callback=parse_extra_body,
        help="Add the fields of a JSON object to every request.",
    ),
)
