"""A file of predictions goes in; an engine that gives them again comes out."""

from pathlib import Path

from worldline.codecs import codec_named
from worldline.engines import RecordedEngine, Reply
from worldline.predict.recorded import read_recorded


def recorded_engine(path: Path | str, *, codec: str = "cwm") -> RecordedEngine:
    """An engine that answers each prompt as a file of predictions has it; failures are left out."""
    replies: dict[tuple[str, int | None], Reply] = {}
    names: list[str] = []
    for prediction in read_recorded(path, codec=codec):
        asked = prediction.asked
        if prediction.finish == "error":
            continue
        prompt = "".join(codec_named(asked.codec if asked else codec).prompt(prediction.program))
        seed = asked.seed if asked else None
        replies[prompt, seed] = Reply(prediction.text, "length" if prediction.is_cut else "stop")
        names.append(prediction.model)
    return RecordedEngine(next(filter(None, names), "recorded"), replies)
