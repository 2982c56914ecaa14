"""Hostile programs and calls: nothing escapes, hangs, or gets the answer of another call."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from tests.interfaces.mcp.connections import data_of, in_memory, text_of
from tests.languages.sandbox.attacks import ATTACKS
from tests.languages.sandbox.battery import create_targets
from worldline.interfaces.mcp.service import ToolService
from worldline.languages.sandbox import default_sandbox

# All attacks are made by the tests of the sandbox; here every eighth goes through the server.
SAMPLE = ATTACKS[::8]
SLEEP = "import time\ndef f(n):\n    time.sleep(n)\n    return n\n"
# Claude Code cuts answers at 25,000 tokens; a token has at least one byte.
MAX_BYTES = 25_000


def size(result: Any) -> int:
    """The bytes of an answer: its text and its structured content together."""
    data = json.dumps(result.structured_content, ensure_ascii=False)
    return len(text_of(result).encode()) + len(data.encode())


def test_attacks_through_the_server_fail(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    service = ToolService()

    async def attack(client: Client, program: Any) -> Any:
        arguments = {"code": program.source, "call": "attack()", "seconds": 3}
        return await client.call_tool("trace_execution", arguments)

    async def run() -> None:
        with create_targets(tmp_path, default_sandbox()) as targets:
            async with in_memory(service) as client:
                for each in SAMPLE:
                    result = await attack(client, each.program(targets))
                    data = data_of(result)
                    trace = service.traces.get(data["id"]).trace
                    assert not each.has_succeeded(trace), (each.name, data["summary"])
                    assert size(result) < MAX_BYTES
                # The server continues.
                good = await client.call_tool(
                    "trace_execution", {"code": "def f():\n    return 7\n", "call": "f()"}
                )
                assert data_of(good)["result"] == "7"

    asyncio.run(run())


def test_fifty_calls_at_once_get_their_own_answers() -> None:
    async def ask(client: Client, number: int) -> str:
        code = f"def f():\n    secret_{number} = {number} * 1000\n    return secret_{number}\n"
        data = data_of(await client.call_tool("trace_execution", {"code": code, "call": "f()"}))
        if data["status"] == "running":
            data = data_of(await client.call_tool("get_result", {"id": data["id"]}))
        names = {name for line in data["lines"] for name in line["changed"]}
        assert names == {f"secret_{number}"}
        return str(data["result"])

    async def run() -> None:
        async with in_memory() as client:
            results = await asyncio.gather(*(ask(client, number) for number in range(50)))
        assert results == [str(number * 1000) for number in range(50)]

    asyncio.run(run())


def test_a_cancelled_call_ends_its_work() -> None:
    service = ToolService(recorders=1)

    async def run() -> None:
        async with in_memory(service) as client:
            # The recorder is started before the time is taken.
            await client.call_tool("trace_execution", {"code": SLEEP, "call": "f(0)"})
            start = time.monotonic()
            arguments = {"code": SLEEP, "call": "f(30)", "seconds": 30}
            calls = [
                asyncio.create_task(client.call_tool("trace_execution", arguments))
                for _ in range(3)
            ]
            await asyncio.sleep(0.5)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            # There is one recorder: this call runs only if the others have ended.
            data = data_of(
                await client.call_tool("trace_execution", {"code": SLEEP, "call": "f(0)"})
            )
            assert data["result"] == "0"
            assert time.monotonic() - start < 25

    asyncio.run(run())


def test_long_work_is_polled_and_cancelled_by_id() -> None:
    service = ToolService(recorders=2, wait_seconds=0.3)

    async def run() -> None:
        async with in_memory(service) as client:
            arguments = {"code": SLEEP, "call": "f(1)", "seconds": 20}
            data = data_of(await client.call_tool("trace_execution", arguments))
            assert data["status"] == "running"
            assert data["id"] in data["summary"]
            while data["status"] == "running":
                data = data_of(await client.call_tool("get_result", {"id": data["id"]}))
            assert data["result"] == "1"
            arguments = {"code": SLEEP, "call": "f(30)", "seconds": 30}
            running = data_of(await client.call_tool("trace_execution", arguments))
            ended = data_of(await client.call_tool("cancel_call", {"id": running["id"]}))
            assert ended["summary"] == "The call was ended."
            result = await client.call_tool("get_result", {"id": running["id"]})
            assert result.is_error
            assert "was cancelled" in text_of(result)
            again = data_of(await client.call_tool("cancel_call", {"id": data["id"]}))
            assert again["summary"] == "The call had finished before."

    asyncio.run(run())


def test_ids_of_others_are_of_no_use_without_knowing_them() -> None:
    async def run() -> None:
        service = ToolService()
        async with in_memory(service) as mine, in_memory(service) as other:
            arguments = {"code": "def f():\n    return 'mine'\n", "call": "f()"}
            data = data_of(await mine.call_tool("trace_execution", arguments))
            id = data["id"]
            assert len(id) == 32
            guesses = [id[:-1], id.upper(), f"{id}.before", "*", "", "../" + id, id[::-1]]
            for guess in guesses:
                for tool in ("get_result", "cancel_call"):
                    result = await other.call_tool(tool, {"id": guess})
                    assert result.is_error, guess
                    assert "mine" not in text_of(result)
                with pytest.raises(MCPError):
                    await other.read_resource(f"worldline://traces/{guess}/steps/0")
            assert (await other.list_resources()).resources == []

    asyncio.run(run())


LARGE = "x" * 10_000_000


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("trace_execution", {"code": LARGE}),
        ("trace_execution", {"code": "", "call": LARGE}),
        ("trace_execution", {"code": "", "variable": LARGE}),
        ("trace_execution", {"code": "", "stdin": LARGE}),
        ("check_prediction", {"code": "", "call": "1", "value": LARGE}),
        ("check_prediction", {"code": "", "call": "1", "steps": [{"line": 1}] * 100_000}),
        ("check_prediction", {"code": "", "call": "1", "steps": [{"line": 1, "returned": LARGE}]}),
        ("what_changes", {"before": "", "after": LARGE, "call": "1"}),
        ("get_result", {"id": LARGE}),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value),
)  # fmt: skip
def test_large_arguments_are_refused_shortly(tool: str, arguments: dict[str, Any]) -> None:
    async def run() -> None:
        async with in_memory() as client:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert "at most" in text_of(result)
            assert len(text_of(result)) < 2_000

    asyncio.run(run())


MANY_NAMES = "".join(f"    v{'x' * 90}{n} = {n}\n" for n in range(300))
# Programs whose answers would be large: values, names, lines, output, exceptions, characters.
LARGE_ANSWERS = {
    "values": "def f():\n    a = 'y' * 10**6\n    return [a] * 3\n",
    "names": f"def f():\n{MANY_NAMES}    return 1\n",
    "loop": "def f():\n    t = 0\n    for i in range(10**6):\n        t += i\n    return t\n",
    "output": "def f():\n    print('\\U0001f600' * 200_000)\n",
    "exception": "def f():\n    raise ValueError('\\U0001f600' * 100_000)\n",
    "wide": "def f():\n    a = b = c = d = e = g = h = '\\U0001f600' * 5_000\n    raise KeyError(a)\n",
    "deep": "def f(n=900):\n    s = '\\u4e2d' * 500\n    return f(n - 1) if n else 1 / 0\n",
    "quotes": "def f():\n    a, b = '\\\\' * 5_000, '\"' * 5_000\n    print(a)\n    raise KeyError(b)\n",
    "bytes": "import sys\ndef f():\n    sys.stdout.buffer.write(b'\\xff\\xfe')\n    raise ValueError\n",
    "surrogates": "def f():\n    a = '\\ud800' * 50\n    raise ValueError(a)\n",
    "repr": "class A:\n    __repr__ = lambda self: '\\ud800\\n\\x1b[31m' * 900\ndef f():\n    a = A()\n",
}


@pytest.mark.parametrize("name", LARGE_ANSWERS)
def test_answers_are_never_too_large(name: str) -> None:
    code = LARGE_ANSWERS[name]

    async def run() -> None:
        async with in_memory() as client:
            both = {"code": code, "call": "f()"}
            traced = await client.call_tool("trace_execution", both)
            results = [
                traced,
                await client.call_tool("trace_execution", {**both, "line": 2}),
                await client.call_tool("check_prediction", {**both, "value": "\U0001f600" * 9_000}),
                await client.call_tool(
                    "what_changes", {"before": code, "after": code + "\n1\n", "call": "f()"}
                ),
            ]
            for result in results:
                assert size(result) < MAX_BYTES, (name, size(result))
                assert data_of(result)["summary"]
            for address in data_of(traced)["resources"]:
                address = address.replace("NAME", "a").replace("NUMBER", "2")
                (content,) = (await client.read_resource(address)).contents
                assert len(content.model_dump()["text"].encode()) < MAX_BYTES

    asyncio.run(run())
