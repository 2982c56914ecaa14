"""Prediction of one question at a time; infrastructure errors are returned, not raised."""

import asyncio
import time
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import replace

from worldline.core.errors import CodecError, EngineError, ProgramError, RecorderError
from worldline.core.language import Feature, missing_feature
from worldline.core.trace import Limits, Program, Trace
from worldline.languages.control_flow import CfgSimulator, build_cfg
from worldline.languages.python.expression_frames import without_expression_frames
from worldline.languages.python.recorder import Recorder
from worldline.models.codecs import (
    STEP_CODECS,
    ChatTraceCodec,
    Codec,
    RoleSegments,
    Segments,
    StepCodec,
    get_codec,
    split_at_special_tokens,
)
from worldline.models.engines import Capabilities, Engine, Message, Request
from worldline.models.prediction.codec_choice import AUTO_CODEC, CodecChoice, choose_codec
from worldline.models.prediction.codec_tokenizer import CodecTokenizer, Ids
from worldline.models.prediction.constrained_generation import (
    ConstrainedGeneration,
    MaxTokensReached,
    SamplingParams,
)
from worldline.models.prediction.forced_modes import (
    force_steps,
    generate_actions,
    generate_free,
    generate_states,
)
from worldline.models.prediction.guided_mode import generate_guided
from worldline.models.prediction.guided_rows import generate_guided_rows
from worldline.models.prediction.on_demand import (
    POLICIES_WITH_LOGPROBS,
    ExecutionLog,
    ExecutionRule,
    RowTrust,
    generate_rows_on_demand,
)
from worldline.models.prediction.prediction import (
    Finish,
    GenerationRecord,
    Prediction,
    make_prediction,
)
from worldline.models.prediction.prediction_settings import (
    MODES_WITH_ACTUAL_TRACE,
    PredictionSettings,
    check_settings,
    make_generation_record,
    uses_token_ids,
)
from worldline.models.prediction.question import Question, repeat_id
from worldline.models.prediction.row_modes import (
    force_rows,
    generate_row_actions,
    generate_row_states,
    split_into_steps,
)
from worldline.models.prediction.score_mode import StepScore, score_steps
from worldline.models.prediction.steps_on_demand import generate_steps_on_demand
from worldline.models.tokenizers import Tokenizer

# Upper bound on the tokens that a chat template adds to the messages.
_TEMPLATE_TOKENS = 64


