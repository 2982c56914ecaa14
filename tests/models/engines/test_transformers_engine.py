"""Engine in this process: a tiny random Llama, compared with transformers' own functions."""

import asyncio
import json
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from worldline.core.errors import EngineError
from worldline.models.engines import (
    CAPABILITIES,
    Engine,
    Message,
    Reply,
    Request,
    TransformersEngine,
    transformers_engine,
)

_WHY = "a model in this process needs torch: pip install 'worldline[transformers]'"
torch: Any = pytest.importorskip("torch", reason=_WHY)
transformers: Any = pytest.importorskip("transformers", reason=_WHY)
tokenizers: Any = pytest.importorskip("tokenizers", reason=_WHY)

BEGIN, END, TURN, SEP = "<|begin_of_text|>", "<|end_of_text|>", "<|eot_id|>", "<|frame_sep|>"
TEXT = "def f(x):\n    y = x + 1 ; assert y , 'é'\n    return y\n"
TEMPLATE = (
    "{{ bos_token }}{% for m in messages %}<|frame_sep|>{{ m.role }}\n{{ m.content }}<|eot_id|>"
    "{% endfor %}{% if add_generation_prompt %}<|frame_sep|>assistant\n{% endif %}"
)
CONTEXT = 700
Result = TypeVar("Result")


def run(work: Awaitable[Result]) -> Result:
    async def wait() -> Result:
        return await work

    return asyncio.run(wait())


def save_tokenizer(folder: Path) -> Any:
    """Save a tokenizer of bytes, a few merges and special tokens; a text begins with one."""
    backend = tokenizers.Tokenizer(tokenizers.models.BPE())
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=280, initial_alphabet=alphabet, show_progress=False
    )
    backend.train_from_iterator([TEXT] * 4, trainer)
    backend.add_special_tokens([BEGIN, END, TURN, SEP])
    backend.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{BEGIN} $A", special_tokens=[(BEGIN, backend.token_to_id(BEGIN))]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token=BEGIN, eos_token=END, chat_template=TEMPLATE
    )
    tokenizer.save_pretrained(folder)
    return tokenizer


