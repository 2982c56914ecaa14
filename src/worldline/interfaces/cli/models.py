"""`worldline models`: download models and serve them on this machine."""

import json
import signal
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from worldline.interfaces.cli.console import hint
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import format_option, quiet_option
from worldline.models.local_models import (
    CATALOG,
    LlamaCppOptions,
    ModelFile,
    get_model,
    import_model_file,
    model_path,
    start_llamacpp_server,
)

_DEFAULTS = LlamaCppOptions()


@click.group()
def models() -> None:
    """Download models and serve them on this machine."""


@command("list", examples=("worldline models list", "worldline models list --format json"))
@format_option()
def list_models(form: str) -> None:
    """List the models that can be downloaded by name."""
    if form == "json":
        rows = [asdict(model) | {"path": _path(model)} for model in CATALOG.values()]
        click.echo(json.dumps(rows, indent=1))
        return
    for model in CATALOG.values():
        click.echo(
            f"{model.name}\n"
            f"  file      {model.file}, {model.size / 1e9:.2f} GB, {model.licence}\n"
            f"  from      {model.repository} on the Hugging Face hub\n"
            f"  sha256    {model.sha256}\n"
            f"  here      {_path(model) or f'no: worldline models get {model.name}'}"
        )


@command(
    examples=(
        "worldline models get qwen2.5-coder-1.5b",
        "worldline models get qwen2.5-coder-1.5b --from model.gguf",
    )
)
@click.argument("name")
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Verify this file and link or copy it into the cache, instead of downloading.",
)
@quiet_option
def get(name: str, source: Path | None) -> None:
    """Download a model from the Hugging Face hub, and verify its sha256.

    The file is stored in the cache folder (WORLDLINE_CACHE, or ~/.cache/worldline). Its path is
    printed.

    If interrupted, run the same command again to resume.
    """
    if source is None:
        with report_progress(name, None) as reporter:
            path = get_model(name, on_progress=reporter.count)
    else:
        path = import_model_file(name, source)
    click.echo(path)
    hint(f"next: worldline bench cruxeval --first 20 --engine llamacpp:{name}")


@command(
    examples=(
        "worldline models serve qwen2.5-coder-1.5b",
        "worldline models serve model.gguf --port 8080 --threads 4",
    )
)
@click.argument("model", metavar="NAME|FILE.gguf")
@click.option(
    "--port",
    type=click.IntRange(min=0, max=65535),
    metavar="N",
    default=0,
    help="Port on 127.0.0.1.  [default: a free one]",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="Threads of the model.  [default: chosen by llama.cpp]",
)
@click.option(
    "--context-length",
    type=click.IntRange(min=1),
    metavar="N",
    default=_DEFAULTS.context_length,
    show_default=True,
    help="Tokens of one request, prompt and completion.",
)
@click.option(
    "--parallel",
    type=click.IntRange(min=1),
    metavar="N",
    default=_DEFAULTS.parallel,
    show_default=True,
    help="Requests at a time; each has its own context in memory.",
)
def serve(model: str, **options: Any) -> None:
    """Serve a model or a GGUF file with llama.cpp until Ctrl-C.

    The server listens on 127.0.0.1 only and speaks the OpenAI API.
    """
    parallel: int = options["parallel"]
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with start_llamacpp_server(model, LlamaCppOptions(**options)) as server:
            click.echo(
                f"{server.address}\n{server.name} is served here; Ctrl-C stops it. Ask it:\n"
                f"worldline bench cruxeval --first 20 --engine {server.address} "
                f"--concurrency {parallel}"
            )
            server.wait()
    except KeyboardInterrupt:
        click.echo("stopped")
    finally:
        signal.signal(signal.SIGTERM, previous)


def _path(model: ModelFile) -> str | None:
    """The path of a model that is on this machine."""
    path = model_path(model)
    return str(path) if path.is_file() else None


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


for _command in (list_models, get, serve):
    models.add_command(_command)
