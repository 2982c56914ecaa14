"""`worldline engines check`: test the capabilities of a model server."""

import asyncio
import json
from typing import Any

import click

from worldline.interfaces.api.engine_handle import EngineHandle, load_engine
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.server_options import server_options
from worldline.interfaces.cli.shared_options import format_option
from worldline.interfaces.report import engine_lines, engine_to_json, make_console
from worldline.models.engines import Throughput, measure_throughput
from worldline.models.prediction import EngineReport, check_engine


@click.group()
def engines() -> None:
    """Test the capabilities of a model server."""


@command(
    examples=(
        "worldline engines check http://127.0.0.1:8000/v1",
        "worldline engines check http://127.0.0.1:8000/v1 --measure",
    )
)
@click.argument("engine", metavar="URL")
@click.option("--measure", "is_measured", is_flag=True, help="Also measure throughput.")
@format_option()
@server_options
def check(engine: str, is_measured: bool, form: str, **options: Any) -> None:
    """Test which capabilities, codecs and modes a model server supports.

    URL is an address such as http://127.0.0.1:8000/v1, or transformers:FOLDER.
    """
    handle = load_engine(engine, **options)
    report, throughput = asyncio.run(probe_engine(handle, is_measured=is_measured))
    if form == "json":
        click.echo(json.dumps(engine_to_json(report, throughput)))
        return
    console = make_console()
    for line in engine_lines(report, throughput):
        console.print(line, soft_wrap=True)


engines.add_command(check)


async def probe_engine(
    handle: EngineHandle, *, is_measured: bool
) -> tuple[EngineReport, list[Throughput]]:
    """Open an engine, test it, measure its throughput if wanted, and close it."""
    engine = handle.open()
    try:
        report = await check_engine(engine)
        throughput = [each async for each in measure_throughput(engine)] if is_measured else []
    finally:
        await engine.close()
        await handle.close()
    return report, throughput