def tiny(**fields: Any) -> dict[str, Any]:
    return {
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": CONTEXT,
        "initializer_range": 0.5,
        **fields,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    folder = tmp_path_factory.mktemp("tiny")
    tokenizer = save_tokenizer(folder)
    config = transformers.LlamaConfig(**tiny(vocab_size=len(tokenizer), eos_token_id=None))
    model = transformers.LlamaForCausalLM(config)
    ends = tokenizer.convert_tokens_to_ids([END, TURN])
    model.generation_config = transformers.GenerationConfig(eos_token_id=ends, pad_token_id=0)
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def sliding_window_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model like CWM: three of four layers have a sliding attention window."""
    torch.manual_seed(1)
    folder = tmp_path_factory.mktemp("windowed")
    tokenizer = save_tokenizer(folder)
    fields = tiny(vocab_size=len(tokenizer), sliding_window=8, head_dim=16, bos_token_id=0)
    fields |= {"eos_token_id": [len(tokenizer) - 3]}
    transformers.CwmForCausalLM(transformers.CwmConfig(**fields)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def model(folder: Path) -> Any:
    return transformers.AutoModelForCausalLM.from_pretrained(folder).eval()


@pytest.fixture
def engine(folder: Path) -> Iterator[Engine]:
    opened: Engine = TransformersEngine(str(folder), device="cpu")
    yield opened
    run(opened.close())


@pytest.fixture(scope="module")
def prompt(folder: Path) -> tuple[int, ...]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return tuple(tokenizer.encode(TEXT))


def greedy(model: Any, prompt: tuple[int, ...], max_tokens: int) -> tuple[int, ...]:
    batch = torch.tensor([prompt])
    mask = torch.ones_like(batch)
    written = model.generate(batch, attention_mask=mask, max_new_tokens=max_tokens, do_sample=False)
    return tuple(written[0, len(prompt) :].tolist())


def logprobs_of(model: Any, ids: tuple[int, ...]) -> Any:
    """Log-probabilities of the next token, one row per token."""
    with torch.inference_mode():
        return model(torch.tensor([ids])).logits[0].float().log_softmax(-1)


def test_torch_is_not_imported_before_it_is_needed() -> None:
    code = (
        "import sys, worldline.models.engines; "
        "print({'torch', 'transformers'} & sys.modules.keys())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_capabilities_are_all_but_a_grammar(engine: Engine) -> None:
    capabilities = run(engine.capabilities())
    missing = {"grammar", "json_schema"}
    assert set(CAPABILITIES) - capabilities.supported == missing == capabilities.missing.keys()
    assert capabilities.context_length == CONTEXT


def test_greedy_decoding_equals_that_of_transformers(
    engine: Engine, model: Any, prompt: tuple[int, ...]
) -> None:
    reply = run(engine.generate(Request(prompt, 40, logprobs=True)))
    assert reply.ids == greedy(model, prompt, 40)
    assert len(set(reply.ids)) > 5
    assert reply.finish == "truncated"
    assert reply.text == run(engine.detokenize(reply.ids))
    assert reply.usage.completion == len(reply.ids) == 40
    rows = logprobs_of(model, prompt + reply.ids)[len(prompt) - 1 :]
    expected = [float(row[token]) for row, token in zip(rows, reply.ids, strict=False)]
    assert reply.logprobs == pytest.approx(expected, abs=1e-4)


def test_a_prompt_longer_than_a_chunk_gives_the_same_tokens(engine: Engine, model: Any) -> None:
    prompt = tuple(n * n % 250 for n in range(transformers_engine._CHUNK_TOKENS * 2 + 9))
    assert run(engine.generate(Request(prompt, 9))).ids == greedy(model, prompt, 9)


def test_the_cache_is_reused_when_a_prompt_is_extended(
    folder: Path, engine: Engine, prompt: tuple[int, ...]
) -> None:
    fresh = TransformersEngine(str(folder), device="cpu")
    cached = 0
    for step in range(12):
        request = Request(prompt, 3)
        reply = run(engine.generate(request))
        assert reply.usage.prompt == len(prompt)
        assert reply.usage.cached == cached
        fresh._model._reset_cache()
        assert replace(run(fresh.generate(request)), usage=reply.usage) == reply
        # The last generated token is not in the cache, and the tokens after it are new.
        cached = len(prompt) + len(reply.ids) - 1
        prompt = (*prompt, *reply.ids, step, 20 + step)
    run(fresh.close())


@pytest.mark.parametrize(
    ("kept", "cached"), [(7, 7), (1, 1), (0, 0), (None, -1)], ids=["some", "one", "none", "all"]
)
def test_the_cache_is_cropped_to_the_common_prefix(
    engine: Engine, model: Any, prompt: tuple[int, ...], kept: int | None, cached: int
) -> None:
    run(engine.generate(Request(prompt, 20)))
    other = prompt if kept is None else (*prompt[:kept], prompt[kept] + 1, *prompt[:5])
    reply = run(engine.generate(Request(other, 20)))
    assert reply.ids == greedy(model, other, 20)
    assert reply.usage.cached == cached % len(other)


def test_a_sliding_window_works_with_a_cropped_cache(
    sliding_window_model: Path, prompt: tuple[int, ...]
) -> None:
    """The cache is cropped by more than the window, of which transformers' cache keeps nothing."""
    model = transformers.AutoModelForCausalLM.from_pretrained(sliding_window_model).eval()
    engine = TransformersEngine(str(sliding_window_model), device="cpu")
    long = run(engine.generate(Request(prompt, 40)))
    assert long.ids == greedy(model, prompt, 40)
    other = (*prompt[:20], 5, 6)
    reply = run(engine.generate(Request(other, 30)))
    assert (reply.ids, reply.usage.cached) == (greedy(model, other, 30), 20)
    scores = run(engine.score(prompt)).tokens
    rows = logprobs_of(model, prompt)
    expected = [float(rows[n, token]) for n, token in enumerate(prompt[1:])]
    assert [score.logprob for score in scores] == pytest.approx(expected, abs=1e-4)
    run(engine.close())


def test_scores_equal_those_of_a_direct_pass(
    engine: Engine, model: Any, prompt: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = logprobs_of(model, prompt)
    whole = run(engine.score(prompt)).tokens
    monkeypatch.setattr(transformers_engine, "_CHUNK_TOKENS", 5)
    for scores in (whole, run(engine.score(prompt)).tokens):
        assert len(scores) == len(prompt) - 1
        for row, token, score in zip(rows, prompt[1:], scores, strict=False):
            assert score.logprob == pytest.approx(float(row[token]), abs=1e-4)
            assert score.rank == 1 + int((row > row[token]).sum())
            assert score.likeliest == int(row.argmax())


def test_scores_agree_with_greedy_decoding(engine: Engine, prompt: tuple[int, ...]) -> None:
    reply = run(engine.generate(Request(prompt, 30, logprobs=True)))
    scores = run(engine.score(prompt + reply.ids)).tokens[len(prompt) - 1 :]
    assert [score.likeliest for score in scores] == list(reply.ids)
    assert {score.rank for score in scores} == {1}
    assert [score.logprob for score in scores] == pytest.approx(reply.logprobs, abs=1e-4)
    # Scored tokens are cached as well.
    again = run(engine.generate(Request(prompt + reply.ids, 1)))
    assert again.usage.cached == len(prompt + reply.ids) - 1


def test_a_single_token_has_no_scores(engine: Engine) -> None:
    assert run(engine.score(())).tokens == run(engine.score((3,))).tokens == ()


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_only_allowed_ids_are_generated(
    engine: Engine, model: Any, prompt: tuple[int, ...], temperature: float
) -> None:
    request = Request(
        prompt, 1, allowed_ids=(9, 4, 9, 77), temperature=temperature, seed=3, logprobs=True
    )
    reply = run(engine.generate(request))
    row = logprobs_of(model, prompt)[-1]
    assert reply.ids[0] in {4, 9, 77}
    if not temperature:
        assert reply.ids[0] == max((4, 9, 77), key=lambda n: float(row[n]))
    # Log-probabilities do not depend on the allowed ids.
    assert reply.logprobs[0] == pytest.approx(float(row[reply.ids[0]]), abs=1e-4)
    assert reply.logprobs[0] < -0.1


def test_generation_stops_at_stop_ids(engine: Engine, prompt: tuple[int, ...]) -> None:
    free = run(engine.generate(Request(prompt, 20)))
    position = free.ids.index(free.ids[6])
    reply = run(engine.generate(Request(prompt, 20, stop_ids=(free.ids[6],))))
    assert (reply.ids, reply.finish) == (free.ids[: position + 1], "stop")


@pytest.mark.parametrize("end", [END, TURN])
def test_every_end_token_of_the_model_ends_generation(
    engine: Engine, prompt: tuple[int, ...], end: str
) -> None:
    (token,) = run(engine.tokenize(end, parse_special_tokens=True))
    reply = run(engine.generate(Request(prompt, 5, allowed_ids=(token,))))
    assert (reply.ids, reply.text, reply.finish) == ((token,), end, "stop")


def test_the_same_seed_gives_the_same_sample(engine: Engine, prompt: tuple[int, ...]) -> None:
    def ask(seed: int | None, temperature: float = 1.0) -> Reply:
        return run(engine.generate(Request(prompt, 24, temperature=temperature, seed=seed)))

    assert ask(7).ids == ask(7).ids
    assert len({ask(seed).ids for seed in (7, 8, 9)}) == 3
    assert ask(None).ids != ask(None).ids
    # Nearly greedy.
    assert ask(7, 1e-30).ids == run(engine.generate(Request(prompt, 24))).ids


def test_samples_have_the_model_distribution(
    engine: Engine, model: Any, prompt: tuple[int, ...]
) -> None:
    row = logprobs_of(model, prompt)[-1]
    allowed = tuple(row.topk(3).indices.tolist())
    odds = (row[list(allowed)] / 2.0).softmax(-1).tolist()
    tries = 600
    ids = [
        run(engine.generate(Request(prompt, 1, allowed_ids=allowed, temperature=2.0, seed=n))).ids
        for n in range(tries)
    ]
    for token, chance in zip(allowed, odds, strict=True):
        assert ids.count((token,)) / tries == pytest.approx(chance, abs=0.08)


def test_special_tokens_are_parsed_only_on_request(engine: Engine) -> None:
    text = f"a = '{SEP}'{END}"
    ordinary = run(engine.tokenize(text))
    (sep,) = run(engine.tokenize(SEP, parse_special_tokens=True))
    (end,) = run(engine.tokenize(END, parse_special_tokens=True))
    parsed = run(engine.tokenize(text, parse_special_tokens=True))
    assert not {sep, end} & set(ordinary)
    assert [n for n in parsed if n in (sep, end)] == [sep, end]
    assert run(engine.detokenize(ordinary)) == run(engine.detokenize(parsed)) == text
    # The setting of one call does not affect the next.
    assert run(engine.tokenize(text)) == ordinary


@pytest.mark.parametrize("text", ["", "x", TEXT, " ,  a . b ' s  n't\n\t!", "é☃\U0001f600"])
@pytest.mark.parametrize("is_parsed", [False, True])
def test_tokenize_and_detokenize_keep_the_text(engine: Engine, text: str, is_parsed: bool) -> None:
    assert (
        run(engine.detokenize(run(engine.tokenize(text, parse_special_tokens=is_parsed)))) == text
    )


def test_half_a_surrogate_pair_is_replaced(engine: Engine) -> None:
    assert run(engine.detokenize(run(engine.tokenize("a\ud800b")))) == "a?b"


def test_a_prompt_as_text_equals_one_as_ids(engine: Engine, prompt: tuple[int, ...]) -> None:
    written = run(engine.generate(Request(BEGIN + TEXT, 8)))
    assert written.usage.prompt == len(prompt)
    assert written.ids == run(engine.generate(Request(prompt, 8))).ids


def test_a_conversation_uses_the_chat_template(engine: Engine) -> None:
    conversation = (Message("system", "Be short."), Message("user", TEXT))
    reply = run(engine.generate(Request(conversation, 8)))
    text = f"{BEGIN}{SEP}system\nBe short.{TURN}{SEP}user\n{TEXT}{TURN}{SEP}assistant\n"
    spelled = run(engine.generate(Request(text, 8)))
    assert reply.ids == spelled.ids
    assert reply.usage.prompt == spelled.usage.prompt == spelled.usage.cached + 1


def edited_copy(folder: Path, to: Path, change: Callable[[Path], None]) -> TransformersEngine:
    shutil.copytree(folder, to, dirs_exist_ok=True)
    change(to)
    return TransformersEngine(str(to), device="cpu")


def test_without_a_chat_template_there_is_no_chat(folder: Path, tmp_path: Path) -> None:
    engine = edited_copy(
        folder, tmp_path, lambda folder_copy: (folder_copy / "chat_template.jinja").unlink()
    )
    capabilities = run(engine.capabilities())
    assert capabilities.missing["chat"] == "its tokenizer has no chat template"
    with pytest.raises(EngineError, match="has no chat template; give the prompt as text"):
        run(engine.generate(Request((Message("user", "hi"),), 1)))


def test_an_error_of_the_chat_template_is_reported(folder: Path, tmp_path: Path) -> None:
    template = "{{ raise_exception('no system role') }}"
    engine = edited_copy(
        folder,
        tmp_path,
        lambda folder_copy: discard((folder_copy / "chat_template.jinja").write_text(template)),
    )
    with pytest.raises(EngineError, match="no system role"):
        run(engine.generate(Request((Message("system", "hi"),), 1)))


def discard(_: object) -> None:
    """Discard the value of a lambda."""


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (
            Request(tuple(range(200)), CONTEXT - 199),
            "prompt of 200 tokens and a completion of 501 exceed .* .700 tokens",
        ),
        (Request((), 1), "the prompt is empty"),
        (Request("", 1), "the prompt is empty"),
        (Request((5, 99_999), 1), "99999 is not a token id"),
        (Request((5, -1), 1), "-1 is not a token id"),
        (Request((5,), 1, allowed_ids=(99_999,)), "99999 is not a token id"),
        (Request((5,), 1, grammar='start: "a"'), "supports no grammar; use a server"),
    ],
)
def test_invalid_requests_are_errors(engine: Engine, request_: Request, message: str) -> None:
    with pytest.raises(EngineError, match=message):
        run(engine.generate(request_))


