"""Several servers behind one engine: the work is shared, and whoever is dead is left out."""

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from typing import Any, TypeVar

import pytest

from tests.faulty import FaultyServer, like_vllm, running
from worldline.engines import OpenAIEngine, Reply, Request, Server, addresses, connection
from worldline.errors import EngineError
from worldline.runs import without_secrets

Result = TypeVar("Result")
Plan = Callable[[int], str | None]


def never(_: int) -> str | None:
    """Nothing goes wrong."""
    return None


def with_servers(
    plans: list[Plan],
    use: Callable[[OpenAIEngine, list[FaultyServer]], Awaitable[Result]],
    *,
    answer: Any = like_vllm,
    outage: float = 1.0,
    **options: Any,
) -> tuple[Result, list[FaultyServer]]:
    """Start servers, open one engine on all of them, use it, close it."""

    async def run() -> Result:
        engine = OpenAIEngine(Server(",".join(server.url for server in servers), **options))
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


async def ask(engine: OpenAIEngine, number: int, steps: int = 1) -> list[Reply]:
    """A prompt of its own, and what follows it, a step at a time."""
    prompt = tuple(range(number, number + 1200))
    return [await engine.generate(Request((*prompt, *range(n)), 4)) for n in range(steps)]


def test_the_work_is_shared() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> None:
        await asyncio.gather(*(ask(engine, n) for n in range(30)))

    _, servers = with_servers([never] * 3, use, model="imitation")
    assert [server.seen["fine"] for server in servers] == [10, 10, 10]


def test_what_follows_a_prompt_goes_where_the_prompt_went() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> None:
        await asyncio.gather(*(ask(engine, n, 6) for n in range(4)))

    _, servers = with_servers([never] * 2, use, model="imitation")
    assert [server.seen["fine"] for server in servers] == [12, 12]
    # Every prompt's beginning was seen by one of them alone.
    first = [{prompt.split(",")[0] for prompt in server.prompts} for server in servers]
    assert not first[0] & first[1]


def dies(number: int) -> str | None:
    """The third request is the last."""
    return "die" if number == 2 else None


def test_one_that_dies_is_left_out() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> None:
        for wave in range(10):
            await asyncio.gather(*(ask(engine, 4 * wave + n) for n in range(4)))

    _, (dead, alive) = with_servers([dies, never], use, outage=3600.0, model="imitation", timeout=5)
    assert dead.seen["fine"] <= 6
    assert dead.seen["fine"] + alive.seen["fine"] == 40


def test_one_that_is_back_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LONGEST_ABSENCE", 0.5)

    async def use(engine: OpenAIEngine, servers: list[FaultyServer]) -> int:
        await asyncio.gather(*(ask(engine, n) for n in range(20)))
        before = servers[0].seen["fine"]
        # Long enough for it to be back.
        await asyncio.sleep(3.0)
        # One request finds out, before all others are sent.
        await asyncio.gather(*(ask(engine, n) for n in range(100, 110)))
        assert before < servers[0].seen["fine"] <= before + 5
        await asyncio.gather(*(ask(engine, n) for n in range(110, 140)))
        return before

    before, servers = with_servers([dies, never], use, outage=1.0, model="imitation", timeout=5)
    assert servers[0].seen["fine"] >= before + 10
    assert sum(server.seen["fine"] for server in servers) == 60


def fails(_: int) -> str | None:
    """Every time, at once."""
    return "500"


def test_what_one_fails_on_is_asked_of_the_next() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> list[int]:
        found = [reply for n in range(6) for reply in await ask(engine, n)]
        return [reply.usage.retries for reply in found]

    began = time.monotonic()
    retries, (broken, fine) = with_servers([fails, never], use, model="imitation", patience=20)
    assert fine.seen["fine"] == 6
    assert sum(retries) == broken.seen["500"]
    # Nobody waits for the one that fails while the other is there.
    assert time.monotonic() - began < 19


def test_one_that_does_not_even_refuse_is_left_out_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_CONNECTING", 0.5)
    # As many as may wait for it: the kernel leaves the next ones without an answer.
    with socket.socket() as deaf, ExitStack() as stack:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(deaf.getsockname())

        async def neither() -> None:
            engine = OpenAIEngine(
                Server(f"http://127.0.0.1:{deaf.getsockname()[1]}/v1", timeout=60, patience=1)
            )
            try:
                await ask(engine, 1)
            finally:
                await engine.close()

        began = time.monotonic()
        with pytest.raises(EngineError, match="cannot be reached"):
            asyncio.run(neither())
        assert time.monotonic() - began < 20


def test_one_that_is_not_there_at_first_is_no_error_and_none_is() -> None:
    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> str:
        engine.server._connections[0].url = "http://127.0.0.1:9/v1"
        engine.server._connections[0]._client.base_url = "http://127.0.0.1:9/v1"
        await ask(engine, 1)
        return engine.name

    name, servers = with_servers([never, never], use, patience=2)
    assert name == "imitation"
    assert servers[0].seen["fine"] == 0

    async def neither() -> None:
        engine = OpenAIEngine(
            Server("http://127.0.0.1:9/v1,http://127.0.0.1:19/v1", patience=1, timeout=1)
        )
        try:
            await ask(engine, 1)
        finally:
            await engine.close()

    with pytest.raises(EngineError, match=r"is a server running there\?"):
        asyncio.run(neither())


def test_another_model_is_refused() -> None:
    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        found = like_vllm(path, body)
        if path.endswith("models"):
            names.append(f"model-{len(names)}")
            found["data"][0]["id"] = names[-1]
        return found

    names: list[str] = []

    async def use(engine: OpenAIEngine, _: list[FaultyServer]) -> None:
        await ask(engine, 1)

    with pytest.raises(EngineError, match="has no model 'model-0'; it has model-1"):
        with_servers([never, never], use, answer=answer)


def test_lists_of_addresses() -> None:
    assert addresses("http://a/v1, https://b:8/v1") == ["http://a/v1", "https://b:8/v1"]
    assert addresses("http://me:a,b@host/v1") == ["http://me:a,b@host/v1"]
    assert Server("http://a:1,http://b:2/v1/").url == "http://a:1/v1,http://b:2/v1"
    assert without_secrets("http://me:x@a/v1,http://you:y@b/v1") == "http://a/v1,http://b/v1"
    with pytest.raises(EngineError, match="not the address of a server"):
        Server("http://a/v1,https://")
