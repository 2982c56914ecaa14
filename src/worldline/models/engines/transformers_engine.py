"""Engine that runs a model in this process, with torch and transformers."""

import asyncio
import inspect
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from worldline.core.errors import EngineError
from worldline.core.util.optional_imports import optional_import
from worldline.models.engines.batched_generation import Generation, generate_batch
from worldline.models.engines.engine import (
    CAPABILITIES,
    Capabilities,
    Capability,
    Message,
    Prompt,
    Reply,
    Request,
    Scores,
    TokenScore,
    Usage,
    as_messages,
)
from worldline.models.engines.stop_strings import cut_after_stop
from worldline.models.engines.transformers_loading import has_recurrent_layers, load_model

Result = TypeVar("Result")

# Tokens per forward pass. Their logits take 130 MB with a vocabulary of 128,000.
_CHUNK_TOKENS = 256
# Requests that are generated together.
_MAX_BATCH = 64


@dataclass(frozen=True, slots=True)
class _Job:
    """A request for a completion that waits for the model."""

    request: Request
    reply: "Future[Reply]" = field(default_factory=Future)
    is_abandoned: threading.Event = field(default_factory=threading.Event)


class TransformersEngine:
    """Model from a folder or the Hugging Face hub.

    Requests that arrive together are generated in one batch. The cache of a single request is
    reused for the next one, as far as the prompts are equal. The cache of a model with recurrent
    layers is reused only if the next prompt continues all of its tokens.

    Args:
        folder_or_name: folder of the model, or its name on the hub.
        device: "cpu", "cuda", …; "auto" takes the best available one.
        dtype: "bfloat16", …; None takes that of the weights.
    """

    def __init__(
        self, folder_or_name: str, *, device: str | None = "auto", dtype: str | None = None
    ) -> None:
        self.name = folder_or_name
        self._model = _LocalModel(folder_or_name, device, dtype)
        self._capabilities = self._model.capabilities()
        self._is_closed = False
        self._waiting: deque[_Job] = deque()
        # One thread, because the cache and the tokenizer's settings belong to one request.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="worldline-transformers")

    async def capabilities(self) -> Capabilities:
        """All but a grammar and a schema; conversations only if there is a chat template."""
        return self._capabilities

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        """Token ids of a text, without a token for its beginning."""
        return await self._run(
            lambda model: model.tokenize(text, parse_special_tokens=parse_special_tokens)
        )

    async def detokenize(self, ids: Sequence[int]) -> str:
        """Text of token ids, special tokens included."""
        return await self._run(lambda model: model.detokenize(ids))

    async def generate(self, request: Request) -> Reply:
        """Generate a completion of a prompt or a conversation."""
        if self._is_closed:
            raise EngineError(f"{self.name} was closed; create a new engine")
        job = _Job(request)
        self._waiting.append(job)
        self._worker.submit(self._generate_waiting, self._model)
        try:
            return await asyncio.wrap_future(job.reply)
        except RuntimeError as error:
            raise EngineError(f"{self.name}: {error}; a shorter prompt may work") from error
        finally:
            job.is_abandoned.set()

    def _generate_waiting(self, model: "_LocalModel") -> None:
        """Generate the completions of all requests that wait, as one batch."""
        count = min(len(self._waiting), _MAX_BATCH)
        jobs = [self._waiting.popleft() for _ in range(count)]
        jobs = [job for job in jobs if job.reply.set_running_or_notify_cancel()]
        ready = [job for job in jobs if _is_ready(model, job)]
        try:
            with model.torch.inference_mode():
                if len(ready) == 1:
                    model.is_abandoned = ready[0].is_abandoned
                    ready[0].reply.set_result(model.generate(ready[0].request))
                else:
                    model.generate_batch(ready)
        # Each request of the batch that has no reply yet gets the error.
        except Exception as error:  # noqa: BLE001  # passed on
            for job in ready:
                if not job.reply.done():
                    job.reply.set_exception(error)

    async def score(self, ids: Sequence[int]) -> Scores:
        """Score each token after the first, in one forward pass."""
        return await self._run(lambda model: model.score(tuple(ids)))

    async def render_chat(
        self, messages: Sequence[Message], *, prefill: str = ""
    ) -> tuple[int, ...]:
        """Token ids of messages, up to where the answer begins."""
        return await self._run(
            lambda model: (
                *model.render_chat(messages),
                *model.tokenize(prefill, parse_special_tokens=False),
            )
        )

    async def close(self) -> None:
        """Release the model's memory. The engine cannot be used afterwards."""
        if not self._is_closed:
            self._is_closed = True
            self._worker.shutdown(wait=False)
            del self._model

    async def _run(self, work: "Callable[[_LocalModel], Result]") -> Result:
        if self._is_closed:
            raise EngineError(f"{self.name} was closed; create a new engine")
        model, is_abandoned = self._model, threading.Event()

        def run_alone() -> Result:
            model.is_abandoned = is_abandoned
            with model.torch.inference_mode():
                return work(model)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, run_alone)
        # Usually out of memory; not every device has a narrower exception for it.
        except RuntimeError as error:
            raise EngineError(f"{self.name}: {error}; a shorter prompt may work") from error
        finally:
            # A thread cannot be stopped; it checks this event before each forward pass.
            is_abandoned.set()


