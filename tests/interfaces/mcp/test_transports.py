"""The same server in memory, over stdio and over HTTP; HTTP only with the token."""

import asyncio
import time
from contextlib import AbstractAsyncContextManager

import httpx2
import pytest
from click.testing import CliRunner
from mcp import Client

from tests.interfaces.mcp.connections import (
    TOKEN,
    data_of,
    http_server,
    in_memory,
    over_http,
    over_stdio,
    text_of,
)
from worldline.core.errors import InputError
from worldline.interfaces.cli import main
from worldline.interfaces.mcp.http_transport import choose_token, is_loopback

SOURCE = "def f(x):\n    y = x * 2\n    return y\n"


async def check_conformance(connection: AbstractAsyncContextManager[Client]) -> list[str]:
    """Use every kind of request that the server answers; the result is the names of its tools."""
    async with connection as client:
        assert client.server_info is not None
        assert client.server_info.name == "worldline"
        names = [tool.name for tool in (await client.list_tools()).tools]
        data = data_of(await client.call_tool("trace_execution", {"code": SOURCE, "call": "f(4)"}))
        assert data["result"] == "8"
        page = (await client.read_resource(data["resources"][0])).contents[0].model_dump()["text"]
        assert "y = 8" in page
        arguments = {"code": SOURCE, "call": "f(4)", "value": "9"}
        answer = await client.call_tool("check_prediction", arguments)
        assert data_of(answer)["verdict"] == "wrong"
        again = data_of(await client.call_tool("get_result", {"id": data["id"]}))
        assert again == data
        failed = await client.call_tool("trace_execution", {"code": SOURCE, "call": "f("})
        assert failed.is_error
        assert "not one Python expression" in text_of(failed)
        unknown = await client.call_tool("no_such_tool", {})
        assert unknown.is_error
        return names


async def check_load(connection: AbstractAsyncContextManager[Client]) -> None:
    """Make fifty calls at once, then cancel one; the server has one recorder."""
    async with connection as client:

        async def ask(number: int) -> str:
            arguments = {"code": SOURCE, "call": f"f({number})"}
            data = data_of(await client.call_tool("trace_execution", arguments))
            while data["status"] == "running":
                data = data_of(await client.call_tool("get_result", {"id": data["id"]}))
            return str(data["result"])

        results = await asyncio.gather(*(ask(number) for number in range(50)))
        assert results == [str(2 * number) for number in range(50)]
        sleeping = {"code": "import time\ntime.sleep(30)\n", "seconds": 30}
        start = time.monotonic()
        call = asyncio.create_task(client.call_tool("trace_execution", sleeping))
        await asyncio.sleep(1)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        assert await ask(4) == "8"
        assert time.monotonic() - start < 25


def test_in_memory() -> None:
    names = asyncio.run(check_conformance(in_memory()))
    # An earlier version of the protocol.
    assert asyncio.run(check_conformance(in_memory(mode="legacy"))) == names


def test_over_stdio() -> None:
    names = asyncio.run(check_conformance(over_stdio()))
    asyncio.run(check_load(over_stdio("--recorders", "1")))
    assert "predict_execution" not in names


def test_over_http() -> None:
    with http_server("--recorders", "1") as address:
        asyncio.run(check_conformance(over_http(address)))
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        accept = {"Accept": "application/json, text/event-stream"}
        right = {**accept, "Authorization": f"Bearer {TOKEN}"}
        for headers in (
            accept,
            {**accept, "Authorization": "Bearer wrong"},
            {**accept, "Authorization": TOKEN},
            {**accept, "Authorization": f"Bearer {TOKEN} "[:-2]},
        ):
            reply = httpx2.post(address, json=request, headers=headers)
            assert (reply.status_code, "Bearer" in reply.headers["WWW-Authenticate"]) == (401, True)
        # A web page that a browser on this machine shows: its host has another name.
        reply = httpx2.post(address, json=request, headers={**right, "Host": "evil.example"})
        assert reply.status_code == 421
        reply = httpx2.post(
            address, json=request, headers={**right, "Origin": "http://evil.example"}
        )
        assert reply.status_code == 403
        large = {**request, "params": {"code": "x" * 10_000_000}}
        assert httpx2.post(address, json=large, headers=right, timeout=60).status_code == 413
        # The server still answers.
        asyncio.run(check_load(over_http(address)))


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("192.0.2.1", False),
        ("localhost.example", False),
    ],
)
def test_addresses_of_this_machine(host: str, expected: bool) -> None:
    assert is_loopback(host) is expected


def test_other_machines_need_a_token() -> None:
    with pytest.raises(InputError, match="WORLDLINE_MCP_TOKEN"):
        choose_token("0.0.0.0", None)
    with pytest.raises(InputError, match="at least 16 characters"):
        choose_token("0.0.0.0", "short")
    assert choose_token("0.0.0.0", TOKEN) == TOKEN
    made = choose_token("127.0.0.1", None)
    assert len(made) > 40
    assert made != choose_token("127.0.0.1", "")


def test_the_command_refuses_other_machines_without_a_token(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("WORLDLINE_MCP_TOKEN", raising=False)
    result = CliRunner().invoke(main, ["mcp", "--http", "--host", "0.0.0.0"])
    assert result.exit_code == 2
    assert "can be reached from other machines" in result.stderr
