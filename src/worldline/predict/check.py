"""An engine goes in; which formats its model speaks and which modes it serves comes out."""

from collections.abc import Mapping
from dataclasses import dataclass

from worldline.codecs import CODECS, STEP_CODECS
from worldline.engines import Abilities, Engine
from worldline.errors import EngineError
from worldline.predict.ask import NEEDS
from worldline.predict.prediction import Mode
from worldline.predict.vocabulary import vocabulary_of


@dataclass(frozen=True, slots=True)
class EngineReport:
    """What an engine can do. `codecs` and `modes` say why not; the empty text means that it can."""

    model: str
    abilities: Abilities
    codecs: Mapping[str, str]
    modes: Mapping[Mode, str]


async def check_engine(engine: Engine) -> EngineReport:
    """Try everything that a mode of prediction needs."""
    abilities = await engine.abilities()
    codecs: dict[str, str] = {}
    for name, codec in CODECS.items():
        try:
            if codec.is_chat:
                abilities.require(["chat"], what=f"the {name} format")
            else:
                abilities.require(["tokenize"], what=f"the {name} format")
                await vocabulary_of(engine, codec)
        except EngineError as reason:
            codecs[name] = str(reason)
        else:
            codecs[name] = ""
    modes: dict[Mode, str] = {}
    steps = [name for name in STEP_CODECS if not codecs[name]]
    for mode, needed in NEEDS.items():
        try:
            abilities.require(needed, what=f"the mode {mode}")
            if mode != "free" and not steps:
                raise EngineError(f"{engine.name} speaks no format that goes step by step")
        except EngineError as reason:
            modes[mode] = str(reason)
        else:
            modes[mode] = ""
    return EngineReport(engine.name, abilities, codecs, modes)