def _is_ready(model: "_LocalModel", job: _Job) -> bool:
    """Check a request, and fail it alone, without the other requests of the batch."""
    try:
        model.check_request(job.request)
    except EngineError as error:
        job.reply.set_exception(error)
        return False
    return True


class _LocalModel:
    """Model, tokenizer and key-value cache, used by one thread at a time."""

    def __init__(self, name: str, device: str | None, dtype: str | None) -> None:
        purpose = "a model in this process needs torch and transformers"
        with optional_import(purpose, extra="transformers", error=EngineError):
            import torch
            import transformers
        self._name, self.torch = name, torch
        self._net, self._tokenizer = load_model(name, device, dtype)
        self._is_recurrent = has_recurrent_layers(self._net)
        # Without the model's config: a cache for sliding windows drops the tokens outside the
        # window and cannot be cropped. The attention mask applies the window all the same. The
        # cache of recurrent layers needs the config, and is never cropped.
        config = self._net.config if self._is_recurrent else None
        self._new_cache: Callable[[], Any] = lambda: transformers.DynamicCache(config=config)
        self._context_length: int | None = getattr(
            self._net.config.get_text_config(), "max_position_embeddings", None
        )
        self.is_abandoned = threading.Event()
        ends = self._net.generation_config.eos_token_id
        ends = self._tokenizer.eos_token_id if ends is None else ends
        self._ends = frozenset([ends] if isinstance(ends, int) else ends or ())
        self._vocabulary_size = int(self._net.get_input_embeddings().num_embeddings)
        # Most models can skip the logits of all tokens but the last.
        can_skip = "logits_to_keep" in inspect.signature(self._net.forward).parameters
        self._last_only = {"logits_to_keep": 1} if can_skip else {}
        self._cached_ids: list[int] = []
        self._reset_cache()

    def capabilities(self) -> Capabilities:
        missing: dict[Capability, str] = {
            "grammar": "only servers support grammars",
            "json_schema": "only servers support JSON schemas",
        }
        if not self._tokenizer.chat_template:
            reason = "its tokenizer has no chat template"
            missing |= {"chat": reason, "chat_template": reason}
        return Capabilities(frozenset(CAPABILITIES) - missing.keys(), missing, self._context_length)

    def tokenize(self, text: str, *, parse_special_tokens: bool) -> tuple[int, ...]:
        # Half a surrogate pair has no bytes of its own.
        clean = text.encode("utf-8", "replace").decode()
        options = {"add_special_tokens": False, "split_special_tokens": not parse_special_tokens}
        return tuple(self._tokenizer.encode(clean, **options, verbose=False))

    def detokenize(self, ids: Sequence[int]) -> str:
        self._check(ids)
        options = {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
        return str(self._tokenizer.decode(list(ids), **options))

    def check_request(self, request: Request) -> tuple[int, ...]:
        """Token ids of the prompt of a request that can be answered."""
        if request.grammar is not None or request.json_schema is not None:
            raise EngineError(f"{self._name} in this process supports no grammar; use a server")
        prompt = self._prompt_ids(request.prompt)
        if not prompt:
            raise EngineError("the prompt is empty; give at least the begin-of-text token")
        self._check(request.allowed_ids)
        self._check(prompt, completion_tokens=request.max_tokens)
        return prompt

    def generate_batch(self, jobs: Sequence[_Job]) -> None:
        """Generate the completions of several requests together, without a cached prefix.

        Each reply is given as soon as its completion is finished.
        """
        self._reset_cache()
        generations = [self._generation(job) for job in jobs]
        generate_batch(self.torch, self._net, self._new_cache(), generations, **self._last_only)

    def _generation(self, job: _Job) -> Generation:
        ends = self._ends.union(job.request.stop_ids)
        stop = job.request.stop

        def is_finished(ids: Sequence[int]) -> bool:
            return ids[-1] in ends or self._stopped_text(ids, stop) is not None

        return Generation(
            self.check_request(job.request),
            job.request.max_tokens,
            self._chooser(job.request),
            is_finished,
            job.is_abandoned.is_set,
            lambda done: job.reply.set_result(self._batch_reply(job.request, done)),
        )

    def _batch_reply(self, request: Request, done: Generation) -> Reply:
        stopped = self._stopped_text(done.ids, request.stop)
        return Reply(
            text=self.detokenize(done.ids) if stopped is None else stopped,
            finish="stop" if done.has_ended else "truncated",
            ids=tuple(done.ids),
            logprobs=tuple(done.logprobs) if request.logprobs else (),
            usage=Usage(prompt=len(done.prompt), completion=len(done.ids), requests=1),
        )

    def generate(self, request: Request) -> Reply:
        prompt = self.check_request(request)
        choose = self._chooser(request)
        ends = self._ends.union(request.stop_ids)
        cached = self._rewind(prompt)
        new_ids = prompt[cached:]
        ids: list[int] = []
        logprobs: list[float] = []
        stopped: str | None = None
        while len(ids) < request.max_tokens and not (ids and ids[-1] in ends):
            for logits in self._feed(new_ids, **self._last_only):
                last = logits[-1]
            ids.append(choose(last))
            logprobs.append(float(last[ids[-1]] - last.logsumexp(-1)))
            new_ids = (ids[-1],)
            stopped = self._stopped_text(ids, request.stop)
            if stopped is not None:
                break
        has_ended = stopped is not None or (ids and ids[-1] in ends)
        return Reply(
            text=self.detokenize(ids) if stopped is None else stopped,
            finish="stop" if has_ended else "truncated",
            ids=tuple(ids),
            logprobs=tuple(logprobs) if request.logprobs else (),
            usage=Usage(prompt=len(prompt), cached=cached, completion=len(ids), requests=1),
        )

    def score(self, ids: tuple[int, ...]) -> Scores:
        self._check(ids, completion_tokens=0)
        # The cache has no logits, so all tokens are computed again.
        self._reset_cache()
        scores: list[TokenScore] = []
        for logits in self._feed(ids[:-1]):
            start = len(scores) + 1
            tokens = self._tensor(ids[start : start + len(logits)])
            token_logits = logits.gather(-1, tokens.unsqueeze(-1))
            logprobs = (token_logits.squeeze(-1) - logits.logsumexp(-1)).tolist()
            ranks = (1 + (logits > token_logits).sum(-1)).tolist()
            likeliest = logits.argmax(-1).tolist()
            scores += [
                TokenScore(*values) for values in zip(logprobs, ranks, likeliest, strict=True)
            ]
        return Scores(tuple(scores), Usage(prompt=len(ids), requests=1))

    def _stopped_text(self, ids: Sequence[int], stops: Sequence[str]) -> str | None:
        """The text up to a stop string, if one is complete."""
        # A stop string that is complete now ends in the last tokens.
        tail = ids[-max(map(len, stops), default=0) - 4 :]
        if not stops or cut_after_stop(self.detokenize(tail), stops) is None:
            return None
        return cut_after_stop(self.detokenize(ids), stops)

    def _prompt_ids(self, prompt: Prompt) -> tuple[int, ...]:
        if isinstance(prompt, str):
            return self.tokenize(prompt, parse_special_tokens=True)
        messages = as_messages(prompt)
        if messages:
            return self.render_chat(messages)
        return tuple(part for part in prompt if isinstance(part, int))

    def render_chat(self, messages: Sequence[Message]) -> tuple[int, ...]:
        if not self._tokenizer.chat_template:
            raise EngineError(f"{self._name} has no chat template; give the prompt as text")
        conversation = [{"role": message.role, "content": message.content} for message in messages]
        try:
            options = {"add_generation_prompt": True, "tokenize": True, "return_dict": False}
            ids = self._tokenizer.apply_chat_template(conversation, **options)
        # A chat template is a program, which may raise any exception.
        except Exception as error:
            raise EngineError(f"the chat template of {self._name} failed: {error}") from error
        return tuple(ids)

    def _chooser(self, request: Request) -> Callable[[Any], int]:
        """Function from logits to a token id that the request allows."""
        allowed = sorted(set(request.allowed_ids))
        # Sampling on the CPU, so that a seed gives the same result on every device.
        generator = self.torch.Generator()
        generator.seed() if request.seed is None else generator.manual_seed(request.seed)

        def choose(logits: Any) -> int:
            candidates = logits[self._tensor(allowed)] if allowed else logits
            index = candidates.argmax()
            if request.temperature > 0:
                # The largest logit is 0, so that dividing by a tiny temperature does not overflow.
                scaled = (candidates - candidates[index]).cpu() / request.temperature
                index = self.torch.multinomial(scaled.softmax(-1), 1, generator=generator)
            return allowed[int(index)] if allowed else int(index)

        return choose

    def _feed(self, ids: Sequence[int], **options: int) -> Iterator[Any]:
        """Run the model over more tokens; yield the logits after each of them, in chunks."""
        for start in range(0, len(ids), _CHUNK_TOKENS):
            if self.is_abandoned.is_set():
                raise CancelledError
            chunk = ids[start : start + _CHUNK_TOKENS]
            cached_ids, self._cached_ids = self._cached_ids, []
            batch = self._tensor(chunk).unsqueeze(0)
            output = self._net(batch, past_key_values=self._cache, use_cache=True, **options)
            # Set after the pass: one that fails halfway leaves an unusable cache.
            self._cached_ids = [*cached_ids, *chunk]
            yield output.logits[0].float()

    def _rewind(self, prompt: Sequence[int]) -> int:
        """Crop the cache to the common prefix with a prompt, and return its length.

        cached (1, 2, 3, 4), prompt (1, 2, 5) -> 2; the last token is always computed, for its
        logits
        """
        pairs = zip(self._cached_ids, prompt[:-1], strict=False)
        kept = next((n for n, (old, new) in enumerate(pairs) if old != new), None)
        kept = min(len(self._cached_ids), len(prompt) - 1) if kept is None else kept
        if kept < len(self._cached_ids) and self._is_recurrent:
            kept = 0
        if kept == 0:
            self._reset_cache()
        elif kept < len(self._cached_ids):
            self._cache.crop(kept - len(self._cached_ids))
            del self._cached_ids[kept:]
        return kept

    def _reset_cache(self) -> None:
        self._cache = self._new_cache()
        self._cached_ids = []

    def _tensor(self, ids: Sequence[int]) -> Any:
        return self.torch.tensor(ids, dtype=self.torch.long, device=self._net.device)

    def _check(self, ids: Sequence[int], *, completion_tokens: int | None = None) -> None:
        """Check that ids are in the vocabulary and, with a completion, fit into the context."""
        unknown = next((n for n in ids if not 0 <= n < self._vocabulary_size), None)
        if unknown is not None:
            raise EngineError(
                f"{unknown} is not a token id of {self._name}, whose vocabulary has "
                f"{self._vocabulary_size} tokens; "
                "do the ids come from another model's tokenizer?"
            )
        limit = self._context_length
        if completion_tokens is None or limit is None:
            return
        if len(ids) + completion_tokens > limit:
            raise EngineError(
                f"a prompt of {len(ids)} tokens and a completion of {completion_tokens} exceed the "
                f"context of {self._name} ({limit} tokens); use a smaller --max-tokens"
            )
