"""The tools and resources, with the SDK's client in memory."""

import asyncio
import json
from typing import Any

import pytest
from mcp import Client, MCPError

from tests.interfaces.mcp.connections import data_of, in_memory, text_of

SOURCE = """\
def g(x):
    y = x * 2
    return y

def f(n):
    total = 0
    for i in range(n):
        total += g(i)
    return total
"""
FAILING = """\
def divide(n):
    return 10 / n

def safe(n):
    try:
        divide(0)
    except ZeroDivisionError:
        pass
    return divide(n)
"""


def call(tool: str, **arguments: Any) -> tuple[dict[str, Any], str]:
    """The structured content and the text of one answer."""

    async def run() -> tuple[dict[str, Any], str]:
        async with in_memory() as client:
            result = await client.call_tool(tool, arguments)
            return data_of(result), text_of(result)

    return asyncio.run(run())


def error(tool: str, **arguments: Any) -> str:
    """The text of an answer that is an error."""

    async def run() -> str:
        async with in_memory() as client:
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            return text_of(result)

    return asyncio.run(run())


def effects(data: dict[str, Any]) -> list[tuple[int, dict[str, str]]]:
    return [(line["line"], line["changed"]) for line in data["lines"]]


def test_lines_with_an_effect() -> None:
    data, text = call("trace_execution", code=SOURCE, call="f(2)")
    assert data["summary"] == "f(2) returned 2 after 20 steps."
    assert (data["status"], data["ending"], data["result"]) == ("done", "finished", "2")
    assert effects(data) == [
        (5, {"n": "2"}),
        (6, {"total": "0"}),
        (7, {"i": "0"}),
        (1, {"x": "0"}),
        (2, {"y": "0"}),
        (3, {}),
        (7, {"i": "1"}),
        (8, {"total": "2"}),
        (1, {"x": "1"}),
        (2, {"y": "2"}),
        (3, {}),
        (9, {}),
    ]
    assert data["lines"][-1]["returned"] == "2"
    assert data["left_out"] == 0
    assert "L8   total += g(i)   ⟶  total = 2" in text
    assert text.splitlines()[0] == data["summary"]


def test_the_history_of_a_variable_and_of_a_line() -> None:
    data, _ = call("trace_execution", code=SOURCE, call="f(3)", variable="total")
    assert effects(data) == [(6, {"total": "0"}), (8, {"total": "2"}), (8, {"total": "6"})]
    data, text = call("trace_execution", code=SOURCE, call="f(3)", line=8)
    assert [line["before"] for line in data["lines"]] == [
        {"total": "0", "i": "0"},
        {"total": "0", "i": "1"},
        {"total": "2", "i": "2"},
    ]
    assert "→ total = 6" in text
    data, text = call("trace_execution", code=SOURCE, call="f(3)", variable="absent")
    assert data["lines"] == []
    assert "Lines that changed absent: none." in text


def test_the_path_of_an_exception() -> None:
    data, text = call("trace_execution", code=FAILING, call="safe(0)")
    assert data["exception"] == "ZeroDivisionError: division by zero"
    # The exception of line 6 was caught.
    assert [line["line"] for line in data["exception_path"]] == [2, 9]
    assert "The exception's path:" in text
    data, _ = call("trace_execution", code=FAILING, call="safe(1)")
    assert data["exception_path"] == []


def test_a_script_and_its_output() -> None:
    data, text = call("trace_execution", code="name = input()\nprint('hello', name)\n", stdin="Ann")
    assert data["printed"] == "hello Ann"
    assert "hello Ann" in text
    assert any(address.endswith("/stdout/0") for address in data["resources"])


@pytest.mark.parametrize(
    ("code", "ending", "part"),
    [
        ("def f(:\n", "not_loaded", "SyntaxError"),
        ("def f():\n    while True:\n        pass\n", "step_limit", "more than 20,000 steps"),
        ("import time\ndef f():\n    time.sleep(9)\n", "time_limit", "more than 1 s"),
        ("import sys\ndef f():\n    sys.exit(3)\n", "exited", "ended the interpreter"),
    ],
)
def test_whatever_a_program_does_is_an_answer(code: str, ending: str, part: str) -> None:
    data, _ = call("trace_execution", code=code, call="f()", seconds=1)
    assert data["ending"] == ending
    assert part in data["summary"]


