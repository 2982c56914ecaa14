"""`worldline engines check URL`: what a model server can do, tried, not believed."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import click

from worldline.cli.console import make_console
from worldline.engines import Engine, OpenAIEngine, Server, Throughput, TransformersEngine, measure
from worldline.errors import EngineError
from worldline.predict import EngineReport, check_engine, recorded_engine
from worldline.report import engine_lines, engine_to_json


def engine_maker(
    name: str,
    *,
    model: str | None = None,
    api_key: str | None = None,
    timeout: float = 600.0,
    patience: float = 120.0,
) -> Callable[[], Engine]:
    """How to open an engine: an address, `transformers:FOLDER` or `recorded:FILE`."""
    kind, _, rest = name.partition(":")
    if kind == "transformers":
        return lambda: TransformersEngine(rest)
    if kind == "recorded":
        return lambda: recorded_engine(Path(rest))
    if kind not in ("http", "https"):
        raise EngineError(
            f"no engine {name!r}; give the address of a server (http://127.0.0.1:8000/v1), "
            "transformers:FOLDER or recorded:FILE"
        )
    return lambda: OpenAIEngine(
        Server(name, model=model, api_key=api_key, timeout=timeout, patience=patience)
    )


@click.group()
def engines() -> None:
    """Models that can be asked."""


@engines.command()
@click.argument("engine", metavar="URL")
@click.option("--model", help="Which of the server's models.")
@click.option("--api-key", envvar="OPENAI_API_KEY", help="The server's key [OPENAI_API_KEY].")
@click.option("--measure", "is_measured", is_flag=True, help="Also try how many to keep in flight.")
@click.option("--json", "is_json", is_flag=True, help="One JSON object.")
def check(
    engine: str, model: str | None, api_key: str | None, is_measured: bool, is_json: bool
) -> None:
    """Try what a model server can do, and say which modes of prediction it serves.

    URL is an address like http://127.0.0.1:8000/v1, or transformers:FOLDER.
    """
    make = engine_maker(engine, model=model, api_key=api_key)
    report, measured = asyncio.run(try_engine(make, is_measured=is_measured))
    if is_json:
        click.echo(json.dumps(engine_to_json(report, measured)))
        return
    console = make_console()
    for line in engine_lines(report, measured):
        console.print(line)


async def try_engine(
    make: Callable[[], Engine], *, is_measured: bool
) -> tuple[EngineReport, list[Throughput]]:
    """Open an engine, try it, close it."""
    engine = make()
    try:
        report = await check_engine(engine)
        measured = [each async for each in measure(engine)] if is_measured else []
    finally:
        await engine.close()
    return report, measured
