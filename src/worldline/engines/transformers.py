"""A model in this process as an engine, on torch and transformers; for want of a server."""

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from worldline.engines.engine import (
    ABILITIES,
    Abilities,
    Ability,
    Prompt,
    Reply,
    Request,
    Scores,
    TokenScore,
    Usage,
    messages_of,
)
from worldline.errors import EngineError

Result = TypeVar("Result")

# Tokens computed at once: their logits take 130 MB on a vocabulary of 128,000.
_CHUNK = 256
# Kinds of layers whose cache is keys and values, one of each a token.
_REWINDABLE = {"full_attention", "sliding_attention", "chunked_attention"}


class TransformersEngine:
    """A model from a folder, or by its name on the Hugging Face hub; one request at a time.

    `device` is such as "cpu" or "cuda"; "auto" takes the best there is. `dtype` is such as
    "bfloat16"; without one it is that of the weights. What was computed for one request is kept
    for the next, as far as both begin alike.
    """

    def __init__(
        self, folder_or_name: str, *, device: str | None = "auto", dtype: str | None = None
    ) -> None:
        self.name = folder_or_name
        self._model = _Model(folder_or_name, device, dtype)
        self._abilities = self._model.abilities()
        self._is_closed = False
        # One thread: the cache and the tokenizer's settings are one request's at a time.
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="worldline-transformers")

    async def abilities(self) -> Abilities:
        """All but a grammar; a conversation where the tokenizer has a template for one."""
        return self._abilities

    async def tokenize(self, text: str, *, has_specials: bool = False) -> tuple[int, ...]:
        """The token ids of a text; none is put before it."""
        return await self._run(lambda model: model.tokenize(text, has_specials=has_specials))

    async def spell(self, ids: Sequence[int]) -> str:
        """The text of token ids, special ones included."""
        return await self._run(lambda model: model.spell(ids))

    async def generate(self, request: Request) -> Reply:
        """Ask the model to go on, or to answer a conversation."""
        return await self._run(lambda model: model.generate(request))

    async def score(self, ids: Sequence[int]) -> Scores:
        """How likely each token after the first was, from one pass over all of them."""
        return await self._run(lambda model: model.score(tuple(ids)))

    async def close(self) -> None:
        """Let go of the model's memory; nothing can be asked afterwards."""
        if not self._is_closed:
            self._is_closed = True
            self._worker.shutdown(wait=False)
            del self._model

    async def _run(self, work: "Callable[[_Model], Result]") -> Result:
        if self._is_closed:
            raise EngineError(f"{self.name} was closed; make the engine anew")
        model, is_abandoned = self._model, threading.Event()

        def alone() -> Result:
            model.is_abandoned = is_abandoned
            with model.torch.inference_mode():
                return work(model)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._worker, alone)
        # Out of memory, mostly; torch has no narrower kind for it on every device.
        except RuntimeError as error:
            raise EngineError(f"{self.name}: {error}; a shorter prompt may work") from error
        finally:
            # A thread cannot be stopped: it looks, before each pass, whether someone still waits.
            is_abandoned.set()


