"""Every mode against real vLLM servers: a random model with CWM's tokens, and SmolLM2."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import pytest

from tests.cli.commands import ok
from tests.faulty import FAULTS, FaultyServer, plan, predict_into, running
from tests.measure import computed_stepwise, throughput_of_free
from tests.models import tiny_cwm
from tests.oracle import STEPS
from tests.second_opinion import steps_in_graph
from tests.servers import Server as VllmServer
from worldline.codecs import CwmCodec, Special
from worldline.diagnose import diagnose
from worldline.engines import ABILITIES, Message, OpenAIEngine, Request, Server
from worldline.errors import EngineError
from worldline.predict import (
    Mode,
    Prediction,
    Question,
    Settings,
    check_engine,
    predict,
    read_questions,
    read_recorded,
    vocabulary_of,
)
from worldline.recorders import PythonRecorder
from worldline.tokens import load_tokenizer
from worldline.trace import Limits, Program

Result = TypeVar("Result")
MODES: tuple[Mode, ...] = get_args(Mode)
LOOP = Program(
    "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n", "f(3)"
)


def use(server: VllmServer, work: Callable[[OpenAIEngine], Awaitable[Result]]) -> Result:
    """Open an engine on a server, use it, close it."""

    async def run() -> Result:
        engine = OpenAIEngine(Server(server.url))
        try:
            return await work(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


def asked(
    server: VllmServer, recorder: PythonRecorder, questions: list[Question], settings: Settings
) -> list[Prediction]:
    found = predict(
        questions,
        lambda: OpenAIEngine(Server(server.url)),
        recorder,
        settings=settings,
        # A server computes on the same cores.
        limits=Limits(seconds=60),
    )
    return list(found)


@pytest.fixture(scope="session")
def twenty(cruxeval: list[dict[str, Any]]) -> list[Question]:
    """Twenty programs of CRUXEval."""
    return [
        Question(row["id"], Program(row["code"], f"f({row['input']})"), row["output"])
        for row in cruxeval[::40]
    ]


def test_the_probe_reports_truly_of_both(tiny_server: VllmServer, smol_server: VllmServer) -> None:
    tiny = use(tiny_server, check_engine)
    assert tiny.abilities.found == set(ABILITIES) - {"chat"}
    assert "chat template" in tiny.abilities.missing["chat"]
    assert (tiny.model, tiny.abilities.context_length) == ("tiny-cwm", 8192)
    assert tiny.codecs["cwm"] == ""
    assert set(tiny.modes.values()) == {""}
    smol = use(smol_server, check_engine)
    assert smol.abilities.found == set(ABILITIES)
    assert set(smol.codecs.values()) == {""}
    assert set(smol.modes.values()) == {""}


def test_ids_survive_the_round_trip(tiny_server: VllmServer) -> None:
    text = "def f(s):\n    return s + 'é😀\\t'\n"

    async def work(engine: OpenAIEngine) -> None:
        vocabulary = await vocabulary_of(engine, STEPS)
        pieces = STEPS.prompt(Program(text, "f('<|frame_sep|>')"))
        ids = [token for piece in await vocabulary.encode(pieces) for token in piece]
        assert await engine.spell(ids) == "".join(pieces)
        # What only looks like a special token in the program is spelled in ordinary ones.
        specials = [vocabulary.names[token] for token in ids if token in vocabulary.names]
        assert specials == ["<|begin_of_text|>", "<|trace_context_start|>", "<|frame_sep|>"]
        reply = await engine.generate(Request(tuple(ids), 40))
        assert reply.usage.prompt == len(ids)
        again = await engine.generate(Request((*ids, *reply.ids[:20]), 20))
        assert again.ids == reply.ids[20:]
        assert again.usage.cached > 0

    use(tiny_server, work)


def test_text_is_split_here_as_the_server_splits_it(
    tiny_server: VllmServer, cruxeval: list[dict[str, Any]]
) -> None:
    async def work(engine: OpenAIEngine) -> None:
        own = await vocabulary_of(
            engine, STEPS, tokenizer=load_tokenizer(str(tiny_cwm() / "tokenizer.json"))
        )
        asked = await vocabulary_of(engine, STEPS)
        for row in cruxeval[::80]:
            pieces = STEPS.prompt(Program(row["code"], f"f({row['input']})"))
            assert await own.encode(pieces) == await asked.encode(pieces)
        with pytest.raises(EngineError, match="splits text otherwise"):
            await vocabulary_of(engine, STEPS, tokenizer=load_tokenizer("bytes"))

    use(tiny_server, work)


def test_scores_agree_with_what_the_model_writes(tiny_server: VllmServer) -> None:
    async def work(engine: OpenAIEngine) -> None:
        prompt = await engine.tokenize("<|begin_of_text|>x = 1\n", has_specials=True)
        reply = await engine.generate(Request(prompt, 30, logprobs=True))
        scores = (await engine.score((*prompt, *reply.ids))).tokens[len(prompt) - 1 :]
        assert [score.rank for score in scores] == [1] * len(reply.ids)
        assert [score.likeliest for score in scores] == list(reply.ids)
        assert [s.logprob for s in scores] == pytest.approx(list(reply.logprobs), abs=1e-3)

    use(tiny_server, work)


def check_predictions(
    found: list[Prediction], questions: list[Question], settings: Settings, recorder: PythonRecorder
) -> None:
    """One prediction for each question, within its budget, that can be diagnosed."""
    assert sorted(p.id for p in found) == sorted(q.id for q in questions)
    for prediction in found:
        assert prediction.error is None
        assert prediction.asked is not None
        assert 0 < len(prediction.asked.ids) <= settings.budget
        facts = diagnose(recorder.record(prediction.program), prediction).facts
        assert facts.outcome in ("diverged", "truncated", "malformed")
        if settings.mode == "guided":
            steps_in_graph(prediction)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_gives_predictions_that_can_be_diagnosed(
    mode: Mode, tiny_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    settings = Settings(mode=mode, budget=400, longest_value=8)
    found = asked(tiny_server, recorder, twenty, settings)
    check_predictions(found, twenty, settings, recorder)


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_on_a_pretrained_model(
    mode: Mode, smol_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    settings = Settings(mode=mode, budget=150, longest_value=20)
    found = asked(smol_server, recorder, twenty[:6], settings)
    check_predictions(found, twenty[:6], settings, recorder)


def test_guided_is_not_a_trivial_success(
    tiny_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    settings = Settings(mode="guided", budget=1200, longest_value=8, temperature=1.0)
    found = asked(tiny_server, recorder, twenty, settings)
    steps = [steps_in_graph(prediction) for prediction in found]
    assert sum(steps) > 150
    events = {step.event for prediction in found for step in prediction.decoded.steps}
    assert events == {"call", "line", "return", "exception"}


def test_a_score_begins_as_free_does(
    tiny_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    free = {p.id: p for p in asked(tiny_server, recorder, twenty, Settings(budget=3))}
    for scored in asked(tiny_server, recorder, twenty, Settings(mode="score", budget=7000)):
        assert scored.asked is not None
        ids, own = free[scored.id].asked, scored.asked
        assert ids is not None
        assert ids.ids[: len(own.ids)] == own.ids[:3]
        assert len(own.scores) == len(recorder.record(scored.program).steps) + 1


def test_from_a_prefix_the_model_goes_on_as_if_it_had_written_it(
    tiny_server: VllmServer, recorder: PythonRecorder
) -> None:
    question = [Question("loop", LOOP)]
    (begun,) = asked(tiny_server, recorder, question, Settings(from_step=3, budget=300))
    assert begun.asked is not None
    truth = "".join(STEPS.encode(recorder.record(LOOP)))
    (start, end), *_ = begun.asked.given
    assert start == 0
    assert truth.startswith(begun.text[:end])
    assert begun.text[:end].count("<|frame_sep|>") == 3


def test_smollm2_answers_in_chat_and_is_diagnosed(
    smol_server: VllmServer, recorder: PythonRecorder, twenty: list[Question]
) -> None:
    settings = Settings(codec="chat", budget=160)
    found = asked(smol_server, recorder, twenty[:8], settings)
    assert [p.error for p in found] == [None] * 8
    diagnosed = [diagnose(recorder.record(p.program), p).facts for p in found]
    for prediction, facts in zip(found, diagnosed, strict=True):
        if prediction.answer is not None:
            assert facts.outcome in ("correct", "diverged")
        else:
            is_cut = prediction.finish == "length"
            assert facts.outcome == ("truncated" if is_cut else "malformed")
    assert any(prediction.answer is not None for prediction in found)


def test_a_model_without_the_tokens_is_told_what_to_do(smol_server: VllmServer) -> None:
    class Other(CwmCodec):
        name = "other"
        specials = {Special("<|no_such_token|>"): 1}  # noqa: RUF012

    with pytest.raises(EngineError, match=r"smollm2 does not speak the other format.*--codec chat"):
        use(smol_server, lambda engine: vocabulary_of(engine, Other()))


def test_seeds(smol_server: VllmServer) -> None:
    async def work(engine: OpenAIEngine) -> list[str]:
        prompt = (Message("user", "Name an animal."),)
        requests = [Request(prompt, 12, temperature=1.0, seed=seed) for seed in (1, 1, 2, 3)]
        return [(await engine.generate(request)).text for request in requests]

    texts = use(smol_server, work)
    assert texts[0] == texts[1]
    assert len(set(texts)) > 1


def test_the_command_shows_what_is_done_writes_a_file_and_resumes_it(
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
    first = ok(*command, "--budget", "60", "--first", "12")
    assert "12 asked: " in first.stdout
    assert "0 failed" in first.stdout
    assert f"next: worldline diagnose {output}" in first.stdout
    before = output.read_text(encoding="utf-8")
    second = ok(*command, "--budget", "60")
    assert "12 of 20 are in" in second.stderr
    assert "8 asked: " in second.stdout
    assert output.read_text(encoding="utf-8").startswith(before)
    assert sorted(p.id for p in read_recorded(output)) == sorted(q.id for q in twenty)
    diagnosed = json.loads(ok("diagnose", str(output), "--format", "json").stdout)
    assert len(diagnosed["samples"]) == 20
    checked = json.loads(ok("engines", "check", tiny_server.url, "--measure", "--json").stdout)
    # How many pays is for the machine to say, and how it is found, for test_measure.
    assert {"1", "2"} <= checked["tokens_per_second"].keys()
    assert str(checked["suggested_in_flight"]) in checked["tokens_per_second"]
    assert all(rate > 0 for rate in checked["tokens_per_second"].values())


def test_200_samples_through_every_fault_in_front_of_the_real_server(
    tiny_server: VllmServer, recorder: PythonRecorder, tmp_path: Path
) -> None:
    faulty = FaultyServer(plan, upstream=tiny_server.url, outage=20)
    path = tmp_path / "p.jsonl"
    with running(faulty) as server:
        finishes = predict_into(path, server.url, recorder, patience=120, timeout=5)
    assert finishes["error"] == 0
    assert finishes.total() == 200
    ids = [prediction.id for prediction in read_recorded(path)]
    assert len(ids) == len(set(ids)) == 200
    assert faulty.seen["die"] == 1
    assert all(faulty.seen[fault] >= 2 for fault in FAULTS), faulty.seen


def test_stepwise_rides_on_the_prefix_cache(
    tiny_server: VllmServer, recorder: PythonRecorder
) -> None:
    program = Program(LOOP.source, "f(61)")
    found = asyncio.run(computed_stepwise(tiny_server.url, program, recorder, "force-actions"))
    assert found.steps >= 128
    assert found.stepwise.requests >= 128
    # Without the cache the prompts would be computed again and again: a hundred times as much.
    assert found.stepwise.prompt <= 1.5 * found.in_one_go.total


def test_free_is_not_much_slower_than_the_bare_server(
    tiny_server: VllmServer, twenty: list[Question]
) -> None:
    """The exact ratio is for `scripts/bench throughput`, on a quiet machine."""
    found = throughput_of_free(tiny_server.url, twenty, in_flight=8, budget=200, repeats=3)
    assert found.throughput > 0.4
