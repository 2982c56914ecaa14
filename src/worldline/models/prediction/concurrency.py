"""Predictions of many questions with a bounded number of concurrent requests."""

import asyncio
import itertools
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator, Sized
from contextlib import aclosing

from worldline.core.errors import InputError
from worldline.core.trace import Limits
from worldline.languages.python.recorder import Recorder
from worldline.models.engines import Engine
from worldline.models.prediction.costs import CostMeter
from worldline.models.prediction.malformed_replies import MalformedReplyGuard
from worldline.models.prediction.on_demand import RowTrust
from worldline.models.prediction.prediction import Prediction
from worldline.models.prediction.prediction_settings import PredictionSettings
from worldline.models.prediction.predictor import Predictor
from worldline.models.prediction.question import Question, repeat_id
from worldline.models.tokenizers import Tokenizer

# Enough to fill a server's batch, and few enough to lose when the command is interrupted.
DEFAULT_CONCURRENCY = 32


async def predict_all(
    predictor: Predictor,
    questions: Iterable[tuple[Question, int]],
    *,
    concurrency: int = DEFAULT_CONCURRENCY,
) -> AsyncGenerator[Prediction]:
    """Yield one prediction for each pair of a question and the number of its repeat.

    `concurrency` requests are sent at the same time; as many more prompts are prepared meanwhile.
    """
    pending = iter(questions)
    slot = asyncio.Semaphore(concurrency)
    tasks: set[asyncio.Task[Prediction]] = set()
    done: set[asyncio.Task[Prediction]] = set()
    try:
        while True:
            # Start new requests first: the model should not wait for the consumer.
            for question, repeat in itertools.islice(pending, 2 * concurrency - len(tasks)):
                tasks.add(
                    asyncio.create_task(predictor.predict(question, repeat=repeat, slot=slot))
                )
            for task in done:
                yield task.result()
            if not tasks:
                return
            done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def check_unique_ids(questions: Iterable[tuple[Question, int]]) -> Iterator[tuple[Question, int]]:
    """Yield questions and repeats, after a check that their predictions have different ids.

    ("a#1", repeat 0), ("a", repeat 1) -> error: the predictions of both have the id "a#1"

    Raises:
        InputError: two predictions would have the same id.
    """
    owners: dict[str, str] = {}
    for question, repeat in questions:
        id = repeat_id(question.id, repeat)
        owner = owners.setdefault(id, question.id)
        if owner != question.id:
            repeated = min(owner, question.id, key=len)
            raise InputError(
                f"a repeat of {repeated!r} has the name {id!r}, which another question has, too; "
                "give that one another id, or ask both without --repeats"
            )
        yield question, repeat


def predict_questions(
    questions: Iterable[Question | tuple[Question, int]],
    engine: Callable[[], Engine],
    recorder: Recorder,
    *,
    settings: PredictionSettings | None = None,
    limits: Limits | None = None,
    tokenizer: Tokenizer | None = None,
    concurrency: int = DEFAULT_CONCURRENCY,
    max_malformed: int = 0,
    cost: CostMeter | None = None,
    on_ready: Callable[[Predictor], None] | None = None,
    row_trust: RowTrust | None = None,
) -> Generator[Prediction]:
    """Yield a model's predictions as they are completed, not in the order of the questions.

    In a notebook, where an event loop is already running, the requests are sent from a thread.

    Example:
        questions = read_questions("programs.jsonl")
        engine = lambda: OpenAIEngine(ServerPool("http://127.0.0.1:8000/v1"))
        with ProgramRecorder() as recorder:
            for prediction in predict_questions(questions, engine, recorder):
                print(prediction.id, prediction.answer)

    Args:
        questions: questions, or pairs of a question and the number of its repeat.
        engine: opens the engine. It is closed at the end.
        recorder: executes programs, for the modes that need the actual trace.
        settings: how the model is asked.
        limits: limits of the executions.
        tokenizer: the model's own tokenizer, which saves requests to the server.
        concurrency: number of requests sent at the same time.
        max_malformed: stop after this many malformed replies in a row at the beginning, or
            `LATER_FACTOR` times as many later; 0 for never.
        cost: adds up the costs, and stops at its limit.
        on_ready: called once, when the engine was checked and before the first request.
        row_trust: the trust in a row by the policy of the settings, for the mode `on-demand`.

    Raises:
        EngineError: the engine cannot be opened, or does not support the settings.
        InputError: two predictions would have the same id.
        MalformedRepliesError: too many replies in a row were malformed.
        CostLimitError: the predictions cost as much as the limit.
    """
    numbered = check_unique_ids(q if isinstance(q, tuple) else (q, 0) for q in questions)
    expected = len(questions) if isinstance(questions, Sized) else None
    guard = MalformedReplyGuard(max_malformed)

    async def run() -> AsyncGenerator[Prediction]:
        if cost is not None:
            cost.check()
        opened = engine()
        try:
            predictor = await Predictor.open(
                opened,
                settings or PredictionSettings(),
                recorder,
                limits=limits,
                tokenizer=tokenizer,
                row_trust=row_trust,
            )
            if on_ready is not None:
                on_ready(predictor)
            async with aclosing(
                predict_all(predictor, numbered, concurrency=concurrency)
            ) as predictions:
                seen = 0
                async for prediction in predictions:
                    # The consumer stores it first: what stops the run is kept.
                    yield prediction
                    seen += 1
                    if cost is not None:
                        cost.add(prediction)
                    is_exceeded = guard.is_exceeded(prediction)
                    if seen == expected:
                        # Nothing is left to stop.
                        continue
                    if is_exceeded:
                        raise await guard.error(opened, predictor.settings.codec)
                    if cost is not None:
                        cost.check()
        finally:
            await opened.close()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        yield from _run_in_this_thread(run())
    else:
        yield from _run_in_new_thread(run(), concurrency)


def _run_in_this_thread(predictions: AsyncGenerator[Prediction]) -> Iterator[Prediction]:
    """Run the event loop while the next prediction is awaited, and only then.

    A consumer that takes longer for one prediction than a request may last should use a lower
    concurrency, or a thread.
    """

    async def next_prediction() -> Prediction | None:
        return await anext(predictions, None)

    # With its own loop factory, the runner does not replace the event loop of this thread.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        try:
            while (prediction := runner.run(next_prediction())) is not None:
                yield prediction
        finally:
            runner.run(predictions.aclose())


def _run_in_new_thread(
    predictions: AsyncGenerator[Prediction], concurrency: int
) -> Iterator[Prediction]:
    """Run the event loop in a thread; completed predictions wait in a queue."""
    results: queue.Queue[Prediction | BaseException | None] = queue.Queue(maxsize=concurrency)
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    loop = runner.get_loop()

    async def fill() -> None:
        async with aclosing(predictions):
            async for prediction in predictions:
                await asyncio.to_thread(results.put, prediction)

    task = loop.create_task(fill())

    def work() -> None:
        exception: BaseException | None = None
        try:
            with runner:
                loop.run_until_complete(task)
        # Every exception is raised again in the thread of the consumer.
        except BaseException as error:  # noqa: BLE001
            exception = error
        results.put(exception)

    thread = threading.Thread(target=work, name="worldline-predict", daemon=True)
    thread.start()
    is_finished = False
    try:
        while isinstance(item := results.get(), Prediction):
            yield item
        is_finished = True
        if item is not None:
            raise item
    finally:
        if not is_finished:
            # The consumer has stopped early: cancel the requests and empty the queue.
            loop.call_soon_threadsafe(task.cancel)
            while isinstance(results.get(), Prediction):
                pass
        thread.join()