class _Model:
    """The model and what it computed last; used by one thread at a time."""

    def __init__(self, name: str, device: str | None, dtype: str | None) -> None:
        try:
            import torch
            import transformers
        except ImportError:
            need = "a model in this process needs torch and transformers"
            raise EngineError(f"{need}: pip install 'worldline[transformers]'") from None
        self._name, self.torch, self._new_cache = name, torch, transformers.DynamicCache
        self._net, self._tokenizer = _load(name, device, dtype)
        config = self._net.config.get_text_config()
        self._context_length: int | None = getattr(config, "max_position_embeddings", None)
        self.is_abandoned = threading.Event()
        ends = self._net.generation_config.eos_token_id
        ends = self._tokenizer.eos_token_id if ends is None else ends
        self._ends = frozenset([ends] if isinstance(ends, int) else ends or ())
        self._vocabulary = int(self._net.get_input_embeddings().num_embeddings)
        # Most models can leave out the logits that nobody reads.
        can_skip = "logits_to_keep" in inspect.signature(self._net.forward).parameters
        self._last_only = {"logits_to_keep": 1} if can_skip else {}
        self._seen: list[int] = []
        self._forget()

    def abilities(self) -> Abilities:
        missing: dict[Ability, str] = {"grammar": "only a server writes by a grammar"}
        if not self._tokenizer.chat_template:
            missing["chat"] = "its tokenizer has no chat template"
        return Abilities(frozenset(ABILITIES) - missing.keys(), missing, self._context_length)

    def tokenize(self, text: str, *, has_specials: bool) -> tuple[int, ...]:
        # Half a surrogate pair has no bytes of its own.
        clean = text.encode("utf-8", "replace").decode()
        options = {"add_special_tokens": False, "split_special_tokens": not has_specials}
        return tuple(self._tokenizer.encode(clean, **options, verbose=False))

    def spell(self, ids: Sequence[int]) -> str:
        self._check(ids)
        options = {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
        return str(self._tokenizer.decode(list(ids), **options))

    def generate(self, request: Request) -> Reply:
        if request.grammar is not None:
            raise EngineError(f"{self._name} in this process knows no grammar; ask a server")
        prompt = self._prompt_ids(request.prompt)
        if not prompt:
            raise EngineError("the prompt is empty; give at least the token that begins a text")
        self._check(request.allowed_ids)
        self._check(prompt, to_write=request.max_tokens)
        choose = self._chooser(request)
        ends = self._ends.union(request.stop_ids)
        cached = self._rewind(prompt)
        fed = prompt[cached:]
        ids: list[int] = []
        logprobs: list[float] = []
        while len(ids) < request.max_tokens and not (ids and ids[-1] in ends):
            for logits in self._feed(fed, **self._last_only):
                last = logits[-1]
            ids.append(choose(last))
            logprobs.append(float(last[ids[-1]] - last.logsumexp(-1)))
            fed = (ids[-1],)
        return Reply(
            text=self.spell(ids),
            finish="stop" if ids and ids[-1] in ends else "length",
            ids=tuple(ids),
            logprobs=tuple(logprobs) if request.logprobs else (),
            usage=Usage(prompt=len(prompt), cached=cached, written=len(ids), requests=1),
        )

    def score(self, ids: tuple[int, ...]) -> Scores:
        self._check(ids, to_write=0)
        # The logits of what is cached are gone, so all of it is computed again.
        self._forget()
        scores: list[TokenScore] = []
        for logits in self._feed(ids[:-1]):
            start = len(scores) + 1
            given = self._tensor(ids[start : start + len(logits)])
            own = logits.gather(-1, given.unsqueeze(-1))
            found = (
                (own.squeeze(-1) - logits.logsumexp(-1)).tolist(),
                (1 + (logits > own).sum(-1)).tolist(),
                logits.argmax(-1).tolist(),
            )
            scores += [TokenScore(*values) for values in zip(*found, strict=True)]
        return Scores(tuple(scores), Usage(prompt=len(ids), requests=1))

    def _prompt_ids(self, prompt: Prompt) -> tuple[int, ...]:
        if isinstance(prompt, str):
            return self.tokenize(prompt, has_specials=True)
        messages = messages_of(prompt)
        if not messages:
            return tuple(part for part in prompt if isinstance(part, int))
        if not self._tokenizer.chat_template:
            raise EngineError(f"{self._name} has no chat template; give the prompt as text")
        talk = [{"role": message.role, "content": message.content} for message in messages]
        try:
            options = {"add_generation_prompt": True, "tokenize": True, "return_dict": False}
            ids = self._tokenizer.apply_chat_template(talk, **options)
        # Templates are programs of their own, and refuse roles as they like.
        except Exception as error:
            raise EngineError(f"the chat template of {self._name} failed: {error}") from error
        return tuple(ids)

    def _chooser(self, request: Request) -> Callable[[Any], int]:
        """Logits -> a token id, among those that the request allows."""
        allowed = sorted(set(request.allowed_ids))
        # Drawn on the CPU, so that a seed means the same on every device.
        dice = self.torch.Generator()
        dice.seed() if request.seed is None else dice.manual_seed(request.seed)

        def choose(logits: Any) -> int:
            left = logits[self._tensor(allowed)] if allowed else logits
            place = left.argmax()
            if request.temperature > 0:
                # Differences, so that no temperature is too small to divide by.
                scaled = (left - left[place]).cpu() / request.temperature
                place = self.torch.multinomial(scaled.softmax(-1), 1, generator=dice)
            return allowed[int(place)] if allowed else int(place)

        return choose

    def _feed(self, ids: Sequence[int], **options: int) -> Iterator[Any]:
        """Have the model read on; the logits behind each token, a chunk at a time."""
        for start in range(0, len(ids), _CHUNK):
            if self.is_abandoned.is_set():
                raise CancelledError
            chunk = ids[start : start + _CHUNK]
            seen, self._seen = self._seen, []
            given = self._tensor(chunk).unsqueeze(0)
            output = self._net(given, past_key_values=self._cache, use_cache=True, **options)
            # Only now: a pass that failed halfway leaves a cache that fits no tokens.
            self._seen = [*seen, *chunk]
            yield output.logits[0].float()

    def _rewind(self, prompt: Sequence[int]) -> int:
        """Keep of the cache what the prompt begins with; how many tokens that is.

        seen (1, 2, 3, 4), prompt (1, 2, 5) -> 2; the last token is always computed, for its logits
        """
        pairs = zip(self._seen, prompt[:-1], strict=False)
        kept = next((n for n, (old, new) in enumerate(pairs) if old != new), None)
        kept = min(len(self._seen), len(prompt) - 1) if kept is None else kept
        if kept == 0:
            self._forget()
        elif kept < len(self._seen):
            self._cache.crop(kept - len(self._seen))
            del self._seen[kept:]
        return kept

    def _forget(self) -> None:
        # Made without the model's config: one that knows of sliding windows drops what is behind
        # them and cannot be cropped. The attention mask keeps the window all the same.
        self._cache = self._new_cache()
        self._seen = []

    def _tensor(self, ids: Sequence[int]) -> Any:
        return self.torch.tensor(ids, dtype=self.torch.long, device=self._net.device)

    def _check(self, ids: Sequence[int], *, to_write: int | None = None) -> None:
        strange = next((n for n in ids if not 0 <= n < self._vocabulary), None)
        if strange is not None:
            raise EngineError(
                f"{strange} is no token id of {self._name}, which has {self._vocabulary}; "
                "were the ids made by another model's tokenizer?"
            )
        most = self._context_length
        if to_write is not None and most is not None and len(ids) + to_write > most:
            raise EngineError(
                f"{len(ids)} tokens of prompt and {to_write} to write are more than the {most} "
                f"that {self._name} can hold; ask for fewer"
            )


def _load(name: str, device: str | None, dtype: str | None) -> tuple[Any, Any]:
    """The model and the tokenizer, from a folder or the hub."""
    import torch
    import transformers

    if name.startswith(("/", ".", "~")) and not Path(name).is_dir():
        raise EngineError(f"there is no folder {name}; give one that a model was saved to")
    if device in (None, "auto"):
        has_mps = torch.backends.mps.is_available()
        device = "cuda" if torch.cuda.is_available() else "mps" if has_mps else "cpu"
    try:
        options = {"dtype": dtype or "auto", "output_loading_info": True}
        net, report = transformers.AutoModelForCausalLM.from_pretrained(name, **options)
        net = net.to(device).eval()
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    # The libraries raise what they like: missing files, damaged ones, unknown kinds of model.
    except Exception as error:
        raise EngineError(
            f"{name} cannot be loaded as a model: {error}; give a folder that holds config.json, "
            "a tokenizer and weights, or a name on the Hugging Face hub"
        ) from error
    if report["missing_keys"]:
        lacking = ", ".join(sorted(report["missing_keys"])[:3])
        raise EngineError(f"{name} lacks weights that its config names ({lacking}); get it again")
    layers = set(getattr(net.config.get_text_config(), "layer_types", None) or ())
    if net._is_stateful or layers - _REWINDABLE:
        raise EngineError(f"{name} keeps a state that cannot be wound back; ask a server for it")
    return net, tokenizer
