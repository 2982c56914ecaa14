"""`worldline mcp`: MCP server with which agents trace and check code."""

import os
from functools import partial
from pathlib import Path

import click

from worldline.core.errors import InputError
from worldline.core.util.optional_imports import optional_import
from worldline.evaluation.runs import load_trust_model
from worldline.interfaces.cli.engine_options import (
    DEFAULTS,
    ModelAccess,
    access_options,
    check_codec,
)
from worldline.interfaces.cli.help_sections import command, section_option
from worldline.interfaces.cli.shared_options import python_option
from worldline.interfaces.mcp.recorder_pool import DEFAULT_RECORDERS, start_recorder
from worldline.models.prediction import AUTO_CODEC, PredictionSettings
from worldline.models.tokenizers import load_tokenizer

TOKEN_VARIABLE = "WORLDLINE_MCP_TOKEN"


@command(
    examples=(
        "worldline mcp",
        "worldline mcp --engine http://127.0.0.1:8000/v1",
        "worldline mcp --engine http://127.0.0.1:8000/v1 --trust trust.json",
        "worldline mcp --http --port 8765",
    )
)
@click.option(
    "--http",
    "is_http",
    is_flag=True,
    help="Serve over streamable HTTP instead of standard input and output. Clients must send a "
    f"token: that of the environment variable {TOKEN_VARIABLE}, or else a new one, which is "
    "printed.",
)
@click.option(
    "--host",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help=f"Address for --http. If other machines can reach it, {TOKEN_VARIABLE} must be set.",
)
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    metavar="N",
    default=0,
    help="Port for --http.  [default: a free one]",
)
@click.option(
    "--recorders",
    type=click.IntRange(min=1, max=64),
    metavar="N",
    default=DEFAULT_RECORDERS,
    help="Maximum number of programs executed at once.  [default: one per core, at most 4]",
)
@partial(access_options, is_required=False)
@section_option(
    "Prediction",
    "--codec",
    callback=check_codec,
    metavar="NAME",
    default=AUTO_CODEC,
    show_default=True,
    help="Format that the model writes; `auto` picks the best one that the model supports.",
)
@section_option(
    "Prediction",
    "--max-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    default=DEFAULTS.max_tokens,
    show_default=True,
    help="Maximum completion tokens per prediction.",
)
@section_option(
    "Prediction",
    "--trust",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Trust model of worldline trust fit: predictions have a probability of being right, and "
    "should_i_run decides by its threshold.",
)
@python_option
def mcp(
    is_http: bool,
    host: str,
    port: int,
    recorders: int,
    access: ModelAccess | None,
    codec: str,
    max_tokens: int,
    trust: Path | None,
    python: str | None,
) -> None:
    """Start a server with which agents trace and check code (MCP).

    MCP is the Model Context Protocol. A client such as Claude Code, Cursor or VS Code starts this
    command itself: `claude mcp add worldline -- worldline mcp`, or see the guide "Use Worldline
    from agents". Programs run in the sandbox. With --engine, agents can also ask a model for
    predictions; with --trust, the server says which of them can be trusted.
    """
    if trust is not None and access is None:
        raise InputError("--trust judges the predictions of a model; give --engine as well")
    # It starts while the SDK is imported, which takes longer.
    first = start_recorder(python)
    with optional_import("worldline mcp needs the MCP SDK; install it with", extra="mcp"):
        from worldline.interfaces.mcp.http_transport import bind_socket, choose_token, serve_http
        from worldline.interfaces.mcp.server import build_server
        from worldline.interfaces.mcp.service import ToolService
    service = ToolService(
        engine=None if access is None else access.engine,
        settings=PredictionSettings(codec=codec, max_tokens=max_tokens),
        concurrency=None if access is None else access.concurrency,
        tokenizer=None
        if access is None or access.tokenizer is None
        else load_tokenizer(access.tokenizer),
        trust_model=None if trust is None else load_trust_model(trust),
        python=python,
        recorders=recorders,
        first_recorder=first,
    )
    server = build_server(service)
    if not is_http:
        server.run("stdio")
        return
    own_token = os.environ.get(TOKEN_VARIABLE)
    token = choose_token(host, own_token)
    listener, address = bind_socket(host, port)
    click.echo(address, err=True)
    if not own_token:
        click.echo(f"Authorization: Bearer {token}", err=True)
    click.echo("Ctrl-C stops it.", err=True)
    serve_http(server, listener, host=host, token=token)
