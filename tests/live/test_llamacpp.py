"""llama.cpp's dialect, against llama.cpp's own server."""

import asyncio
import itertools
import json
import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar, get_args

import pytest

from tests.support.llamacpp_servers import missing_reason, serve_gguf, write_smollm2_gguf
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.analysis.trust import row_trust
from worldline.core.errors import EngineError
from worldline.core.trace import Limits, Program
from worldline.languages.python.expression_frames import without_expression_frames
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import STEP_CODECS, get_codec
from worldline.models.engines import CAPABILITIES, Message, OpenAIEngine, Reply, Request, ServerPool
from worldline.models.prediction import (
    CodecTokenizer,
    Mode,
    Policy,
    Prediction,
    PredictionSettings,
    Question,
    check_engine,
    predict_questions,
)

Result = TypeVar("Result")
CODE = "def f(x):\n    y = x + 1\n    return y\n"
PROGRAMS = [
    Question("add", Program("def f(x):\n    y = x + 1\n    return y\n", "f(3)"), "4"),
    Question("branch", Program("def f(x):\n  if x:\n    return 1\n  return 0\n", "f(0)"), "0"),
    Question("raise", Program("def f(x):\n    return x[5]\n", "f([1])"), None),
]  # fmt: skip
STEPS = STEP_CODECS["cwm"]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of SmolLM2-135M-Instruct with CWM's special tokens, which it was not trained on."""
    reason = missing_reason()
    if reason is not None:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    model: Path = tmp_path_factory.mktemp("gguf") / "smollm2-cwm.gguf"
    write_smollm2_gguf(model)
    with serve_gguf(model) as address:
        yield address