def test_the_context_can_be_filled_to_the_last_token(engine: Engine) -> None:
    run(engine.generate(Request((5,) * (CONTEXT - 2), 2, allowed_ids=(6,))))
    assert len(run(engine.score((5,) * CONTEXT)).tokens) == CONTEXT - 1
    with pytest.raises(EngineError, match="prompt of 701 tokens and a completion of 0"):
        run(engine.score((5,) * (CONTEXT + 1)))


def test_max_tokens_zero_generates_nothing(engine: Engine, prompt: tuple[int, ...]) -> None:
    reply = run(engine.generate(Request(prompt, 0)))
    assert (reply.text, reply.ids, reply.finish) == ("", (), "truncated")


def test_a_failed_request_resets_the_cache(
    engine: TransformersEngine, model: Any, prompt: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(engine.generate(Request(prompt, 4)))
    last = engine._model._net.model.layers[-1]

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("not enough memory")

    with monkeypatch.context() as patch:
        patch.setattr(last, "forward", fail)
        with pytest.raises(EngineError, match="not enough memory; a shorter prompt may work"):
            run(engine.generate(Request((*prompt, 4, 5), 4)))
    reply = run(engine.generate(Request((*prompt, 4, 5), 4)))
    assert (reply.ids, reply.usage.cached) == (greedy(model, (*prompt, 4, 5), 4), 0)


def test_a_cancelled_request_stops(engine: TransformersEngine, prompt: tuple[int, ...]) -> None:
    async def give_up() -> Reply:
        long = asyncio.ensure_future(
            engine.generate(Request(prompt, CONTEXT - len(prompt), allowed_ids=(3,)))
        )
        while len(engine._model._cached_ids) < len(prompt) + 2:
            await asyncio.sleep(0.001)
        long.cancel()
        return await engine.generate(Request((*prompt, *(3,) * CONTEXT)[: CONTEXT - 1], 1))

    reply = asyncio.run(give_up())
    assert len(prompt) < reply.usage.cached < CONTEXT - 50


def test_concurrent_requests_take_turns(engine: Engine, prompt: tuple[int, ...]) -> None:
    requests = [Request((*prompt, n), 6) for n in range(6)]

    async def together() -> list[Reply]:
        return await asyncio.gather(*(engine.generate(request) for request in requests))

    alone = [run(engine.generate(request)).ids for request in requests]
    assert [reply.ids for reply in asyncio.run(together())] == alone


def test_a_closed_engine_is_an_error(engine: TransformersEngine) -> None:
    run(engine.close())
    with pytest.raises(EngineError, match="was closed"):
        run(engine.generate(Request((5,), 1)))


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(
        EngineError, match=r"there is no folder .*nowhere; give the folder of a saved model"
    ):
        TransformersEngine(str(tmp_path / "nowhere"))


def test_a_folder_without_a_model_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"cannot be loaded as a model: .*config\.json"):
        TransformersEngine(str(tmp_path))


