"""Predictions of one program, or of many into a file."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from worldline.analysis.trust import row_trust
from worldline.core.errors import InputError
from worldline.core.trace import DEFAULT_LANGUAGE, Limits
from worldline.evaluation.runs import PredictionFile
from worldline.interfaces.api.engine_handle import (
    EngineHandle,
    EngineLike,
    borrowed_engine,
    engine_concurrency,
    engine_opener,
)
from worldline.interfaces.api.programs import ProgramLike, to_program
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.engines import Usage
from worldline.models.prediction import (
    AUTO_CODEC,
    DEFAULT_MAX_MALFORMED,
    CodecChoice,
    CostLimit,
    CostMeter,
    Finish,
    Mode,
    Policy,
    Prediction,
    PredictionSettings,
    Predictor,
    Question,
    check_unique_ids,
    predict_questions,
)
from worldline.models.tokenizers import Tokenizer, load_tokenizer


def predict(
    program: ProgramLike,
    *arguments: Any,
    engine: EngineLike,
    call: str | None = None,
    stdin: str = "",
    language: str = DEFAULT_LANGUAGE,
    mode: Mode = "free",
    policy: Policy = "checks",
    threshold: float = 0.5,
    codec: str = AUTO_CODEC,
    max_tokens: int = 4096,
    temperature: float = 0.0,
    seed: int = 0,
    tokenizer: Tokenizer | None = None,
    limits: Limits | None = None,
    python: str | None = None,
) -> Prediction:
    """Ask a model to predict the execution of one program.

    Args:
        program: A function, source text, or a `Program`.
        arguments: For a function, its arguments; for source text, the call, as text.
        engine: The engine, or its name.
        call: The call to predict, as an alternative to `arguments`.
        stdin: What the program reads from standard input.
        language: The language of source text: `python`, `javascript`, `java`, …
        mode: `free`, `force-actions`, `force-state`, `guided`, `score` or `on-demand`.
        policy: In the mode `on-demand`, which steps are executed: `checks`, `trust`, `likelihood`,
            `illegal`, `branch`, `random`, `all` or `none`.
        threshold: In the mode `on-demand`, steps whose trust is below it are executed.
        codec: The format that the model writes: `cwm`, `chat`, `delta`, …; `auto` picks the best
            one that the model supports.
        max_tokens: Maximum completion tokens, including teacher-forced tokens.
        temperature: Sampling temperature; 0 is greedy decoding.
        seed: The sampling seed.
        tokenizer: The model's tokenizer, to tokenize here instead of on the server.
        limits: Limits of the actual execution, which some modes need.
        python: The interpreter for the actual execution.

    Returns:
        The prediction; `diagnose` compares it with the actual execution.

    Raises:
        EngineError: The engine cannot be used in this mode. A failure of the server while it
            answers is not raised: it is a prediction whose `finish` is `infra_error`.

    Examples:
        >>> from worldline.models.engines import ScriptedEngine
        >>> engine = lambda: ScriptedEngine(lambda prompt: "[ANSWER] 8 [/ANSWER]")
        >>> predict("def f(x):\\n    return x * 2\\n", "f(4)", engine=engine, codec="chat").answer
        '8'
    """
    asked = to_program(program, *arguments, call=call, stdin=stdin, language=language)
    question = Question("prediction", asked, None)
    settings = PredictionSettings(
        mode=mode,
        codec=codec,
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
        policy=policy,
        threshold=threshold,
    )
    with ProgramRecorder(python=python) as recorder, borrowed_engine(engine) as borrowed:
        predictions = predict_questions(
            [question],
            engine_opener(borrowed),
            recorder,
            settings=settings,
            limits=limits,
            tokenizer=tokenizer,
            row_trust=row_trust(settings.policy),
        )
        with closing(predictions):
            return next(predictions)


@dataclass(slots=True)
class PredictionTotals:
    """Totals of a series of predictions.

    `skipped` predictions were in the file before; `first_error` is the first infrastructure error.
    """

    skipped: int = 0
    finishes: Counter[Finish] = field(default_factory=Counter)
    usage: Usage = field(default_factory=Usage)
    first_error: str | None = None

    def add(self, prediction: Prediction) -> None:
        """Count one more prediction."""
        self.finishes[prediction.finish] += 1
        self.first_error = self.first_error or prediction.error
        self.usage += prediction.generation.usage if prediction.generation else Usage()


def predict_into_file(
    questions: Sequence[Question],
    engine: EngineLike,
    output: str | Path,
    *,
    settings: PredictionSettings | None = None,
    repeats: int = 1,
    tokenizer: str | None = None,
    concurrency: int | None = None,
    limits: Limits | None = None,
    python: str | None = None,
    import_from: Sequence[Path] = (),
    restart: bool = False,
    max_malformed: int = DEFAULT_MAX_MALFORMED,
    cost_limit: CostLimit | None = None,
    on_start: Callable[[int, int], None] | None = None,
    on_codec: Callable[[CodecChoice], None] | None = None,
    on_prediction: Callable[[Prediction], None] | None = None,
) -> PredictionTotals:
    """Ask a model every question, and append each prediction to a file of JSON lines.

    If interrupted or killed, call it again to resume: predictions in the file are not asked for
    again, except those with an infrastructure error.

    Args:
        questions: The questions.
        engine: The engine, or its name.
        output: The file.
        settings: All settings of the predictions. By default, and with the codec `auto`, the codec
            is that of the file, or else the best one that the model supports.
        repeats: Ask each question this many times, with different seeds.
        tokenizer: The model's tokenizer, to tokenize here instead of on the server.
        concurrency: Maximum number of concurrent requests.
        limits: Limits of the actual executions, which some modes need.
        python: The interpreter for the actual executions.
        import_from: Folders that the programs may import from.
        restart: Delete the file and begin again.
        max_malformed: Stop after this many malformed replies in a row at the beginning, or ten
            times as many later; 0 for never.
        cost_limit: Stop when all predictions in the file cost this much.
        on_start: Called once, with the number of predictions still to make and the total.
        on_codec: Called once if the settings leave the codec open, with the one that is used.
        on_prediction: Called for every new prediction.

    Returns:
        Counts of the new predictions, and their token usage.

    Raises:
        InputError: The file was created with different settings, or for different programs.
        EngineError: The engine cannot be used in this mode.
        MalformedRepliesError: Too many replies in a row were malformed.
        CostLimitError: The predictions cost as much as the limit.

    Examples:
        >>> from worldline.models.engines import ScriptedEngine
        >>> engine = lambda: ScriptedEngine(lambda prompt: "[ANSWER] 8 [/ANSWER]")
        >>> question = Question("double", to_program("def f(x):\\n    return x * 2\\n", "f(4)"))
        >>> settings = PredictionSettings(codec="chat")
        >>> file = f"{folder}/predictions.jsonl"
        >>> predict_into_file([question], engine, file, settings=settings).finishes["stop"]
        1
        >>> predict_into_file([question], engine, file, settings=settings).skipped
        1
    """
    settings = settings or PredictionSettings(codec=AUTO_CODEC)
    _refuse_own_input(engine, Path(output))
    cost = CostMeter(cost_limit) if cost_limit else None

    def report_codec(predictor: Predictor) -> None:
        if predictor.codec_choice is not None and on_codec is not None:
            on_codec(predictor.codec_choice)

    samples = list(check_unique_ids((q, repeat) for repeat in range(repeats) for q in questions))
    with PredictionFile(Path(output), restart=restart) as file:
        if settings.codec == AUTO_CODEC and file.codec is not None:
            settings = replace(settings, codec=file.codec)
            if on_codec is not None:
                on_codec(CodecChoice(file.codec, f"used by the predictions in {output}"))
        file.expect(settings)
        pending = [(q, repeat) for q, repeat in samples if not file.has(q, repeat)]
        totals = PredictionTotals(skipped=len(samples) - len(pending))
        if on_start is not None:
            on_start(len(pending), len(samples))
        if not pending:
            return totals
        for prediction in file.predictions() if cost else ():
            assert cost is not None
            cost.add(prediction)
        with (
            ProgramRecorder(python=python, import_from=import_from) as recorder,
            borrowed_engine(engine) as borrowed,
        ):
            predictions = predict_questions(
                pending,
                engine_opener(borrowed),
                recorder,
                settings=settings,
                limits=limits,
                tokenizer=load_tokenizer(tokenizer) if tokenizer else None,
                concurrency=concurrency or engine_concurrency(borrowed),
                max_malformed=max_malformed,
                cost=cost,
                on_ready=report_codec,
                row_trust=row_trust(settings.policy),
            )
            with closing(predictions):
                for prediction in predictions:
                    file.add(prediction)
                    totals.add(prediction)
                    if on_prediction is not None:
                        on_prediction(prediction)
    return totals


def _refuse_own_input(engine: EngineLike, output: Path) -> None:
    """Refuse to write the file whose recorded predictions the engine reads."""
    name = engine.name if isinstance(engine, EngineHandle) else engine
    kind, _, recording = name.partition(":") if isinstance(name, str) else ("",) * 3
    if kind == "recorded":
        refuse_same_file(Path(recording), output)


def refuse_same_file(source: Path, output: Path) -> None:
    """Refuse to write the file that is read.

    Raises:
        InputError: The two are the same file.
    """
    if output.exists() and source.exists() and output.samefile(source):
        raise InputError(
            f"{output} would be read and written at the same time; name another file with -o"
        )
