"""A model in this process: a tiny random Llama, compared with transformers' own functions."""

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

from worldline.engines import ABILITIES, Engine, Message, Reply, Request, TransformersEngine
from worldline.engines import transformers as home
from worldline.errors import EngineError

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
    """Bytes and a few merges, and special tokens; a text begins with one, as Llama's does."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=280, initial_alphabet=alphabet, show_progress=False
    )
    made.train_from_iterator([TEXT] * 4, trainer)
    made.add_special_tokens([BEGIN, END, TURN, SEP])
    made.post_processor = tokenizers.processors.TemplateProcessing(
        single=f"{BEGIN} $A", special_tokens=[(BEGIN, made.token_to_id(BEGIN))]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, bos_token=BEGIN, eos_token=END, chat_template=TEMPLATE
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
def windowed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """CWM's own kind of model: three of four layers look back over a window only."""
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
    made: Engine = TransformersEngine(str(folder), device="cpu")
    yield made
    run(made.close())


@pytest.fixture(scope="module")
def prompt(folder: Path) -> tuple[int, ...]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    return tuple(tokenizer.encode(TEXT))


def greedy(model: Any, prompt: tuple[int, ...], most: int) -> tuple[int, ...]:
    given = torch.tensor([prompt])
    mask = torch.ones_like(given)
    written = model.generate(given, attention_mask=mask, max_new_tokens=most, do_sample=False)
    return tuple(written[0, len(prompt) :].tolist())


def logprobs_of(model: Any, ids: tuple[int, ...]) -> Any:
    """One row a token: how likely each token of the vocabulary is behind it."""
    with torch.inference_mode():
        return model(torch.tensor([ids])).logits[0].float().log_softmax(-1)


def test_nothing_is_imported_before_it_is_needed() -> None:
    code = "import sys, worldline.engines; print({'torch', 'transformers'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_abilities(engine: Engine) -> None:
    found = run(engine.abilities())
    assert set(ABILITIES) - found.found == {"grammar"} == found.missing.keys()
    assert found.context_length == CONTEXT


def test_greedy_is_what_transformers_writes(
    engine: Engine, model: Any, prompt: tuple[int, ...]
) -> None:
    reply = run(engine.generate(Request(prompt, 40, logprobs=True)))
    assert reply.ids == greedy(model, prompt, 40)
    assert len(set(reply.ids)) > 5
    assert reply.finish == "length"
    assert reply.text == run(engine.spell(reply.ids))
    assert reply.usage.written == len(reply.ids) == 40
    rows = logprobs_of(model, prompt + reply.ids)[len(prompt) - 1 :]
    expected = [float(row[token]) for row, token in zip(rows, reply.ids, strict=False)]
    assert reply.logprobs == pytest.approx(expected, abs=1e-4)


def test_a_prompt_longer_than_a_chunk(engine: Engine, model: Any) -> None:
    prompt = tuple(n * n % 250 for n in range(home._CHUNK * 2 + 9))
    assert run(engine.generate(Request(prompt, 9))).ids == greedy(model, prompt, 9)


def test_steps_that_extend_one_prompt_are_computed_once(
    folder: Path, engine: Engine, prompt: tuple[int, ...]
) -> None:
    fresh = TransformersEngine(str(folder), device="cpu")
    cached = 0
    for step in range(12):
        request = Request(prompt, 3)
        reply = run(engine.generate(request))
        assert reply.usage.prompt == len(prompt)
        assert reply.usage.cached == cached
        fresh._model._forget()
        assert replace(run(fresh.generate(request)), usage=reply.usage) == reply
        # What was written last was not read yet, and what is put behind it is new.
        cached = len(prompt) + len(reply.ids) - 1
        prompt = (*prompt, *reply.ids, step, 20 + step)
    run(fresh.close())


