"""Many questions go to a model, so many at a time; predictions come as they are ready."""

import asyncio
import itertools
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator
from contextlib import aclosing

from worldline.engines import Engine
from worldline.errors import InputError
from worldline.predict.ask import Asker, Question, Settings, repeat_id
from worldline.predict.prediction import Prediction
from worldline.recorders import Recorder
from worldline.tokens import Tokenizer
from worldline.trace import Limits

# Enough to fill a server's batch, little enough to lose when stopped.
IN_FLIGHT = 32


async def ask_all(
    asker: Asker, asked: Iterable[tuple[Question, int]], *, in_flight: int = IN_FLIGHT
) -> AsyncGenerator[Prediction]:
    """Ask each question (with the number of its repeat); each gives exactly one prediction.

    `in_flight` are being answered at a time; as many more are made ready meanwhile.
    """
    pending = iter(asked)
    slot = asyncio.Semaphore(in_flight)
    tasks: set[asyncio.Task[Prediction]] = set()
    done: set[asyncio.Task[Prediction]] = set()
    try:
        while True:
            # New ones first: the model should not wait for whoever reads.
            for question, repeat in itertools.islice(pending, 2 * in_flight - len(tasks)):
                tasks.add(asyncio.create_task(asker.ask(question, repeat=repeat, slot=slot)))
            for task in done:
                yield task.result()
            if not tasks:
                return
            done, tasks = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def named_apart(asked: Iterable[tuple[Question, int]]) -> Iterator[tuple[Question, int]]:
    """The same questions and repeats, refused where two would have one name.

    ("a#1", repeat 0), ("a", repeat 1) -> refused: the predictions of both are called "a#1"
    """
    owners: dict[str, str] = {}
    for question, repeat in asked:
        name = repeat_id(question.id, repeat)
        owner = owners.setdefault(name, question.id)
        if owner != question.id:
            repeated = min(owner, question.id, key=len)
            raise InputError(
                f"a repeat of {repeated!r} has the name {name!r}, which another question has, too; "
                "give that one another id, or ask both without --repeats"
            )
        yield question, repeat


def predict(
    questions: Iterable[Question | tuple[Question, int]],
    engine: Callable[[], Engine],
    recorder: Recorder,
    *,
    settings: Settings | None = None,
    limits: Limits | None = None,
    tokenizer: Tokenizer | None = None,
    in_flight: int = IN_FLIGHT,
    when_ready: Callable[[Asker], None] | None = None,
) -> Generator[Prediction]:
    """Predictions of a model, as they are ready: not in the order of the questions.

    engine = lambda: OpenAIEngine(Server("http://127.0.0.1:8000/v1"))
    with PythonRecorder() as recorder:
        for prediction in predict(read_questions("programs.jsonl"), engine, recorder):
            print(prediction.id, prediction.answer)

    A question with a number is the repeat of that number. `when_ready` is called once, when it is
    known what the engine can do and before anything is asked. In a notebook, where an event loop is
    running already, the asking is done in a thread of its own.
    """
    numbered = named_apart(q if isinstance(q, tuple) else (q, 0) for q in questions)

    async def run() -> AsyncGenerator[Prediction]:
        opened = engine()
        try:
            asker = await Asker.open(
                opened, settings or Settings(), recorder, limits=limits, tokenizer=tokenizer
            )
            if when_ready is not None:
                when_ready(asker)
            async with aclosing(ask_all(asker, numbered, in_flight=in_flight)) as predictions:
                async for prediction in predictions:
                    yield prediction
        finally:
            await opened.close()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        yield from _here(run())
    else:
        yield from _in_a_thread(run(), in_flight)


def _here(predictions: AsyncGenerator[Prediction]) -> Iterator[Prediction]:
    """Drive an event loop while the next prediction is waited for, and only then: whoever takes
    longer over one than a request may last should ask with fewer in flight, or in a thread."""

    async def following() -> Prediction | None:
        return await anext(predictions, None)

    # With a factory of its own it leaves the loop alone that the caller's thread may have.
    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        try:
            while (prediction := runner.run(following())) is not None:
                yield prediction
        finally:
            runner.run(predictions.aclose())


def _in_a_thread(predictions: AsyncGenerator[Prediction], in_flight: int) -> Iterator[Prediction]:
    """The same in another thread; what is ready waits in a queue."""
    found: queue.Queue[Prediction | BaseException | None] = queue.Queue(maxsize=in_flight)
    runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
    loop = runner.get_loop()

    async def fill() -> None:
        async with aclosing(predictions):
            async for prediction in predictions:
                await asyncio.to_thread(found.put, prediction)

    task = loop.create_task(fill())

    def work() -> None:
        ending: BaseException | None = None
        try:
            with runner:
                loop.run_until_complete(task)
        # Whatever it is, it is raised where the predictions are read.
        except BaseException as error:  # noqa: BLE001
            ending = error
        found.put(ending)

    thread = threading.Thread(target=work, name="worldline-predict", daemon=True)
    thread.start()
    is_over = False
    try:
        while isinstance(item := found.get(), Prediction):
            yield item
        is_over = True
        if item is not None:
            raise item
    finally:
        if not is_over:
            # Whoever reads has seen enough; let go of what is in flight.
            loop.call_soon_threadsafe(task.cancel)
            while isinstance(found.get(), Prediction):
                pass
        thread.join()
