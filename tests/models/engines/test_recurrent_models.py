"""Engine in this process with a hybrid of gated DeltaNet layers and attention."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.models.engines.test_transformers_engine import (
    greedy,
    logprobs_of,
    run,
    save_tokenizer,
    tiny,
)
from worldline.models.engines import Request, TransformersEngine, transformers_engine

_WHY = "a model in this process needs torch: pip install 'worldline[transformers]'"
torch: Any = pytest.importorskip("torch", reason=_WHY)
transformers: Any = pytest.importorskip("transformers", reason=_WHY)


def hybrid_config(name: str, vocab_size: int) -> Any:
    """Three layers of gated DeltaNet and one of attention."""
    fields = tiny(
        vocab_size=vocab_size,
        initializer_range=0.3,
        layer_types=["linear_attention", "linear_attention", "linear_attention", "full_attention"],
        linear_num_key_heads=4,
        linear_num_value_heads=4,
        linear_key_head_dim=16,
        linear_value_head_dim=32,
        pad_token_id=None,
        bos_token_id=0,
        eos_token_id=None,
    )
    if name == "olmo-hybrid":
        return transformers.OlmoHybridConfig(**fields, linear_allow_neg_eigval=True)
    experts = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
    return transformers.Qwen3NextConfig(
        **fields, **experts, head_dim=16, shared_expert_intermediate_size=32
    )


@pytest.fixture(scope="module", params=["olmo-hybrid", "qwen3-next"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    torch.manual_seed(2)
    folder = tmp_path_factory.mktemp("hybrid")
    tokenizer = save_tokenizer(folder)
    config = hybrid_config(request.param, len(tokenizer))
    transformers.AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(folder).eval()


@pytest.fixture
def engine(folder: Path) -> TransformersEngine:
    return TransformersEngine(str(folder), device="cpu")


PROMPT = tuple(n * n % 250 for n in range(70))


def test_greedy_decoding_equals_that_of_transformers(
    engine: TransformersEngine, model: Any
) -> None:
    reply = run(engine.generate(Request(PROMPT, 30)))
    assert reply.ids == greedy(model, PROMPT, 30)
    assert len(set(reply.ids)) > 5


def test_a_prompt_longer_than_a_chunk_gives_the_same_tokens(
    engine: TransformersEngine, model: Any
) -> None:
    prompt = tuple(n * n % 250 for n in range(transformers_engine._CHUNK_TOKENS * 2 + 9))
    assert run(engine.generate(Request(prompt, 9))).ids == greedy(model, prompt, 9)


def test_the_cache_is_continued_but_not_cropped(engine: TransformersEngine, model: Any) -> None:
    first = run(engine.generate(Request(PROMPT, 10)))
    longer = (*PROMPT, *first.ids, 7, 8)
    second = run(engine.generate(Request(longer, 10)))
    assert (second.ids, second.usage.cached) == (
        greedy(model, longer, 10),
        len(PROMPT) + len(first.ids) - 1,
    )
    # Other tokens at the end: the state of the first ones alone is gone.
    other = (*PROMPT, 9)
    third = run(engine.generate(Request(other, 10)))
    assert (third.ids, third.usage.cached) == (greedy(model, other, 10), 0)


def test_scores_equal_those_of_a_direct_pass(
    engine: TransformersEngine, model: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transformers_engine, "_CHUNK_TOKENS", 16)
    rows = logprobs_of(model, PROMPT)
    expected = [float(rows[n, token]) for n, token in enumerate(PROMPT[1:])]
    scores = run(engine.score(PROMPT)).tokens
    assert [score.logprob for score in scores] == pytest.approx(expected, abs=1e-3)


def test_a_batch_gives_the_tokens_of_each_prompt_alone(
    engine: TransformersEngine, model: Any
) -> None:
    """Prompts and completions of several lengths: padding must not change the recurrent state."""
    requests = [Request(PROMPT[: 9 + 13 * n], 5 + 6 * n) for n in range(4)]

    async def together() -> list[tuple[int, ...]]:
        replies = await asyncio.gather(*(engine.generate(request) for request in requests))
        return [reply.ids for reply in replies]

    expected = [
        greedy(model, tuple(n for n in request.prompt if isinstance(n, int)), request.max_tokens)
        for request in requests
    ]
    assert asyncio.run(together()) == expected
