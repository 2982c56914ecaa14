"""Every mode on vLLM servers: a random model with CWM's tokens, and SmolLM2."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import pytest

from tests.interfaces.cli.commands import ok
from tests.support.cfg_oracle import steps_in_graph
from tests.support.fake_server import FAULTS, FaultyServer, plan, predict_into, running
from tests.support.scripted_models import STEPS
from tests.support.server_measurements import measure_free_throughput, measure_prefix_cache
from tests.support.small_models import tiny_cwm
from tests.support.vllm_servers import VllmServer
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.errors import EngineError
from worldline.core.trace import Limits, Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import CwmCodec, SpecialToken
from worldline.models.engines import CAPABILITIES, Message, OpenAIEngine, Request, ServerPool
from worldline.models.prediction import (
    CodecTokenizer,
    Mode,
    Prediction,
    PredictionSettings,
    Question,
    check_engine,
    predict_questions,
    read_prediction_file,
    read_questions,
)
from worldline.models.tokenizers import load_tokenizer

Result = TypeVar("Result")
# The mode `on-demand` has tests of its own: test_on_demand.py and test_steps_on_demand.py.
MODES: tuple[Mode, ...] = tuple(mode for mode in get_args(Mode) if mode != "on-demand")
LOOP = Program(
    "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", "f(3)"
)


def use(server: VllmServer, work: Callable[[OpenAIEngine], Awaitable[Result]]) -> Result:
    """Open an engine on a server, use it, close it."""

    async def run() -> Result:
        engine = OpenAIEngine(ServerPool(server.url))
        try:
            return await work(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


def predict_with(
    server: VllmServer,
    recorder: PythonRecorder,
    questions: list[Question],
    settings: PredictionSettings,
) -> list[Prediction]:
    predictions = predict_questions(
        questions,
        lambda: OpenAIEngine(ServerPool(server.url)),
        recorder,
        settings=settings,
        # The server uses the same cores.
        limits=Limits(seconds=60),
    )
    return list(predictions)


@pytest.fixture(scope="session")
def twenty(cruxeval: list[dict[str, Any]]) -> list[Question]:
    """Twenty programs of CRUXEval."""
    return [
        Question(row["id"], Program(row["code"], f"f({row['input']})"), row["output"])
        for row in cruxeval[::40]
    ]


def test_the_probe_reports_the_capabilities_of_both_models(
    tiny_server: VllmServer, smol_server: VllmServer
) -> None:
    tiny = use(tiny_server, check_engine)
    expected = set(CAPABILITIES) - {"chat", "chat_template"}
    # A JSON schema allows white space, which a random model may write until its token limit.
    assert tiny.capabilities.supported | {"json_schema"} == expected
    assert "chat template" in tiny.capabilities.missing["chat"]
    assert (tiny.model, tiny.capabilities.context_length) == ("tiny-cwm", 8192)
    assert tiny.codecs["cwm"] == ""
    # It has no chat template, which only the codecs of rows need.
    assert set(tiny.modes.values()) == {""}
    smol = use(smol_server, check_engine)
    assert smol.capabilities.supported == set(CAPABILITIES)
    assert set(smol.codecs.values()) == {""}
    assert set(smol.modes.values()) == {""}


def test_token_ids_round_trip(tiny_server: VllmServer) -> None:
    text = "def f(s):\n    return s + 'é😀\\t'\n"

    async def work(engine: OpenAIEngine) -> None:
        tokenizer = await CodecTokenizer.from_engine(engine, STEPS)
        segments = STEPS.prompt(Program(text, "f('<|frame_sep|>')"))
        ids = [token for segment in await tokenizer.encode(segments) for token in segment]
        assert await engine.detokenize(ids) == "".join(segments)
        # The text of a special token in the program is encoded as ordinary tokens.
        special_tokens = [tokenizer.names[token] for token in ids if token in tokenizer.names]
        assert special_tokens == ["<|begin_of_text|>", "<|trace_context_start|>", "<|frame_sep|>"]
        reply = await engine.generate(Request(tuple(ids), 40))
        assert reply.usage.prompt == len(ids)
        again = await engine.generate(Request((*ids, *reply.ids[:20]), 20))
        assert again.ids == reply.ids[20:]
        assert again.usage.cached > 0

    use(tiny_server, work)


def test_the_local_tokenizer_agrees_with_the_server(
    tiny_server: VllmServer, cruxeval: list[dict[str, Any]]
) -> None:
    async def work(engine: OpenAIEngine) -> None:
        local = await CodecTokenizer.from_engine(
            engine, STEPS, tokenizer=load_tokenizer(str(tiny_cwm() / "tokenizer.json"))
        )
        remote = await CodecTokenizer.from_engine(engine, STEPS)
        for row in cruxeval[::80]:
            segments = STEPS.prompt(Program(row["code"], f"f({row['input']})"))
            assert await local.encode(segments) == await remote.encode(segments)
        with pytest.raises(EngineError, match="splits text differently"):
            await CodecTokenizer.from_engine(engine, STEPS, tokenizer=load_tokenizer("bytes"))

    use(tiny_server, work)


def test_scores_agree_with_generation(tiny_server: VllmServer) -> None:
    async def work(engine: OpenAIEngine) -> None:
        prompt = await engine.tokenize("<|begin_of_text|>x = 1\n", parse_special_tokens=True)
        reply = await engine.generate(Request(prompt, 30, logprobs=True))
        scores = (await engine.score((*prompt, *reply.ids))).tokens[len(prompt) - 1 :]
        assert [score.rank for score in scores] == [1] * len(reply.ids)
        assert [score.likeliest for score in scores] == list(reply.ids)
        assert [s.logprob for s in scores] == pytest.approx(list(reply.logprobs), abs=1e-3)

    use(tiny_server, work)


def check_predictions(
    result: list[Prediction],
    questions: list[Question],
    settings: PredictionSettings,
    recorder: PythonRecorder,
) -> None:
    """Check that each question has one prediction, within max_tokens, that can be diagnosed."""
    assert sorted(p.id for p in result) == sorted(q.id for q in questions)
    for prediction in result:
        assert prediction.error is None
        assert prediction.generation is not None
        assert 0 < len(prediction.generation.completion_ids) <= settings.max_tokens
        facts = diagnose_prediction(recorder.record(prediction.program), prediction).facts
        assert facts.outcome in ("diverged", "truncated", "malformed")
        if settings.mode == "guided":
            steps_in_graph(prediction)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_gives_predictions_that_can_be_diagnosed(
    mode: Mode, tiny_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    settings = PredictionSettings(mode=mode, max_tokens=300, max_value_chars=8)
    result = predict_with(tiny_server, recorder, twenty[:10], settings)
    check_predictions(result, twenty[:10], settings, recorder)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_on_a_pretrained_model(
    mode: Mode, smol_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    settings = PredictionSettings(mode=mode, max_tokens=60, max_value_chars=20)
    result = predict_with(smol_server, recorder, twenty[:2], settings)
    check_predictions(result, twenty[:2], settings, recorder)


def test_guided_predictions_contain_many_steps_of_all_events(
    tiny_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    settings = PredictionSettings(
        mode="guided", max_tokens=1200, max_value_chars=8, temperature=1.0
    )
    result = predict_with(tiny_server, recorder, twenty, settings)
    steps = [steps_in_graph(prediction) for prediction in result]
    assert sum(steps) > 150
    events = {step.event for prediction in result for step in prediction.decoded.steps}
    assert events == {"call", "line", "return", "exception"}


def test_score_and_free_have_the_same_first_tokens(
    tiny_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    free = {
        p.id: p
        for p in predict_with(tiny_server, recorder, twenty, PredictionSettings(max_tokens=3))
    }
    for scored in predict_with(
        tiny_server, recorder, twenty, PredictionSettings(mode="score", max_tokens=7000)
    ):
        assert scored.generation is not None
        ids, own = free[scored.id].generation, scored.generation
        assert ids is not None
        assert ids.completion_ids[: len(own.completion_ids)] == own.completion_ids[:3]
        assert len(own.scores) == len(recorder.record(scored.program).steps) + 1


def test_from_step_forces_the_actual_prefix(
    tiny_server: VllmServer, recorder: PythonRecorder
) -> None:
    question = [Question("loop", LOOP)]
    (prediction,) = predict_with(
        tiny_server, recorder, question, PredictionSettings(from_step=3, max_tokens=300)
    )
    assert prediction.generation is not None
    actual = "".join(STEPS.encode(recorder.record(LOOP)))
    (start, end), *_ = prediction.generation.forced_spans
    assert start == 0
    assert actual.startswith(prediction.text[:end])
    assert prediction.text[:end].count("<|frame_sep|>") == 3


def test_smollm2_answers_in_chat_and_is_diagnosed(
    smol_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    settings = PredictionSettings(codec="chat", max_tokens=160)
    result = predict_with(smol_server, recorder, twenty[:5], settings)
    assert [p.error for p in result] == [None] * 5
    diagnosed = [diagnose_prediction(recorder.record(p.program), p).facts for p in result]
    for prediction, facts in zip(result, diagnosed, strict=True):
        if prediction.answer is not None:
            assert facts.outcome in ("correct", "diverged")
        else:
            is_truncated = prediction.finish == "truncated"
            assert facts.outcome == ("truncated" if is_truncated else "malformed")
        # How often so small a model closes its answer differs from one processor to the next.
        if "[/ANSWER]" in prediction.text.partition("[ANSWER]")[2]:
            assert prediction.answer is not None


def test_the_error_for_missing_special_tokens_names_a_codec_that_works(
    smol_server: VllmServer,
) -> None:
    class Other(CwmCodec):
        name = "other"
        special_tokens = {SpecialToken("<|no_such_token|>"): 1}  # noqa: RUF012

    with pytest.raises(EngineError, match=r"smollm2 does not speak the other format.*--codec chat"):
        use(smol_server, lambda engine: CodecTokenizer.from_engine(engine, Other()))


def test_equal_seeds_give_equal_outputs(smol_server: VllmServer) -> None:
    async def work(engine: OpenAIEngine) -> list[str]:
        prompt = (Message("user", "Name an animal."),)
        requests = [Request(prompt, 12, temperature=1.0, seed=seed) for seed in (1, 1, 2, 3)]
        return [(await engine.generate(request)).text for request in requests]

    texts = use(smol_server, work)
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


def test_the_command_reports_writes_a_file_and_resumes_it(
    tiny_server: VllmServer, tmp_path: Path, twenty: list[Question]
) -> None:
    programs, output = tmp_path / "programs.jsonl", tmp_path / "predictions.jsonl"
    rows = [
        {"id": q.id, "code": q.program.source, "call": q.program.call, "expected": q.expected}
        for q in twenty
    ]
    programs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert len(list(read_questions(programs))) == 20

    command = ["predict", str(programs), "--engine", tiny_server.url, "-o", str(output)]
    first = ok(*command, "--max-tokens", "60", "--first", "12")
    assert "12 predictions: " in first.stdout
    assert "0 infrastructure errors" in first.stdout
    assert f"next: worldline diagnose {output}" in first.stderr
    before = output.read_text(encoding="utf-8")
    second = ok(*command, "--max-tokens", "60")
    assert "12 of 20 predictions are already in" in second.stderr
    assert "8 predictions: " in second.stdout
    assert output.read_text(encoding="utf-8").startswith(before)
    assert sorted(p.id for p in read_prediction_file(output)) == sorted(q.id for q in twenty)
    diagnosed = json.loads(ok("diagnose", str(output), "--format", "json").stdout)
    assert len(diagnosed["samples"]) == 20
    checked = json.loads(
        ok("engines", "check", tiny_server.url, "--measure", "--format", "json").stdout
    )
    # The values depend on the machine.
    assert {"1", "2"} <= checked["tokens_per_second"].keys()
    assert str(checked["suggested_concurrency"]) in checked["tokens_per_second"]
    assert all(rate > 0 for rate in checked["tokens_per_second"].values())


def test_200_samples_survive_every_fault_in_front_of_vllm(
    tiny_server: VllmServer, recorder: PythonRecorder, tmp_path: Path
) -> None:
    faulty = FaultyServer(plan, upstream=tiny_server.url, outage=20)
    path = tmp_path / "p.jsonl"
    with running(faulty) as server:
        finishes = predict_into(path, server.url, recorder, retry_timeout=120, timeout=5)
    assert finishes["infra_error"] == 0
    assert finishes.total() == 200
    ids = [prediction.id for prediction in read_prediction_file(path)]
    assert len(ids) == len(set(ids)) == 200
    assert faulty.seen["die"] == 1
    assert all(faulty.seen[fault] >= 2 for fault in FAULTS), faulty.seen


def test_stepwise_prediction_uses_the_prefix_cache(
    tiny_server: VllmServer, recorder: PythonRecorder
) -> None:
    program = Program(LOOP.source, "f(31)")
    result = asyncio.run(measure_prefix_cache(tiny_server.url, program, recorder, "force-actions"))
    assert result.steps >= 64
    assert result.stepwise.requests >= 64
    # Without the cache, about thirty times as many prompt tokens would be computed.
    assert result.stepwise.prompt <= 1.5 * result.single_request.total


def test_free_is_not_much_slower_than_the_bare_server(
    tiny_server: VllmServer, twenty: list[Question]
) -> None:
    """`scripts/bench throughput` measures the exact ratio, on an idle machine."""
    result = measure_free_throughput(
        tiny_server.url, twenty, concurrency=8, max_tokens=100, repeats=3
    )
    assert result.throughput > 0.4
