"""Connections of the SDK's own client to the server: in memory, over stdio and over HTTP."""

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, TextContent

from worldline.interfaces.mcp.server import build_server
from worldline.interfaces.mcp.service import ToolService

COMMAND = [sys.executable, "-m", "worldline", "mcp"]
TOKEN = "a-token-of-the-tests-0123456789"
# A busy machine may take long to import the SDK.
STARTUP_SECONDS = 180.0


@asynccontextmanager
async def in_memory(service: ToolService | None = None, **options: Any) -> AsyncIterator[Client]:
    """A client in the same process."""
    async with Client(build_server(service or ToolService()), **options) as client:
        yield client


@asynccontextmanager
async def over_stdio(*arguments: str) -> AsyncIterator[Client]:
    """A client of a server process that it has started."""
    command = [*COMMAND, *arguments]
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(stdio_client(parameters), read_timeout_seconds=STARTUP_SECONDS) as client:
        yield client


@contextmanager
def http_server(*arguments: str) -> Iterator[str]:
    """The address of a server process on this machine, with the token `TOKEN`."""
    environment = {**os.environ, "WORLDLINE_MCP_TOKEN": TOKEN}
    with subprocess.Popen(
        [*COMMAND, "--http", *arguments], env=environment, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            address = process.stderr.readline().strip()
            assert re.fullmatch(r"http://127\.0\.0\.1:\d+/mcp", address), address
            yield address
        except Exception as error:
            ended = process.poll()
            process.terminate()
            output = process.communicate(timeout=20)[1]
            error.add_note(f"The server's exit code is {ended} (None: it ran). It wrote: {output}")
            raise
        finally:
            process.terminate()


@asynccontextmanager
async def over_http(address: str, token: str = TOKEN) -> AsyncIterator[Client]:
    """A client of a server at an address."""
    headers = {"Authorization": f"Bearer {token}"}
    # A connection that a busy machine refuses is tried again; a request is sent once.
    transport = httpx2.AsyncHTTPTransport(retries=5)
    async with (
        httpx2.AsyncClient(headers=headers, timeout=STARTUP_SECONDS, transport=transport) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        yield client


def text_of(result: CallToolResult) -> str:
    """The text of an answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def data_of(result: CallToolResult) -> dict[str, Any]:
    """The structured content of an answer that is not an error."""
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content