def test_the_dtype_can_be_chosen(folder: Path) -> None:
    engine = TransformersEngine(str(folder), dtype="bfloat16")
    assert engine._model._net.dtype == torch.bfloat16
    with pytest.raises(EngineError, match=r"cannot be loaded as a model: .*(dtype|float17)"):
        TransformersEngine(str(folder), dtype="float17")


def test_missing_weights_are_an_error(folder: Path, tmp_path: Path) -> None:
    def add_a_layer(folder_copy: Path) -> None:
        config = json.loads((folder_copy / "config.json").read_text())
        config |= {"num_hidden_layers": config["num_hidden_layers"] + 1}
        (folder_copy / "config.json").write_text(json.dumps(config))

    with pytest.raises(EngineError, match=r"lacks weights .*layers\.4\.input_layernorm"):
        edited_copy(folder, tmp_path, add_a_layer)


def test_a_model_whose_cache_cannot_be_cropped_is_an_error(tmp_path: Path) -> None:
    tokenizer = save_tokenizer(tmp_path)
    config = transformers.MambaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, state_size=4
    )
    transformers.MambaForCausalLM(config).save_pretrained(tmp_path)
    with pytest.raises(EngineError, match="cannot be cropped to a prefix; use a server"):
        TransformersEngine(str(tmp_path))


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_a_missing_library_names_the_extra_to_install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(EngineError, match=r"pip install 'worldline\[transformers\]'"):
        TransformersEngine(str(folder))


