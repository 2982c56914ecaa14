"""Prediction that is asked for one step at a time, and whose state can be changed in between."""

import json
from dataclasses import replace

from worldline.core.errors import EngineError
from worldline.core.trace import Program
from worldline.languages.python.recorder import Recorder
from worldline.models.codecs import (
    STEP_CODECS,
    ChatTraceCodec,
    Codec,
    Decoded,
    get_codec,
    split_at_special_tokens,
)
from worldline.models.codecs.cwm_tokens import EVENT, FRAME
from worldline.models.codecs.item_text import parse_items, write_items
from worldline.models.codecs.rows import Item
from worldline.models.codecs.segments import safe_json
from worldline.models.engines import Engine
from worldline.models.prediction.constrained_generation import (
    ConstrainedGeneration,
    MaxTokensReached,
    Position,
)
from worldline.models.prediction.prediction_settings import (
    PredictionSettings,
    make_generation_record,
)
from worldline.models.prediction.predictor import Predictor

_START = Position(0, 0, ())


class StepwisePrediction:
    """A prediction that grows by one step for each request. Create it with `open`.

    Attributes:
        program: the program.
        codec: the format that the model writes.
        decoded: the steps so far.
        is_finished: whether the model has ended the trace, or reached the token limit.
    """

    def __init__(self, program: Program, codec: Codec, completion: ConstrainedGeneration) -> None:
        self.program = program
        self.codec = codec
        self._completion = completion
        self.decoded: Decoded = codec.decode("", program)
        self.is_finished = False

    @staticmethod
    async def open(
        engine: Engine, program: Program, settings: PredictionSettings, recorder: Recorder
    ) -> "StepwisePrediction":
        """Create a prediction without steps.

        Args:
            engine: access to the model.
            program: the program to predict.
            settings: codec, token limit, temperature and seed; the mode is `free`.
            recorder: executes programs, for the modes that need it; this one does not.

        Raises:
            EngineError: the engine cannot continue a text, or the codec has no steps.
        """
        predictor = await Predictor.open(engine, replace(settings, mode="free"), recorder)
        codec = get_codec(predictor.settings.codec)
        if codec.name not in STEP_CODECS and not isinstance(codec, ChatTraceCodec):
            raise EngineError(
                f"the {codec.name} format has no steps to stop at; use cwm or chat-trace"
            )
        record = make_generation_record(predictor.settings)
        return StepwisePrediction(program, codec, await predictor.start_completion(program, record))

    @property
    def text(self) -> str:
        """What the model has written, and what was put in its place."""
        return self._completion.text

    async def advance(self) -> bool:
        """Ask the model for the next step; false if there is none.

        A row of some formats has no step of its own, or several: the model is asked until there
        is at least one more.
        """
        before = len(self.decoded.steps)
        while not self.is_finished and len(self.decoded.steps) == before:
            try:
                has_more = await self._generate()
            except MaxTokensReached:
                has_more = False
            self.decoded = self.codec.decode(self.text, self.program)
            self.is_finished = not has_more or self.decoded.stop != "truncated"
        return len(self.decoded.steps) > before

    async def _generate(self) -> bool:
        if isinstance(self.codec, ChatTraceCodec):
            return await self._completion.generate_until_text(("\n",))
        tokens = tuple(self.codec.special_tokens)
        stops = (FRAME,) if FRAME in tokens else tokens
        return await self._completion.generate_until(stops) is not None

    async def set_variable(self, step: int, name: str, value: str) -> None:
        """Change a variable in the state of a step; later steps are dropped.

        The model continues from the changed text.

        Raises:
            EngineError: the step has no state, or the format cannot be changed.
        """
        if not self.decoded.steps[step].has_locals:
            raise EngineError("a return or an exception has no variables that can be changed")
        written = self.decoded.step_texts[step]
        before, text = self.text[: written.start], self.text[written.start : written.end]
        event = self.decoded.steps[step].event
        if isinstance(self.codec, ChatTraceCodec) and self.codec.has_effects:
            changed = (
                _change_call(text, self.codec, self.program, name, value)
                if event == "call"
                else _change_effect(text, name, value)
            )
        elif self.codec.name == "cwm":
            changed = _change_locals(text, len(EVENT[event]), name, value)
        else:
            raise EngineError(
                f"a state in the {self.codec.name} format cannot be changed; use cwm or chat-trace"
            )
        self._completion.rewind(_START)
        await self._completion.force(split_at_special_tokens(before + changed, self.codec))
        self.decoded = self.codec.decode(self.text, self.program)
        self.is_finished = self.decoded.stop == "complete"
        while len(self.decoded.steps) <= step and await self.advance():
            # In a row, the effect of the line follows, which depends on the new value.
            pass


def _change_locals(text: str, start: int, name: str, value: str) -> str:
    """`{"x": "1"}<|action_sep|>…`, "x", "2" -> `{"x": "2"}<|action_sep|>…`"""
    shown, end = json.JSONDecoder().raw_decode(text, start)
    return text[:start] + safe_json({**shown, name: value}) + text[end:]


def _change_effect(text: str, name: str, value: str) -> str:
    """ " s = 0\\nL3: s += 1 =>", "s", "2" -> " s = 2\\nL3: s += 1 =>" """
    effect, newline, action = text.partition("\n")
    if not newline:
        raise EngineError("the state of the first row cannot be changed")
    return f" {_with_variable(effect, name, value)}{newline}{action}"


def _change_call(text: str, codec: ChatTraceCodec, program: Program, name: str, value: str) -> str:
    """ "L1: def f(n): => enter; n = 3\\n", "n", "4" -> "L1: def f(n): => enter; n = 4\\n" """
    row, newline, _ = text.partition("\n")
    parsed = codec.notation.parse(row, program.lines)
    if parsed is None or parsed.effect_start is None:
        raise EngineError("the row of this call has no state that can be changed")
    head, effect = row[: parsed.effect_start], row[parsed.effect_start :]
    return f"{head.rstrip()} {_with_variable(effect, name, value)}{newline}"


def _with_variable(effect: str, name: str, value: str) -> str:
    """ "s = 0; i = 1", "s", "2" -> "i = 1; s = 2" """
    items = [item for item in parse_items(effect) if (item.kind, item.name) != ("set", name)]
    return write_items(
        [*items, Item("set", name, value)], is_return=False, is_yield=False, quotes_all=False
    )