def use(url: str, work: Callable[[OpenAIEngine], Awaitable[Result]]) -> Result:
    """Open an engine on the server, use it, close it."""

    async def run() -> Result:
        engine = OpenAIEngine(ServerPool(url, model=None))
        try:
            return await work(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


def generate(url: str, request: Request) -> Reply:
    return use(url, lambda engine: engine.generate(request))


def detokenize(url: str, ids: tuple[int, ...]) -> str:
    return use(url, lambda engine: engine.detokenize(ids))


def predict(url: str, settings: PredictionSettings) -> list[Prediction]:
    with PythonRecorder() as recorder:
        return list(
            predict_questions(
                PROGRAMS,
                lambda: OpenAIEngine(ServerPool(url)),
                recorder,
                settings=settings,
                row_trust=row_trust(settings.policy),
                limits=Limits(seconds=60),
                concurrency=1,
            )
        )


def test_the_check_finds_all_capabilities_but_prompt_scores(url: str) -> None:
    report = use(url, check_engine)
    assert report.capabilities.dialect == "llama.cpp"
    assert report.capabilities.supported == set(CAPABILITIES) - {"prompt_scores"}
    assert report.capabilities.context_length == 2048
    assert set(report.codecs.values()) == {""}
    assert [mode for mode in get_args(Mode) if report.modes[mode]] == ["score"]
    assert "llama.cpp's server returns no log-probabilities of prompts" in report.modes["score"]


def test_scores_are_refused_with_a_sentence(url: str) -> None:
    with pytest.raises(EngineError, match="no log-probabilities of prompts; use vLLM"):
        use(url, lambda engine: engine.score((1, 2, 3)))


def test_token_ids_round_trip(url: str) -> None:
    async def work(engine: OpenAIEngine) -> None:
        tokenizer = await CodecTokenizer.from_engine(engine, STEPS)
        segments = STEPS.prompt(
            Program("def f(s):\n    return s + 'é😀\\t'\n", "f('<|frame_sep|>')")
        )
        ids = [token for segment in await tokenizer.encode(segments) for token in segment]
        assert await engine.detokenize(ids) == "".join(segments)
        # The text of a special token in the program is encoded as ordinary tokens.
        special_tokens = [tokenizer.names[token] for token in ids if token in tokenizer.names]
        assert special_tokens == ["<|begin_of_text|>", "<|trace_context_start|>", "<|frame_sep|>"]
        reply = await engine.generate(Request(tuple(ids), 12))
        assert reply.usage.prompt == len(ids)
        assert reply.usage.completion == len(reply.ids)
        assert await engine.detokenize(reply.ids) == reply.text

    use(url, work)


def test_a_prompt_as_text_is_the_same_as_its_ids(url: str) -> None:
    async def work(engine: OpenAIEngine) -> None:
        ids = await engine.tokenize(CODE, parse_special_tokens=True)
        text = await engine.generate(Request(CODE, 8))
        assert text.prompt_ids == ids
        assert (await engine.generate(Request(ids, 8))).ids == text.ids

    use(url, work)


def test_only_allowed_ids_are_generated_and_the_likeliest_is_chosen(url: str) -> None:
    async def work(engine: OpenAIEngine) -> None:
        (right,) = await engine.tokenize(" y")
        (wrong,) = await engine.tokenize(" banana") or (0,)
        prompt = await engine.tokenize("def f(x):\n    y = x + 1\n    return")
        for allowed in ((right, wrong), (wrong, right)):
            assert (await engine.generate(Request(prompt, 1, allowed_ids=allowed))).ids == (right,)
        reply = await engine.generate(Request(prompt, 3, allowed_ids=(wrong,), logprobs=True))
        assert reply.ids == (wrong,) * 3
        # The log-probabilities are the model's own.
        assert len(reply.logprobs) == 3
        assert reply.logprobs[0] < -5

    use(url, work)


def test_it_stops_at_a_special_token_and_at_one_of_plain_text(url: str) -> None:
    async def work(engine: OpenAIEngine) -> None:
        (frame,) = await engine.tokenize("<|frame_sep|>", parse_special_tokens=True)
        prompt = await engine.tokenize(CODE)
        forced = Request(prompt, 5, stop_ids=(frame,), allowed_ids=(frame,))
        reply = await engine.generate(forced)
        assert (reply.ids, reply.text, reply.finish) == ((frame,), "<|frame_sep|>", "stop")
        free = await engine.generate(Request(prompt, 30))
        # A token that is part of the text of others does not stop there.
        token = free.ids[7]
        stopped = await engine.generate(Request(prompt, 30, stop_ids=(token,)))
        assert stopped.ids == free.ids[: free.ids.index(token) + 1]
        assert stopped.finish == "stop"
        assert stopped.text == await engine.detokenize(stopped.ids)

    use(url, work)


def test_a_stop_string_ends_the_text_and_the_ids_are_those_generated(url: str) -> None:
    free = generate(url, Request(CODE, 24))
    stop = free.text[5:9]
    reply = generate(url, Request(CODE, 24, stop=(stop, "never there")))
    assert reply.text == free.text[: free.text.index(stop) + len(stop)]
    assert reply.finish == "stop"
    assert reply.ids == free.ids[: len(reply.ids)]
    assert use(url, lambda engine: engine.detokenize(reply.ids)).startswith(reply.text)


def test_a_grammar_and_a_schema_are_obeyed(url: str) -> None:
    grammar = STEPS.state_grammar("line", max_value_chars=30)
    reply = generate(url, Request(CODE, 60, grammar=grammar, temperature=1.0, seed=1))
    assert reply.finish == "truncated" or isinstance(json.loads(reply.text), dict)
    assert reply.text.startswith("{")
    schema: dict[str, object] = {
        "type": "object",
        "properties": {"n": {"enum": [17]}},
        "required": ["n"],
    }
    schema["additionalProperties"] = False
    for prompt in (CODE, (Message("user", "Write a poem."),)):
        assert json.loads(generate(url, Request(prompt, 40, json_schema=schema)).text) == {"n": 17}


def test_a_seed_decides_the_sample(url: str) -> None:
    texts = [generate(url, Request(CODE, 10, temperature=1.0, seed=n)).text for n in (1, 1, 2, 3)]
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


def test_the_same_prompt_again_is_cached(url: str) -> None:
    request = Request(CODE * 4, 1)
    generate(url, request)
    usage = generate(url, request).usage
    assert 0 < usage.cached < usage.prompt


def test_a_rendered_conversation_is_that_of_the_chat_endpoint(url: str) -> None:
    messages = (Message("user", "Say yes."),)

    async def work(engine: OpenAIEngine) -> None:
        prompt = await engine.render_chat(messages)
        assert isinstance(prompt, tuple)
        chat = await engine.generate(Request(messages, 6))
        own = await engine.generate(Request(prompt, 6))
        assert own.text == chat.text
        assert chat.usage.prompt == len(prompt)
        prefilled = await engine.render_chat(messages, prefill="No, I")
        assert isinstance(prefilled, tuple)
        assert prefilled[: len(prompt)] == prompt
        assert (await engine.detokenize(prefilled)).endswith("assistant\nNo, I")
        stopped = await engine.generate(Request(messages, 20, stop=("e",)))
        assert stopped.text.endswith("e")

    use(url, work)


@pytest.mark.parametrize("codec", ["cwm", "delta"])
@pytest.mark.parametrize("mode", ["free", "force-actions", "force-state", "guided"])
def test_programs_are_predicted_in_every_mode_but_score(url: str, mode: Mode, codec: str) -> None:
    settings = PredictionSettings(mode=mode, codec=codec, max_tokens=60, max_value_chars=12)
    predictions = predict(url, settings)
    assert [prediction.error for prediction in predictions] == [None] * len(PROGRAMS)
    for prediction in predictions:
        record = prediction.generation
        assert record is not None
        assert prediction.finish in ("stop", "truncated")
        assert 0 < len(record.completion_ids) <= 60
        # The text is that of the ids, special tokens included.
        text = detokenize(url, record.completion_ids)
        assert text.rstrip("\ufffd").startswith(prediction.text[:40].rstrip("\ufffd"))
        if mode in ("force-actions", "guided"):
            # Both begin with a call, which the untrained model would not write.
            assert prediction.text.startswith("<|call_sep|>")
            assert record.forced_spans[0][0] == 0
        # The grammar forbids malformed states.
        if mode == "guided":
            assert prediction.decoded.stop != "malformed"


@pytest.mark.parametrize("mode", ["free", "force-actions", "force-state", "guided"])
def test_programs_are_predicted_in_rows_in_every_mode_but_score(url: str, mode: Mode) -> None:
    predictions = predict(url, PredictionSettings(mode=mode, codec="chat-trace", max_tokens=60))
    assert [prediction.error for prediction in predictions] == [None] * len(PROGRAMS)
    for prediction in predictions:
        record = prediction.generation
        assert record is not None
        assert prediction.finish in ("stop", "truncated")
        if mode in ("force-actions", "guided"):
            assert prediction.text.startswith("L1: def f(x): =>")
            assert record.forced_spans[0][0] == 0
            assert prediction.decoded.steps
        if mode == "guided":
            assert record.forced_spans[0][1] == len("L1: def f(x): => enter")


class TruthfulEngine(OpenAIEngine):
    """A weak model that is made to write a given text behind what is already written of it."""

    def __init__(self, server: ServerPool, text: str) -> None:
        super().__init__(server)
        self._text_to_write = text

    async def generate(self, request: Request) -> Reply:
        assert isinstance(request.prompt, tuple)
        ids = [token for token in request.prompt if isinstance(token, int)]
        written = (await self.detokenize(ids)).rpartition("<|im_start|>assistant\n")[2]
        assert self._text_to_write.startswith(written)
        rest = self._text_to_write[len(written) :]
        if request.allowed_ids:
            texts = {token: await self.detokenize((token,)) for token in request.allowed_ids}
            fitting = tuple(token for token, text in texts.items() if rest.startswith(text))
            return await super().generate(replace(request, allowed_ids=fitting))
        literal = json.dumps(rest, ensure_ascii=False)
        return await super().generate(replace(request, grammar=f"start: {literal}"))


@pytest.mark.parametrize(
    ("codec", "mode"),
    [
        ("chat-trace", "guided"),
        *itertools.product(
            ("chat-trace", "chat-trace-states", "chat-trace-json"), ("force-actions", "force-state")
        ),
    ],
)
def test_a_server_that_writes_the_actual_rows_is_correct(url: str, codec: str, mode: Mode) -> None:
    recorder = PythonRecorder()
    # The slow server writes the other notations only once.
    for question in PROGRAMS if codec == "chat-trace" else PROGRAMS[1:2]:
        actual = without_expression_frames(recorder.record(question.program))
        text = "".join(get_codec(codec).encode(actual))
        (prediction,) = predict_questions(
            [question],
            partial(TruthfulEngine, ServerPool(url, model=None), text),
            recorder,
            settings=PredictionSettings(codec=codec, mode=mode),
        )
        assert prediction.error is None
        assert prediction.text.strip() == text.strip()
        assert diagnose_prediction(actual, prediction).facts.outcome == "correct"


@pytest.mark.parametrize("codec", ["chat-trace", "chat-trace-states", "chat-trace-json", "chat"])
def test_a_server_that_writes_the_actual_trace_is_correct(url: str, codec: str) -> None:
    """A grammar with a single text makes a weak model write the actual trace."""
    recorder = PythonRecorder()
    # The slow server writes the other notations only once.
    for question in PROGRAMS if codec == "chat-trace" else PROGRAMS[1:2]:
        actual = without_expression_frames(recorder.record(question.program))
        text = "".join(get_codec(codec).encode(actual))
        literal = json.dumps(text, ensure_ascii=False)

        def make_engine(literal: str = literal) -> OpenAIEngine:
            return OpenAIEngine(
                ServerPool(url, model=None), extra_body={"grammar": f"root ::= {literal}"}
            )

        (prediction,) = predict_questions(
            [question], make_engine, recorder, settings=PredictionSettings(codec=codec)
        )
        assert prediction.text.strip() == text.strip()
        assert diagnose_prediction(actual, prediction).facts.outcome == "correct"


def test_the_chat_codec_gets_an_answer(url: str) -> None:
    for prediction in predict(url, PredictionSettings(codec="chat", max_tokens=40)):
        assert prediction.error is None
        assert prediction.text


def test_rows_are_executed_on_demand(url: str) -> None:
    """The log-probabilities of the server decide; a threshold of 1 executes everything."""
    points: list[tuple[Policy, float]] = [("all", 1), ("likelihood", 1), ("likelihood", 0)]
    for policy, threshold in points:
        settings = PredictionSettings(
            "on-demand", "chat-trace", 80, policy=policy, threshold=threshold
        )
        for prediction in predict(url, settings):
            record = prediction.generation
            assert prediction.error is None
            assert record is not None
            assert record.decisions
            if threshold == 0:
                assert not any(decision.is_executed for decision in record.decisions)
                assert record.forced_spans == ()
                continue
            assert record.forced_spans == ((0, len(prediction.text)),)
            assert len(record.decisions) == record.actual_rows
            if policy == "likelihood":
                # The untrained model is never certain.
                assert all(0 < decision.trust < 1 for decision in record.decisions)
