"""Engine `recorded:FILE`, which replays the outputs in a prediction file."""

from pathlib import Path

from worldline.models.codecs import get_codec
from worldline.models.engines import (
    ENGINES,
    Engine,
    EngineFactory,
    EngineOptions,
    RecordedEngine,
    Reply,
)
from worldline.models.prediction.recorded_formats import read_prediction_file


def load_recorded_engine(path: Path | str, *, codec: str = "cwm") -> RecordedEngine:
    """Create an engine that answers each prompt with the output in a prediction file.

    Rows with an infrastructure error are skipped.

    Args:
        path: a prediction file.
        codec: name of the codec of rows without a field `codec`.
    """
    replies: dict[tuple[str, int | None], Reply] = {}
    models: list[str] = []
    codecs: list[str] = []
    for prediction in read_prediction_file(path, codec=codec):
        record = prediction.generation
        if prediction.finish == "infra_error":
            continue
        codecs.append(record.codec if record else codec)
        prompt = "".join(get_codec(codecs[-1]).prompt(prediction.program))
        seed = record.seed if record else None
        replies[prompt, seed] = Reply(
            prediction.text, "truncated" if prediction.is_truncated else "stop"
        )
        models.append(prediction.model)
    name = next(filter(None, models), "recorded")
    return RecordedEngine(name, replies, codec=codecs[0] if codecs else codec)


def _open_recorded(name: str, options: EngineOptions) -> Engine:
    return load_recorded_engine(Path(name.partition(":")[2]))


ENGINES.register("recorded", EngineFactory(_open_recorded, "recorded:FILE"))
