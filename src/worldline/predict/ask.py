"""One question goes to a model in the way that was chosen; a prediction comes back, always."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace

from worldline.codecs import (
    STEP_CODECS,
    Codec,
    Course,
    Pieces,
    StepCodec,
    codec_named,
    pieces_of,
)
from worldline.engines import Abilities, Ability, Engine, Message, Request
from worldline.errors import CodecError, EngineError, ProgramError, RecorderError
from worldline.flow import Option, Walk, flow_graph
from worldline.predict.draft import BudgetSpent, Draft, Sampling
from worldline.predict.guided import write_guided
from worldline.predict.modes import give_steps, write_actions, write_free, write_states
from worldline.predict.prediction import (
    Asked,
    Finish,
    Mode,
    Prediction,
    make_prediction,
)
from worldline.predict.score import StepScore, score_steps
from worldline.predict.vocabulary import Vocabulary, vocabulary_of
from worldline.recorders import Recorder
from worldline.tokens import Tokenizer
from worldline.trace import Limits, Program, Trace

# Text in and text out is enough for `free`; where ids can be had, they are used.
IDS: tuple[Ability, ...] = ("tokenize", "ids_in", "ids_out", "stop_ids")
NEEDS: Mapping[Mode, tuple[Ability, ...]] = {
    "free": (),
    "force-actions": IDS,
    "force-state": IDS,
    "guided": (*IDS, "allowed_ids"),
    "score": ("tokenize", "ids_in", "prompt_scores"),
}
# More than chat templates put around a message.
_TEMPLATE_TOKENS = 64
# What these are compared with has to be executed first.
NEEDS_TRUTH: frozenset[Mode] = frozenset({"force-actions", "force-state", "score"})


@dataclass(frozen=True, slots=True)
class Question:
    """A program to be predicted, and what a benchmark says it returns. `facets` are what the
    benchmark knows of it beside, as in {"depth": 3}. `beginning` is a text in the format that the
    model is given, and goes on from."""

    id: str
    program: Program
    expected: str | None = None
    facets: Mapping[str, str | int] = field(default_factory=dict)
    beginning: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """How to ask. `budget`: tokens behind the prompt, given or written. `from_step`: begin behind
    so many steps of the true trace. `longest_value`: the longest value in a guided state."""

    mode: Mode = "free"
    codec: str = "cwm"
    budget: int = 4096
    temperature: float = 0.0
    seed: int = 0
    from_step: int = 0
    longest_value: int = 2000


def repeat_id(id: str, repeat: int) -> str:
    """The name of a question's repeat: "sample_0", 0 -> "sample_0"; 2 -> "sample_0#2"."""
    return f"{id}#{repeat}" if repeat else id


def asked_as(settings: Settings, *, repeat: int = 0) -> Asked:
    """How a prediction says that it was asked for; what it took is put in later."""
    return Asked(
        mode=settings.mode,
        codec=settings.codec,
        budget=settings.budget,
        temperature=settings.temperature,
        seed=settings.seed + repeat if settings.temperature > 0 else None,
        repeat=repeat,
        from_step=settings.from_step,
        longest_value=settings.longest_value if settings.mode == "guided" else None,
    )