class Predictor:
    """Predictor with one engine and one set of settings. Create it with `open`."""

    def __init__(
        self,
        engine: Engine,
        settings: PredictionSettings,
        recorder: Recorder,
        limits: Limits,
        capabilities: Capabilities,
        codec_tokenizer: CodecTokenizer | None,
        codec_choice: CodecChoice | None = None,
        row_trust: RowTrust | None = None,
    ) -> None:
        self.engine = engine
        self.settings = settings
        self.capabilities = capabilities
        # Set if the settings left the codec open.
        self.codec_choice = codec_choice
        self._codec: Codec = get_codec(settings.codec)
        self._recorder = recorder
        self._limits = limits
        self._recorder_lock = asyncio.Lock()
        self._codec_tokenizer = codec_tokenizer
        self._row_trust = row_trust

    @staticmethod
    async def open(
        engine: Engine,
        settings: PredictionSettings,
        recorder: Recorder,
        *,
        limits: Limits | None = None,
        tokenizer: Tokenizer | None = None,
        row_trust: RowTrust | None = None,
    ) -> "Predictor":
        """Create a predictor, after a check that the engine supports the settings.

        Args:
            engine: access to the model.
            settings: how the model is asked. With the codec `auto`, the best one is chosen.
            recorder: executes programs, for the modes that need the actual trace.
            limits: limits of these executions.
            tokenizer: the model's own tokenizer, which saves requests to the server.
            row_trust: the trust in a row by the policy of the settings, for the mode `on-demand`.

        Raises:
            EngineError: the engine does not support the settings.
        """
        if settings.mode == "on-demand" and row_trust is None:
            raise EngineError("the mode on-demand needs a `row_trust` that judges the rows")
        capabilities = await engine.capabilities()
        is_open = settings.codec == AUTO_CODEC
        choice = await choose_codec(engine, capabilities=capabilities) if is_open else None
        if choice is not None:
            settings = replace(settings, codec=choice.name)
        codec = get_codec(settings.codec)
        check_settings(settings, codec, capabilities)
        codec_tokenizer = (
            await CodecTokenizer.from_engine(engine, codec, tokenizer=tokenizer)
            if uses_token_ids(settings, codec, capabilities)
            else None
        )
        return Predictor(
            engine,
            settings,
            recorder,
            limits or Limits(),
            capabilities,
            codec_tokenizer,
            choice,
            row_trust,
        )

    async def predict(
        self,
        question: Question,
        *,
        repeat: int = 0,
        slot: AbstractAsyncContextManager[object] | None = None,
    ) -> Prediction:
        """Predict the execution of a question's program.

        Args:
            question: the question.
            repeat: number of the repeat.
            slot: entered while the model generates, but not while the prompt is prepared or the
                output decoded. Limits the number of concurrent requests.

        Returns:
            The prediction. If the engine or the recorder failed, or the program is not supported,
            its `finish` is "infra_error".
        """
        start = time.monotonic()
        record = make_generation_record(self.settings, repeat=repeat)
        error: str | None = None
        text: str = ""
        finish: Finish = "infra_error"
        try:
            text, finish, record = await self._generate(question, record, slot or nullcontext())
        except (EngineError, RecorderError, CodecError, ProgramError) as failure:
            error = str(failure)
        # Let the next request start before this output is decoded.
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
            generation=replace(record, seconds=time.monotonic() - start),
        )

    async def _generate(
        self,
        question: Question,
        record: GenerationRecord,
        slot: AbstractAsyncContextManager[object],
    ) -> tuple[str, Finish, GenerationRecord]:
        """Generate an output: its text, how it ended, and the completed record."""
        if not _is_encodable(question.program.text):
            raise ProgramError(
                "the program holds half of a surrogate pair (such as \\ud800), which is not a "
                "character; remove it"
            )
        needed: Feature = "cfg" if record.mode == "guided" else "operations"
        missing = missing_feature(question.program.language, needed)
        if missing and record.mode in ("guided", "on-demand"):
            raise ProgramError(f"{record.mode}: {missing}; use another mode")
        if question.completion_prefix and (self._codec_tokenizer is None or record.mode != "free"):
            raise EngineError(
                "to continue a given output (`completion_prefix`), use --mode free and an engine "
                "that accepts token ids"
            )
        is_plain = record.mode == "free" and not record.from_step and not question.completion_prefix
        if self._codec_tokenizer is None or (self._codec.is_chat and is_plain):
            async with slot:
                return await self._generate_from_text(question, record)
        completion = await self.start_completion(question.program, record)
        prompt = completion.prompt
        needs_actual = record.mode in MODES_WITH_ACTUAL_TRACE or record.from_step
        actual = await self._record_actual(question.program) if needs_actual else None
        if actual is not None and self._codec.is_chat:
            actual = without_expression_frames(actual)
        scores: tuple[StepScore, ...] = ()
        log = ExecutionLog()
        is_complete = True
        try:
            async with slot:
                await completion.force(
                    split_at_special_tokens(question.completion_prefix, self._codec)
                )
                if record.mode == "score" and actual is not None:
                    scores, is_complete = await score_steps(completion, self._steps_of(actual))
                elif record.mode == "on-demand" and actual is not None:
                    rule = self._execution_rule(record.repeat)
                    if isinstance(self._codec, ChatTraceCodec):
                        await generate_rows_on_demand(completion, self._codec, actual, rule, log)
                    else:
                        steps = STEP_CODECS[record.codec]
                        await generate_steps_on_demand(completion, steps, actual, rule, log)
                elif self._codec.is_chat:
                    await self._generate_rows(completion, question.program, actual)
                elif record.codec not in STEP_CODECS:
                    await generate_free(completion, self._codec)
                else:
                    codec = STEP_CODECS[record.codec]
                    await self._generate_steps(completion, codec, question.program, actual)
        except MaxTokensReached:
            is_complete = False
        record = replace(
            record,
            prompt_tokens=len(prompt),
            prompt_ids=prompt,
            completion_ids=tuple(completion.ids),
            forced_spans=tuple(completion.forced_spans),
            scores=scores,
            usage=completion.usage,
            logprobs=tuple(completion.logprobs),
            decisions=tuple(log.decisions),
            actual_rows=log.actual_rows,
        )
        return completion.text, "stop" if is_complete else "truncated", record

    async def start_completion(
        self, program: Program, record: GenerationRecord
    ) -> ConstrainedGeneration:
        """An empty completion of a program's prompt, to which tokens are added.

        Raises:
            EngineError: the engine does not accept token ids.
        """
        if self._codec_tokenizer is None:
            raise EngineError(
                f"{self.engine.name} cannot continue a text: it does not accept token ids; "
                "`worldline engines check` shows what it supports"
            )
        prompt = await self._prompt_ids(program, self._codec_tokenizer)
        return ConstrainedGeneration(
            self.engine,
            self._codec_tokenizer,
            prompt,
            max_tokens=min(record.max_tokens, self._room(len(prompt))),
            sampling=SamplingParams(record.temperature, record.seed),
            keeps_logprobs=self.settings.logprobs,
        )

    async def _prompt_ids(self, program: Program, codec_tokenizer: CodecTokenizer) -> Ids:
        """Token ids of the prompt; for a conversation, by the model's chat template."""
        segments = self._codec.prompt(program)
        if not self._codec.is_chat:
            return tuple(token for ids in await codec_tokenizer.encode(segments) for token in ids)
        prompt = await self.engine.render_chat(_as_conversation(segments))
        if isinstance(prompt, str):
            return await self.engine.tokenize(prompt, parse_special_tokens=True)
        return prompt

    def _steps_of(self, actual: Trace) -> Sequence[Sequence[RoleSegments]]:
        """The actual steps as the codec writes them."""
        if isinstance(self._codec, ChatTraceCodec):
            return split_into_steps(self._codec, actual)
        return list(STEP_CODECS[self.settings.codec].encode_steps(actual))

    def _execution_rule(self, repeat: int) -> ExecutionRule:
        """Which rows are executed in the mode `on-demand`."""
        settings = self.settings
        assert self._row_trust is not None
        needs_logprobs = settings.policy in POLICIES_WITH_LOGPROBS
        return ExecutionRule(
            self._row_trust, settings.threshold, needs_logprobs, settings.seed + repeat
        )

    async def _generate_rows(
        self, completion: ConstrainedGeneration, program: Program, actual: Trace | None
    ) -> None:
        """Generate rows of plain text in the mode of the settings."""
        codec, mode, from_step = self._codec, self.settings.mode, self.settings.from_step
        if not isinstance(codec, ChatTraceCodec):
            raise EngineError(f"the {codec.name} format cannot be continued row by row")
        if mode == "guided":
            simulator = CfgSimulator(
                build_cfg(program.text, language=program.language),
                program,
                omits_expression_frames=True,
            )
            await generate_guided_rows(completion, codec, program, simulator)
            return
        if actual is not None:
            await force_rows(completion, codec, actual, from_step)
        if mode == "force-actions" and actual is not None:
            await generate_row_states(completion, codec, actual, from_step=from_step)
        elif mode == "force-state" and actual is not None:
            await generate_row_actions(completion, codec, actual, from_step=from_step)
        else:
            await completion.generate_until_text(())

    async def _generate_steps(
        self,
        completion: ConstrainedGeneration,
        codec: StepCodec,
        program: Program,
        actual: Trace | None,
    ) -> None:
        """Generate a completion in the mode of the settings."""
        mode, from_step = self.settings.mode, self.settings.from_step
        if actual is not None:
            await force_steps(completion, codec, actual, from_step)
        if mode == "force-actions" and actual is not None:
            await generate_states(completion, codec, actual, from_step=from_step)
        elif mode == "force-state" and actual is not None:
            await generate_actions(completion, codec, actual, from_step=from_step)
        elif mode == "guided":
            has_grammar = "grammar" in self.capabilities.supported
            await generate_guided(
                completion,
                codec,
                program,
                actual.steps[:from_step] if actual is not None else (),
                max_value_chars=self.settings.max_value_chars if has_grammar else None,
            )
        else:
            await generate_free(completion, codec)

    async def _generate_from_text(
        self, question: Question, record: GenerationRecord
    ) -> tuple[str, Finish, GenerationRecord]:
        """Generate from messages, or from a prompt as text if the engine takes no token ids."""
        segments = self._codec.prompt(question.program)
        text = "".join(segments)
        prompt = _as_conversation(segments) if self._codec.is_chat else text
        max_tokens = min(record.max_tokens, await self._text_room(text))
        if max_tokens <= 0:
            return "", "truncated", record
        reply = await self.engine.generate(
            Request(
                prompt,
                max_tokens,
                temperature=record.temperature,
                seed=record.seed,
                logprobs=self.settings.logprobs,
            )
        )
        record = replace(
            record,
            prompt_tokens=reply.usage.prompt or None,
            prompt_ids=reply.prompt_ids,
            completion_ids=reply.ids,
            usage=reply.usage,
            reasoning=reply.reasoning,
            logprobs=reply.logprobs,
        )
        return reply.text, reply.finish, record

    def _room(self, prompt_tokens: int) -> int:
        """Number of tokens that fit into the context after a prompt."""
        length = self.capabilities.context_length
        return self.settings.max_tokens if length is None else max(0, length - prompt_tokens)

    async def _text_room(self, text: str) -> int:
        """Number of tokens that fit into the context after a prompt sent as text or messages."""
        if (
            self.capabilities.context_length is None
            or "tokenize" not in self.capabilities.supported
        ):
            return self.settings.max_tokens
        tokens = await self.engine.tokenize(text, parse_special_tokens=not self._codec.is_chat)
        return self._room(len(tokens) + _TEMPLATE_TOKENS)

    async def _record_actual(self, program: Program) -> Trace:
        """Execute a program, in a thread, so that other predictions continue meanwhile."""
        async with self._recorder_lock:
            actual = await asyncio.to_thread(self._recorder.record, program, limits=self._limits)
        if not actual.steps:
            reason = f"{actual.ending.reason}, {actual.ending.detail}"
            if actual.ending.reason == "time_limit":
                reason += "; a busy machine may need more: give --seconds"
            raise RecorderError(f"the program could not be executed: {reason}")
        if self.settings.from_step > len(actual.steps):
            raise ProgramError(
                f"the actual trace has only {len(actual.steps)} steps, so nothing is left to "
                f"predict from step {self.settings.from_step} on; give a smaller --from-step"
            )
        return actual


def _as_conversation(segments: Segments) -> tuple[Message, ...]:
    """Messages of a chat prompt; the user's are the first and the last."""
    return tuple(
        Message("assistant" if index % 2 else "user", segment)
        for index, segment in enumerate(segments)
    )


def _is_encodable(text: str) -> bool:
    """Whether a text can be encoded as UTF-8; JSON may contain half a surrogate pair: "\\ud800"."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
