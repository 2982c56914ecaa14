"""The examples of the guide do what it says."""

import asyncio
import json
import re

import pytest

from tests.interfaces.mcp.connections import data_of, in_memory
from tests.support.paths import PROJECT_ROOT

GUIDE = (PROJECT_ROOT / "docs/how-to/use-from-agents.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", GUIDE, re.DOTALL | re.MULTILINE)


def test_the_claimed_steps() -> None:
    (claim,) = [json.loads(block) for block in blocks("json") if '"steps"' in block]

    async def run() -> str:
        async with in_memory() as client:
            summary: str = data_of(await client.call_tool("check_prediction", claim))["summary"]
            return summary

    assert f"The answer is `{asyncio.run(run())}`" in GUIDE


def test_the_python_example(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = blocks("python")
    exec(compile(code, "guide", "exec"), {"__name__": "guide"})
    assert capsys.readouterr().out in blocks("text")


def test_the_configuration_starts_this_command() -> None:
    servers = [json.loads(block) for block in blocks("json") if "mcpServers" in block]
    assert servers[0]["mcpServers"]["worldline"] == {"command": "worldline", "args": ["mcp"]}
    assert len(servers) == 2
