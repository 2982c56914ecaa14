"""Pools of servers: load balancing, and skipping of unreachable ones."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Any, TypeVar

import pytest

from tests.support.fake_server import FaultyServer, imitate_vllm, running
from worldline.core.errors import EngineError
from worldline.evaluation.runs import redact_secrets
from worldline.models.engines import (
    OpenAIEngine,
    Reply,
    Request,
    ServerPool,
    server_connection,
    split_addresses,
)

Result = TypeVar("Result")
Plan = Callable[[int], str | None]


def no_fault(_: int) -> str | None:
    """Plan without faults."""
    return None


def with_servers(
    plans: list[Plan],
    use: Callable[[OpenAIEngine, list[FaultyServer]], Awaitable[Result]],
    *,
    answer: Any = imitate_vllm,
    outage: float = 1.0,
    **options: Any,
) -> tuple[Result, list[FaultyServer]]:
    """Start servers, open one engine on all of them, use it, close it."""

    async def run() -> Result:
        engine = OpenAIEngine(ServerPool(",".join(server.url for server in servers), **options))
        try:
            return await use(engine, servers)
        finally:
            await engine.close()

    with ExitStack() as stack:
        servers = [
            stack.enter_context(running(FaultyServer(plan, answer=answer, outage=outage)))
            for plan in plans
        ]
        return asyncio.run(run()), servers


async def generate(engine: OpenAIEngine, number: int, steps: int = 1) -> list[Reply]:
    """Generate after a prompt of its own, then after longer ones with the same prefix."""
    prompt = tuple(range(number, number + 1200))
    return [await engine.generate(Request((*prompt, *range(n)), 4)) for n in range(steps)]


def test_requests_are_balanced_over_servers() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> None:
        await asyncio.gather(*(generate(engine, n) for n in range(30)))

    _, servers = with_servers([no_fault] * 3, use, model="imitation")
    assert [server.seen["fine"] for server in servers] == [10, 10, 10]


def test_requests_with_the_same_prefix_go_to_the_same_server() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> None:
        await asyncio.gather(*(generate(engine, n, 6) for n in range(4)))

    _, servers = with_servers([no_fault] * 2, use, model="imitation")
    assert [server.seen["fine"] for server in servers] == [12, 12]
    # Each prefix was seen by one server only.
    first = [{prompt.split(",")[0] for prompt in server.prompts} for server in servers]
    assert not first[0] & first[1]


def die_at_third_request(number: int) -> str | None:
    """Plan: the third request is the last."""
    return "die" if number == 2 else None


def test_a_dead_server_is_skipped() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> None:
        for wave in range(10):
            await asyncio.gather(*(generate(engine, 4 * wave + n) for n in range(4)))

    _, (dead, alive) = with_servers(
        [die_at_third_request, no_fault], use, outage=3600.0, model="imitation", timeout=5
    )
    assert dead.seen["fine"] <= 6
    assert dead.seen["fine"] + alive.seen["fine"] == 40


def test_a_server_that_is_back_gets_requests_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_connection, "_MAX_SKIP", 0.5)

    async def use(engine: OpenAIEngine, servers: list[FaultyServer]) -> int:
        await asyncio.gather(*(generate(engine, n) for n in range(20)))
        before = servers[0].seen["fine"]
        # Long enough for it to be back.
        await asyncio.sleep(3.0)
        # One request tests the server before others are sent.
        await asyncio.gather(*(generate(engine, n) for n in range(100, 110)))
        assert before < servers[0].seen["fine"] <= before + 5
        await asyncio.gather(*(generate(engine, n) for n in range(110, 140)))
        return before

    before, servers = with_servers(
        [die_at_third_request, no_fault], use, outage=1.0, model="imitation", timeout=5
    )
    assert servers[0].seen["fine"] >= before + 10
    assert sum(server.seen["fine"] for server in servers) == 60


def always_fail(_: int) -> str | None:
    """Plan: every request fails at once."""
    return "500"


def test_a_failed_request_is_sent_to_another_server() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> list[int]:
        replies = [reply for n in range(6) for reply in await generate(engine, n)]
        return [reply.usage.retries for reply in replies]

    began = time.monotonic()
    retries, (broken, fine) = with_servers(
        [always_fail, no_fault], use, model="imitation", retry_timeout=20
    )
    assert fine.seen["fine"] == 6
    assert sum(retries) == broken.seen["500"]
    # No request waits for the broken server while the other one works.
    assert time.monotonic() - began < 19


def test_a_server_that_does_not_accept_connections_times_out_soon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_connection, "_CONNECT_TIMEOUT", 0.5)
    # Fill the accept queue: the kernel does not answer further connections.
    with socket.socket() as silent, ExitStack() as stack:
        silent.bind(("127.0.0.1", 0))
        silent.listen(0)
        for _ in range(3):
            client = stack.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(silent.getsockname())

        async def request_unreachable() -> None:
            engine = OpenAIEngine(
                ServerPool(
                    f"http://127.0.0.1:{silent.getsockname()[1]}/v1", timeout=60, retry_timeout=1
                )
            )
            try:
                await generate(engine, 1)
            finally:
                await engine.close()

        began = time.monotonic()
        with pytest.raises(EngineError, match="cannot be reached"):
            asyncio.run(request_unreachable())
        assert time.monotonic() - began < 20


def test_one_unreachable_server_is_no_error_but_all_are() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> str:
        engine.server._connections[0].url = "http://127.0.0.1:9/v1"
        engine.server._connections[0]._client.base_url = "http://127.0.0.1:9/v1"
        await generate(engine, 1)
        return engine.name

    name, servers = with_servers([no_fault, no_fault], use, retry_timeout=2)
    assert name == "imitation"
    assert servers[0].seen["fine"] == 0

    async def request_unreachable() -> None:
        engine = OpenAIEngine(
            ServerPool("http://127.0.0.1:9/v1,http://127.0.0.1:19/v1", retry_timeout=1, timeout=1)
        )
        try:
            await generate(engine, 1)
        finally:
            await engine.close()

    with pytest.raises(EngineError, match=r"is a server running there\?"):
        asyncio.run(request_unreachable())


def test_servers_with_different_models_are_an_error() -> None:
    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        reply = imitate_vllm(path, body)
        if path.endswith("models"):
            names.append(f"model-{len(names)}")
            reply["data"][0]["id"] = names[-1]
        return reply

    names: list[str] = []

    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> None:
        await generate(engine, 1)

    with pytest.raises(EngineError, match="has no model 'model-0'; it has model-1"):
        with_servers([no_fault, no_fault], use, answer=answer)


def test_lists_of_addresses_are_split() -> None:
    assert split_addresses("http://a/v1, https://b:8/v1") == ["http://a/v1", "https://b:8/v1"]
    assert split_addresses("http://me:a,b@host/v1") == ["http://me:a,b@host/v1"]
    assert ServerPool("http://a:1,http://b:2/v1/").url == "http://a:1/v1,http://b:2/v1"
    assert redact_secrets("http://me:x@a/v1,http://you:y@b/v1") == "http://a/v1,http://b/v1"
    with pytest.raises(EngineError, match="not the address of a server"):
        ServerPool("http://a/v1,https://")