def test_a_check() -> None:
    data, text = call("check_prediction", code=SOURCE, call="f(3)", value="6")
    assert (data["verdict"], text.splitlines()[0]) == ("right", "Right. f(3) returns 6.")
    # Some clients send JSON instead of text.
    data, _ = call("check_prediction", code=SOURCE, call="f(3)", value=6)
    assert data["verdict"] == "right"
    data, _ = call("check_prediction", code=SOURCE, call="f(3)", value=[6])
    assert data["divergence"]["claimed"] == "[6]"
    data, _ = call("check_prediction", code=SOURCE, call="f(3)", value="[6]")
    assert data["divergence"]["claimed"] == "[6]"
    steps = [{"line": 6, "variables": {"total": "0"}}, {"line": 7, "variables": {"i": "1"}}]
    data, text = call("check_prediction", code=SOURCE, call="f(3)", steps=steps)
    assert data["verdict"] == "wrong"
    assert text.splitlines()[0] == (
        "Wrong. 1 claimed step right, then: after line 7: for i in range(n):, i = 0, not 1."
    )


def test_two_versions() -> None:
    data, text = call(
        "what_changes", before=SOURCE, after=SOURCE.replace("x * 2", "x * 3"), call="f(3)"
    )
    assert data["is_same"] is False
    assert (data["before"]["result"], data["after"]["result"]) == ("6", "9")
    assert data["difference"].endswith("y = 3, was 2")
    assert "The old version returns 6, the new one returns 9." in text
    data, _ = call("what_changes", before=SOURCE, after=SOURCE.replace("y", "z"), call="f(3)")
    assert (data["is_same"], data["difference"]) == (True, "")
    endless = SOURCE.replace("return total", "while True: pass")
    data, _ = call("what_changes", before=SOURCE, after=endless, call="f(1)", seconds=1)
    assert data["is_same"] is None


def test_errors_say_what_to_do() -> None:
    assert "give a claim" in error("check_prediction", code=SOURCE, call="f(1)")
    assert "claim one of them" in error(
        "check_prediction", code=SOURCE, call="f(1)", value="1", raised="KeyError"
    )
    assert "is not one Python expression" in error("trace_execution", code=SOURCE, call="f(1")
    assert "worldline mcp --engine URL" in error(
        "what_changes", before=SOURCE, after=SOURCE, call="f(1)", predicted=True
    )
    assert "less than or equal to 30" in error(
        "trace_execution", code=SOURCE, call="f(1)", seconds=31
    )
    assert "no call with this id" in error("get_result", id="0" * 32)
    assert "no call with this id" in error("cancel_call", id="0" * 32)


async def read(client: Client, address: str) -> str:
    (content,) = (await client.read_resource(address)).contents
    text: str = content.model_dump()["text"]
    return text


def test_resources_have_the_rest() -> None:
    code = (
        "def f(n):\n    total = 0\n    for i in range(n):\n        total += i\n    return total\n"
    )

    async def run() -> None:
        async with in_memory() as client:
            data = data_of(
                await client.call_tool("trace_execution", {"code": code, "call": "f(900)"})
            )
            assert data["left_out"] > 1_000
            address = data["resources"][0]
            pages, seen = 0, list[str]()
            while address:
                page = await read(client, address)
                lines = page.splitlines()
                last = lines.pop() if "continued at" in lines[-1] else ""
                seen += lines
                pages, address = pages + 1, last.partition("continued at ")[2]
            assert pages > 5
            # Every executed line once: the call, the assignment, the loop and the return.
            assert len(seen) == len({line.split()[0] for line in seen}) == 2 * 900 + 4
            base = data["resources"][0].removesuffix("/steps/0")
            assert "total = 404550" in (await read(client, f"{base}/lines/5")).replace(
                "returns", "total ="
            )
            assert "No executed line changed" in await read(client, f"{base}/variables/nothing")
            assert "was not executed" in await read(client, f"{base}/lines/77")
            for wrong in ("steps/x", "lines/-1", "steps/99999999999", "other/0"):
                with pytest.raises(MCPError):
                    await read(client, f"{base}/{wrong}")

    asyncio.run(run())


def test_schemas_are_complete() -> None:
    async def run() -> None:
        async with in_memory() as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert sorted(tools) == [
                "cancel_call",
                "check_prediction",
                "get_result",
                "trace_execution",
                "what_changes",
            ]
            for tool in tools.values():
                assert tool.description
                assert "\n  " not in tool.description
                assert tool.annotations is not None
                assert tool.annotations.read_only_hint is True
                assert "title" in json.dumps(tool.input_schema)
            answer = tools["trace_execution"].output_schema
            assert answer is not None
            assert answer["properties"]["lines"]["description"].startswith("The executed lines")
            templates = (await client.list_resource_templates()).resource_templates
            assert len(templates) == 4
            # Traces are not listed: an id is known only to the client that made the call.
            assert (await client.list_resources()).resources == []

    asyncio.run(run())