@pytest.mark.parametrize(
    ("kept", "cached"), [(7, 7), (1, 1), (0, 0), (None, -1)], ids=["some", "one", "none", "all"]
)
def test_a_prompt_that_parts_from_the_last_one(
    engine: Engine, model: Any, prompt: tuple[int, ...], kept: int | None, cached: int
) -> None:
    run(engine.generate(Request(prompt, 20)))
    other = prompt if kept is None else (*prompt[:kept], prompt[kept] + 1, *prompt[:5])
    reply = run(engine.generate(Request(other, 20)))
    assert reply.ids == greedy(model, other, 20)
    assert reply.usage.cached == cached % len(other)


def test_a_window_survives_the_cache(windowed: Path, prompt: tuple[int, ...]) -> None:
    """Wound back by more than the window, of which transformers' own cache has kept nothing."""
    model = transformers.AutoModelForCausalLM.from_pretrained(windowed).eval()
    engine = TransformersEngine(str(windowed), device="cpu")
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


def test_scores_are_those_of_a_direct_pass(
    engine: Engine, model: Any, prompt: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = logprobs_of(model, prompt)
    whole = run(engine.score(prompt)).tokens
    monkeypatch.setattr(home, "_CHUNK", 5)
    for scores in (whole, run(engine.score(prompt)).tokens):
        assert len(scores) == len(prompt) - 1
        for row, token, score in zip(rows, prompt[1:], scores, strict=False):
            assert score.logprob == pytest.approx(float(row[token]), abs=1e-4)
            assert score.rank == 1 + int((row > row[token]).sum())
            assert score.likeliest == int(row.argmax())


def test_scores_agree_with_greedy(engine: Engine, prompt: tuple[int, ...]) -> None:
    reply = run(engine.generate(Request(prompt, 30, logprobs=True)))
    scores = run(engine.score(prompt + reply.ids)).tokens[len(prompt) - 1 :]
    assert [score.likeliest for score in scores] == list(reply.ids)
    assert {score.rank for score in scores} == {1}
    assert [score.logprob for score in scores] == pytest.approx(reply.logprobs, abs=1e-4)
    # What was scored is cached as well.
    again = run(engine.generate(Request(prompt + reply.ids, 1)))
    assert again.usage.cached == len(prompt + reply.ids) - 1


def test_too_few_tokens_to_score(engine: Engine) -> None:
    assert run(engine.score(())).tokens == run(engine.score((3,))).tokens == ()


@pytest.mark.parametrize("temperature", [0.0, 1.5])
def test_allowed_ids(
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
    # As likely as it was before the others were forbidden.
    assert reply.logprobs[0] == pytest.approx(float(row[reply.ids[0]]), abs=1e-4)
    assert reply.logprobs[0] < -0.1


def test_stop_ids(engine: Engine, prompt: tuple[int, ...]) -> None:
    free = run(engine.generate(Request(prompt, 20)))
    place = free.ids.index(free.ids[6])
    reply = run(engine.generate(Request(prompt, 20, stop_ids=(free.ids[6],))))
    assert (reply.ids, reply.finish) == (free.ids[: place + 1], "stop")


@pytest.mark.parametrize("end", [END, TURN])
def test_every_end_of_the_model_ends_it(engine: Engine, prompt: tuple[int, ...], end: str) -> None:
    (token,) = run(engine.tokenize(end, has_specials=True))
    reply = run(engine.generate(Request(prompt, 5, allowed_ids=(token,))))
    assert (reply.ids, reply.text, reply.finish) == ((token,), end, "stop")


def test_a_seed_repeats_itself(engine: Engine, prompt: tuple[int, ...]) -> None:
    def ask(seed: int | None, temperature: float = 1.0) -> Reply:
        return run(engine.generate(Request(prompt, 24, temperature=temperature, seed=seed)))

    assert ask(7).ids == ask(7).ids
    assert len({ask(seed).ids for seed in (7, 8, 9)}) == 3
    assert ask(None).ids != ask(None).ids
    # As good as cold.
    assert ask(7, 1e-30).ids == run(engine.generate(Request(prompt, 24))).ids


def test_samples_have_the_odds_of_the_model(
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


def test_special_tokens_are_parsed_only_where_they_are_spelled(engine: Engine) -> None:
    text = f"a = '{SEP}'{END}"
    ordinary = run(engine.tokenize(text))
    (sep,) = run(engine.tokenize(SEP, has_specials=True))
    (end,) = run(engine.tokenize(END, has_specials=True))
    parsed = run(engine.tokenize(text, has_specials=True))
    assert not {sep, end} & set(ordinary)
    assert [n for n in parsed if n in (sep, end)] == [sep, end]
    assert run(engine.spell(ordinary)) == run(engine.spell(parsed)) == text
    # The settings of one call do not leak into the next.
    assert run(engine.tokenize(text)) == ordinary


@pytest.mark.parametrize("text", ["", "x", TEXT, " ,  a . b ' s  n't\n\t!", "é☃\U0001f600"])
@pytest.mark.parametrize("has_specials", [False, True])
def test_nothing_is_added_and_nothing_cleaned_up(
    engine: Engine, text: str, has_specials: bool
) -> None:
    assert run(engine.spell(run(engine.tokenize(text, has_specials=has_specials)))) == text


def test_half_a_surrogate_pair(engine: Engine) -> None:
    assert run(engine.spell(run(engine.tokenize("a\ud800b")))) == "a?b"


def test_a_prompt_as_text(engine: Engine, prompt: tuple[int, ...]) -> None:
    written = run(engine.generate(Request(BEGIN + TEXT, 8)))
    assert written.usage.prompt == len(prompt)
    assert written.ids == run(engine.generate(Request(prompt, 8))).ids


def test_a_conversation(engine: Engine) -> None:
    talk = (Message("system", "Be short."), Message("user", TEXT))
    reply = run(engine.generate(Request(talk, 8)))
    text = f"{BEGIN}{SEP}system\nBe short.{TURN}{SEP}user\n{TEXT}{TURN}{SEP}assistant\n"
    spelled = run(engine.generate(Request(text, 8)))
    assert reply.ids == spelled.ids
    assert reply.usage.prompt == spelled.usage.prompt == spelled.usage.cached + 1


def edited(folder: Path, to: Path, change: Callable[[Path], None]) -> TransformersEngine:
    shutil.copytree(folder, to, dirs_exist_ok=True)
    change(to)
    return TransformersEngine(str(to), device="cpu")


def test_without_a_chat_template(folder: Path, tmp_path: Path) -> None:
    engine = edited(folder, tmp_path, lambda there: (there / "chat_template.jinja").unlink())
    found = run(engine.abilities())
    assert found.missing["chat"] == "its tokenizer has no chat template"
    with pytest.raises(EngineError, match="has no chat template; give the prompt as text"):
        run(engine.generate(Request((Message("user", "hi"),), 1)))


def test_a_template_that_refuses(folder: Path, tmp_path: Path) -> None:
    template = "{{ raise_exception('no system role') }}"
    engine = edited(
        folder, tmp_path, lambda there: void((there / "chat_template.jinja").write_text(template))
    )
    with pytest.raises(EngineError, match="no system role"):
        run(engine.generate(Request((Message("system", "hi"),), 1)))


def void(_: object) -> None:
    """For a lambda that returns nothing."""


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (Request(tuple(range(200)), CONTEXT - 199), "200 tokens of prompt and 501 to write .* 700"),
        (Request((), 1), "the prompt is empty"),
        (Request("", 1), "the prompt is empty"),
        (Request((5, 99_999), 1), "99999 is no token id"),
        (Request((5, -1), 1), "-1 is no token id"),
        (Request((5,), 1, allowed_ids=(99_999,)), "99999 is no token id"),
        (Request((5,), 1, grammar='start: "a"'), "knows no grammar; ask a server"),
    ],
)
def test_requests_that_cannot_be_met(engine: Engine, request_: Request, words: str) -> None:
    with pytest.raises(EngineError, match=words):
        run(engine.generate(request_))


def test_a_context_filled_to_the_last_token(engine: Engine) -> None:
    run(engine.generate(Request((5,) * (CONTEXT - 2), 2, allowed_ids=(6,))))
    assert len(run(engine.score((5,) * CONTEXT)).tokens) == CONTEXT - 1
    with pytest.raises(EngineError, match="701 tokens of prompt and 0 to write"):
        run(engine.score((5,) * (CONTEXT + 1)))


def test_nothing_to_write(engine: Engine, prompt: tuple[int, ...]) -> None:
    reply = run(engine.generate(Request(prompt, 0)))
    assert (reply.text, reply.ids, reply.finish) == ("", (), "length")


def test_a_failure_halfway_spoils_nothing(
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


def test_what_nobody_waits_for_ends(engine: TransformersEngine, prompt: tuple[int, ...]) -> None:
    async def give_up() -> Reply:
        long = asyncio.ensure_future(
            engine.generate(Request(prompt, CONTEXT - len(prompt), allowed_ids=(3,)))
        )
        while len(engine._model._seen) < len(prompt) + 2:
            await asyncio.sleep(0.001)
        long.cancel()
        return await engine.generate(Request((*prompt, *(3,) * CONTEXT)[: CONTEXT - 1], 1))

    reply = asyncio.run(give_up())
    assert len(prompt) < reply.usage.cached < CONTEXT - 50


def test_requests_at_once_take_turns(engine: Engine, prompt: tuple[int, ...]) -> None:
    requests = [Request((*prompt, n), 6) for n in range(6)]

    async def together() -> list[Reply]:
        return await asyncio.gather(*(engine.generate(request) for request in requests))

    alone = [run(engine.generate(request)).ids for request in requests]
    assert [reply.ids for reply in asyncio.run(together())] == alone


def test_a_closed_engine(engine: TransformersEngine) -> None:
    run(engine.close())
    with pytest.raises(EngineError, match="was closed"):
        run(engine.generate(Request((5,), 1)))


def test_there_is_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"there is no folder .*nowhere; give one"):
        TransformersEngine(str(tmp_path / "nowhere"))


def test_a_folder_without_a_model(tmp_path: Path) -> None:
    with pytest.raises(EngineError, match=r"cannot be loaded as a model: .*config\.json"):
        TransformersEngine(str(tmp_path))


def test_a_dtype(folder: Path) -> None:
    engine = TransformersEngine(str(folder), dtype="bfloat16")
    assert engine._model._net.dtype == torch.bfloat16
    with pytest.raises(EngineError, match=r"cannot be loaded as a model: .*(dtype|float17)"):
        TransformersEngine(str(folder), dtype="float17")


def test_weights_that_are_missing_are_not_made_up(folder: Path, tmp_path: Path) -> None:
    def add_a_layer(there: Path) -> None:
        config = json.loads((there / "config.json").read_text())
        config |= {"num_hidden_layers": config["num_hidden_layers"] + 1}
        (there / "config.json").write_text(json.dumps(config))

    with pytest.raises(EngineError, match=r"lacks weights .*layers\.4\.input_layernorm"):
        edited(folder, tmp_path, add_a_layer)


def test_a_model_whose_state_cannot_be_wound_back(tmp_path: Path) -> None:
    tokenizer = save_tokenizer(tmp_path)
    config = transformers.MambaConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, state_size=4
    )
    transformers.MambaForCausalLM(config).save_pretrained(tmp_path)
    with pytest.raises(EngineError, match="cannot be wound back; ask a server"):
        TransformersEngine(str(tmp_path))


@pytest.mark.parametrize("missing", ["torch", "transformers"])
def test_without_the_libraries_it_says_how_to_get_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(EngineError, match=r"pip install 'worldline\[transformers\]'"):
        TransformersEngine(str(folder))