class Asker:
    """Asks one model in one way. `open` finds out first whether that can be done."""

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        recorder: Recorder,
        limits: Limits,
        abilities: Abilities,
        vocabulary: Vocabulary | None,
    ) -> None:
        self.engine = engine
        self.settings = settings
        self.abilities = abilities
        self._codec: Codec = codec_named(settings.codec)
        self._recorder = recorder
        self._limits = limits
        self._recording = asyncio.Lock()
        self._vocabulary = vocabulary

    @staticmethod
    async def open(
        engine: Engine,
        settings: Settings,
        recorder: Recorder,
        *,
        limits: Limits | None = None,
        tokenizer: Tokenizer | None = None,
    ) -> "Asker":
        """Get ready to ask; what the engine cannot do is refused here, in a sentence.

        With the model's own tokenizer, text is split here instead of by the server.
        """
        abilities = await engine.abilities()
        codec = codec_named(settings.codec)
        mode = settings.mode
        if codec.is_chat:
            if mode != "free" or settings.from_step:
                raise EngineError(
                    f"the {codec.name} format asks for the result alone: it can only be asked "
                    "with --mode free, from the beginning"
                )
            abilities.require(["chat"], what=f"the {codec.name} format")
            vocabulary = None
        else:
            if codec.name not in STEP_CODECS and (mode != "free" or settings.from_step):
                raise EngineError(
                    f"the {codec.name} format does not go step by step: it can only be asked with "
                    "--mode free, from the beginning"
                )
            if mode == "score" and settings.from_step:
                raise EngineError("the mode score is about every step: leave --from-step out")
            needed = IDS if settings.from_step else ()
            abilities.require([*NEEDS[mode], *needed], what=f"the mode {mode}")
            has_ids = abilities.found.issuperset(IDS) or mode == "score"
            vocabulary = (
                await vocabulary_of(engine, codec, tokenizer=tokenizer) if has_ids else None
            )
        return Asker(engine, settings, recorder, limits or Limits(), abilities, vocabulary)

    async def ask(
        self,
        question: Question,
        *,
        repeat: int = 0,
        slot: AbstractAsyncContextManager[object] | None = None,
    ) -> Prediction:
        """A prediction; where the engine or the recorder failed, or the program cannot be asked
        about in this way, one that says so.

        `slot` is held while the model is asked, and not while its prompt is made ready or its
        answer read.
        """
        began = time.monotonic()
        asked = asked_as(self.settings, repeat=repeat)
        error: str | None = None
        text: str = ""
        finish: Finish = "error"
        try:
            text, finish, asked = await self._answer(question, asked, slot or nullcontext())
        except (EngineError, RecorderError, CodecError, ProgramError) as failure:
            error = str(failure)
        # Whoever waits for the place that is free now goes first: the model should not wait.
        await asyncio.sleep(0)
        return make_prediction(
            repeat_id(question.id, repeat),
            question.program,
            text,
            self._codec,
            finish=finish,
            model=self.engine.name,
            expected=question.expected,
            error=error,
            asked=replace(asked, seconds=time.monotonic() - began),
        )

    async def _answer(
        self, question: Question, asked: Asked, slot: AbstractAsyncContextManager[object]
    ) -> tuple[str, Finish, Asked]:
        if not _is_text(question.program.text):
            raise ProgramError("the program holds half of a surrogate pair, which is no character")
        if question.beginning and (self._vocabulary is None or asked.mode != "free"):
            raise EngineError(
                "only in the mode free, and by an engine that takes token ids, can a text be gone "
                "on with"
            )
        if self._vocabulary is None:
            async with slot:
                return await self._answer_in_text(question, asked)
        pieces = await self._vocabulary.encode(self._codec.prompt(question.program))
        prompt = tuple(token for piece in pieces for token in piece)
        draft = Draft(
            self.engine,
            self._vocabulary,
            prompt,
            budget=min(asked.budget, self._room(len(prompt))),
            sampling=Sampling(asked.temperature, asked.seed),
        )
        needs_truth = asked.mode in NEEDS_TRUTH or asked.from_step
        truth = await self._truth(question.program) if needs_truth else None
        scores: tuple[StepScore, ...] = ()
        is_whole = True
        try:
            async with slot:
                await draft.give(pieces_of(question.beginning, self._codec))
                if asked.codec not in STEP_CODECS:
                    await write_free(draft, self._codec)
                elif asked.mode == "score" and truth is not None:
                    codec = STEP_CODECS[asked.codec]
                    scores, is_whole = await score_steps(draft, codec, truth)
                else:
                    await self._write(draft, STEP_CODECS[asked.codec], question.program, truth)
        except BudgetSpent:
            is_whole = False
        told = replace(
            asked,
            prompt_tokens=len(prompt),
            prompt_ids=prompt,
            ids=tuple(draft.ids),
            given=tuple(draft.given),
            scores=scores,
            usage=draft.usage,
        )
        return draft.text, "stop" if is_whole else "length", told

    async def _write(
        self, draft: Draft, codec: StepCodec, program: Program, truth: Trace | None
    ) -> None:
        """Fill a draft in the chosen mode."""
        mode, steps = self.settings.mode, self.settings.from_step
        if truth is not None:
            await give_steps(draft, codec, truth, steps)
        if mode == "force-actions" and truth is not None:
            await write_states(draft, codec, truth, from_step=steps)
        elif mode == "force-state" and truth is not None:
            await write_actions(draft, codec, truth, from_step=steps)
        elif mode == "guided":
            walk = Walk(flow_graph(program.text), program)
            course = Course(program)
            for step in truth.steps[:steps] if truth is not None else ():
                _follow(walk, Option(step.event, step.line))
                course.take(step.event, step.line, scope=step.scope)
            has_grammar = "grammar" in self.abilities.found
            longest = self.settings.longest_value if has_grammar else None
            await write_guided(draft, codec, course, walk, longest_value=longest)
        else:
            await write_free(draft, codec)

    async def _answer_in_text(self, question: Question, asked: Asked) -> tuple[str, Finish, Asked]:
        """Ask by a message, or give the prompt as text to an engine that takes no ids."""
        pieces = self._codec.prompt(question.program)
        text = "".join(pieces)
        prompt = _messages(pieces) if self._codec.is_chat else text
        budget = min(asked.budget, await self._text_room(text))
        if budget <= 0:
            return "", "length", asked
        reply = await self.engine.generate(
            Request(prompt, budget, temperature=asked.temperature, seed=asked.seed)
        )
        tokens = reply.usage.prompt or None
        told = replace(
            asked,
            prompt_tokens=tokens,
            prompt_ids=reply.prompt_ids,
            ids=reply.ids,
            usage=reply.usage,
        )
        return reply.text, reply.finish, told

    def _room(self, prompt_tokens: int) -> int:
        """How many tokens fit behind a prompt."""
        length = self.abilities.context_length
        return self.settings.budget if length is None else max(0, length - prompt_tokens)

    async def _text_room(self, text: str) -> int:
        """How many tokens fit behind a prompt that is sent as text, and what is put around it."""
        if self.abilities.context_length is None or "tokenize" not in self.abilities.found:
            return self.settings.budget
        tokens = await self.engine.tokenize(text, has_specials=not self._codec.is_chat)
        return self._room(len(tokens) + _TEMPLATE_TOKENS)

    async def _truth(self, program: Program) -> Trace:
        """The real execution, recorded beside what else is going on."""
        async with self._recording:
            truth = await asyncio.to_thread(self._recorder.record, program, limits=self._limits)
        if not truth.steps:
            how = f"{truth.ending.reason}, {truth.ending.detail}"
            if truth.ending.reason == "time_limit":
                how += "; a busy machine may need more: give --seconds"
            raise RecorderError(f"the program could not be executed: {how}")
        if self.settings.from_step > len(truth.steps):
            raise ProgramError(
                f"the true trace has only {len(truth.steps)} steps, so nothing is left to predict "
                f"from step {self.settings.from_step} on; give a smaller --from-step"
            )
        return truth


def _messages(pieces: Pieces) -> tuple[Message, ...]:
    """A conversation, in which the user speaks first and last."""
    return tuple(
        Message("assistant" if place % 2 else "user", piece) for place, piece in enumerate(pieces)
    )


def _follow(walk: Walk, option: Option) -> None:
    """Go along with a step that was really taken."""
    if option not in walk.options:
        raise ProgramError(
            f"the program really took a step ({option.event}, line {option.line}) that its "
            "control-flow graph lacks; record it with the Python that worldline runs on"
        )
    walk.take(option)


def _is_text(text: str) -> bool:
    """Whether a text can be sent: JSON may hold what has no bytes, as in "\\ud800"."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
