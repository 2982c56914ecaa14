"""A benchmark's questions go to a model; each answer is executed, judged and kept, until none is
left."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial

from worldline.diagnose import Sample
from worldline.engines import Engine
from worldline.errors import InputError
from worldline.predict import (
    IN_FLIGHT,
    Asker,
    Prediction,
    Question,
    Settings,
    named_apart,
    predict,
    repeat_id,
)
from worldline.recorders import Recorder
from worldline.runs.judged import Judged
from worldline.runs.manifest import Manifest, with_abilities
from worldline.runs.reading import read_run
from worldline.runs.replay import examine
from worldline.runs.rows import row_to_judged, sample_to_row
from worldline.runs.run import Run
from worldline.tokens import Tokenizer


def ask_into(
    run: Run,
    questions: Sequence[Question],
    engine: Callable[[], Engine],
    recorder: Recorder,
    manifest: Manifest,
    *,
    is_right: Callable[[Question, str], bool],
    tokenizer: Tokenizer | None = None,
    in_flight: int = IN_FLIGHT,
) -> Generator[Judged]:
    """Ask what the run does not have yet; gives its new samples as they come.

    Ended early, the samples so far are in the run, and the next call asks for the rest.
    """
    run.expect(manifest)
    settings = manifest.settings or Settings()
    wanted = missing(run, questions, manifest.repeats)
    if not wanted:
        return

    def begin(asker: Asker) -> None:
        run.begin(with_abilities(manifest, asker.engine.name, asker.abilities))

    asked = {repeat_id(question.id, repeat): (question, repeat) for question, repeat in wanted}
    predictions = predict(
        wanted,
        engine,
        recorder,
        settings=settings,
        limits=manifest.limits,
        tokenizer=tokenizer,
        in_flight=in_flight,
        when_ready=begin,
    )
    with closing(predictions):
        for prediction in predictions:
            question, repeat = asked[prediction.id]
            sample = _examined(prediction, question, recorder, manifest, is_right, tokenizer)
            row = sample_to_row(question, repeat, sample, is_right, tokenizer=tokenizer)
            run.add(row)
            yield row_to_judged(row)


def missing(run: Run, questions: Sequence[Question], repeats: int) -> list[tuple[Question, int]]:
    """What a run does not have: each question with the number of its repeat."""
    every = named_apart((question, repeat) for repeat in range(repeats) for question in questions)
    return [(question, repeat) for question, repeat in every if not run.has(question, repeat)]


def keep_recorded(
    run: Run,
    predictions: Sequence[Prediction],
    recorder: Recorder,
    manifest: Manifest,
    *,
    is_right: Callable[[Question, str], bool],
    tokenizer: Tokenizer | None = None,
) -> Generator[Sample]:
    """Put predictions that somebody recorded into a run, executed and judged like any other.

    What it has already stays; another text by the same name is refused.
    """
    _refuse_twins(predictions)
    run.begin(manifest)
    kept = {
        (row["sample"], row["repeat"]): row["text"]
        for row in read_run(run.place.address, columns=["text"])
    }
    for prediction in predictions:
        repeat = prediction.asked.repeat if prediction.asked else 0
        id = prediction.id.removesuffix(f"#{repeat}") if repeat else prediction.id
        question = Question(id, prediction.program, prediction.expected)
        if run.has(question, repeat) and kept.get((id, repeat), prediction.text) != prediction.text:
            raise InputError(
                f"{run.place.address} holds another prediction by the name of {prediction.id!r}; "
                "name another run with -o, or begin it anew with --restart"
            )
        sample = _examined(prediction, question, recorder, manifest, is_right, tokenizer)
        if not run.has(question, repeat):
            run.add(sample_to_row(question, repeat, sample, is_right, tokenizer=tokenizer))
        yield sample


def _examined(
    prediction: Prediction,
    question: Question,
    recorder: Recorder,
    manifest: Manifest,
    is_right: Callable[[Question, str], bool],
    tokenizer: Tokenizer | None,
) -> Sample:
    """What a run keeps is executed to its end, however early its text was cut."""
    return examine(
        prediction,
        recorder,
        limits=manifest.limits,
        tokenizer=tokenizer,
        is_right=partial(is_right, question),
        is_measured=True,
    )


def _refuse_twins(predictions: Sequence[Prediction]) -> None:
    """Of two by one name a run would keep the first, and nobody would hear of the second."""
    known: set[str] = set()
    for prediction in predictions:
        if prediction.finish == "error":
            # Asked again, perhaps, in the next file.
            continue
        if prediction.id in known:
            raise InputError(
                f"there are two predictions by the name of {prediction.id!r}; name them apart "
                f"({prediction.id}_0, {prediction.id}_1), or keep them in two runs"
            )
        known.add(prediction.id)