def test_a_stop_string_ends_the_text(engine: Engine, prompt: tuple[int, ...]) -> None:
    free = run(engine.generate(Request(prompt, 12)))
    stop = free.text[2:4]
    reply = run(engine.generate(Request(prompt, 12, stop=(stop, "never there"))))
    assert reply.text == free.text[: free.text.index(stop) + len(stop)]
    assert reply.finish == "stop"
    assert reply.ids == free.ids[: len(reply.ids)]
    assert run(engine.generate(Request(prompt, 12, stop=("never there",)))).ids == free.ids


def test_a_conversation_is_rendered_with_the_beginning_of_the_answer(engine: Engine) -> None:
    conversation = (Message("user", TEXT),)
    ids = run(engine.render_chat(conversation))
    prefilled = run(engine.render_chat(conversation, prefill="Yes"))
    assert isinstance(prefilled, tuple)
    assert prefilled[: len(ids)] == ids
    assert run(engine.detokenize(prefilled)).endswith(f"{SEP}assistant\nYes")
    same = run(engine.generate(Request(conversation, 6))).ids
    assert run(engine.generate(Request(ids, 6))).ids == same


def together(engine: Engine, requests: list[Request]) -> list[Reply | BaseException]:
    """The replies to requests that are sent at the same time."""

    async def send() -> list[Reply | BaseException]:
        return await asyncio.gather(*map(engine.generate, requests), return_exceptions=True)

    return run(send())


def test_requests_in_one_batch_get_the_replies_that_they_get_alone(
    folder: Path, sliding_window_model: Path, prompt: tuple[int, ...]
) -> None:
    options: list[dict[str, Any]] = [
        {"max_tokens": 9},
        {"max_tokens": 40, "temperature": 0.7},
        {"max_tokens": 1},
        {"max_tokens": 25, "allowed_ids": (5, 6, 70)},
        {"max_tokens": 30, "stop_ids": tuple(range(100, 140))},
        {"max_tokens": 30, "stop": ("e",)},
    ]
    requests = [
        Request(prompt[: 3 + 4 * n], seed=n, logprobs=True, **each)
        for n, each in enumerate(options)
    ]
    for name in (folder, sliding_window_model):
        engine = TransformersEngine(str(name), device="cpu")
        alone = [run(engine.generate(request)) for request in requests]
        # While the first is generated alone, the others arrive and become a batch.
        batch = together(engine, requests)[1:]
        for one, other in zip(alone[1:], batch, strict=True):
            assert isinstance(other, Reply)
            assert (one.ids, one.text, one.finish) == (other.ids, other.text, other.finish)
            assert one.logprobs == pytest.approx(other.logprobs, abs=1e-3)
            assert other.usage.cached == 0
        run(engine.close())


def test_a_bad_request_fails_alone_in_a_batch(engine: Engine, prompt: tuple[int, ...]) -> None:
    good = Request(prompt, max_tokens=5)
    replies = together(engine, [good, good, Request((10**6,), max_tokens=5), good])
    assert isinstance(replies[2], EngineError)
    assert "10" in str(replies[2])
    assert [reply.ids for reply in replies if isinstance(reply, Reply)] == [
        run(engine.generate(good)).ids
    ] * 3


def test_a_request_that_is_cancelled_does_not_end_the_others_of_its_batch(
    engine: Engine, prompt: tuple[int, ...]
) -> None:
    long, short = Request(prompt, max_tokens=600), Request(prompt, max_tokens=20)
    expected = run(engine.generate(short)).ids

    async def cancel_one() -> tuple[int, ...]:
        tasks = [asyncio.ensure_future(engine.generate(each)) for each in (short, long, short)]
        await tasks[0]
        tasks[1].cancel()
        return (await tasks[2]).ids

    assert run(cancel_one()) == expected
    # The thread is free again: the cancelled request does not run to its limit.
    assert run(engine.generate(short)).ids == expected


def test_a_short_completion_does_not_wait_for_a_long_one_of_its_batch(
    engine: Engine, prompt: tuple[int, ...]
) -> None:
    short, long = Request(prompt, max_tokens=3), Request(prompt, max_tokens=500, stop_ids=())

    async def first_done() -> tuple[int, ...]:
        tasks = [asyncio.ensure_future(engine.generate(each)) for each in (short, long, short)]
        reply = await tasks[2]
        assert not tasks[1].done()
        assert len((await tasks[1]).ids) > 3
        return reply.ids

    assert run(first_done()) == run(engine.generate(short)).ids
