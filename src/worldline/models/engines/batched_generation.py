"""Generation for several prompts at once with a model of transformers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Generation:
    """One prompt of a batch, and what was generated for it so far.

    Attributes:
        prompt: Token ids of the prompt, at least one.
        max_tokens: Limit on the generated tokens.
        choose: Function from logits to a token id.
        is_finished: Function from the generated ids to whether the completion ends with them.
        is_abandoned: Function that says whether nobody waits for the result any more.
        on_finish: Called when the completion is finished; the others of the batch are not.
        ids: Generated token ids.
        logprobs: Their log-probabilities.
        has_ended: Whether the completion ended before the limit.
    """

    prompt: tuple[int, ...]
    max_tokens: int
    choose: Callable[[Any], int]
    is_finished: Callable[[Sequence[int]], bool]
    is_abandoned: Callable[[], bool] = lambda: False
    on_finish: Callable[["Generation"], None] = lambda done: None
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    has_ended: bool = False


def generate_batch(
    torch: Any, model: Any, cache: Any, generations: Sequence[Generation], **options: int
) -> None:
    """Generate the completions of several prompts together; each gets its ids.

    The prompts are padded on the left, and masked there: the logits are those of each prompt alone,
    up to rounding. A completion that ends leaves the batch, so that the others get faster.

    Args:
        torch: The module torch.
        model: A causal model of transformers.
        cache: An empty key-value cache whose rows can be selected.
        generations: The prompts; their ids are appended.
        options: Further arguments of the model, such as `logits_to_keep` where it has that.
    """
    active = [each for each in generations if each.max_tokens > 0]
    for each in generations:
        if each.max_tokens <= 0:
            each.on_finish(each)
    if not active:
        return
    device = model.device
    width = max(len(each.prompt) for each in active)
    ids = torch.zeros(len(active), width, dtype=torch.long)
    mask = torch.zeros(len(active), width, dtype=torch.long)
    for row, each in enumerate(active):
        ids[row, width - len(each.prompt) :] = torch.tensor(each.prompt)
        mask[row, width - len(each.prompt) :] = 1
    ids, mask = ids.to(device), mask.to(device)
    positions = (mask.cumsum(-1) - 1).clamp(min=0)
    while active:
        output = model(
            input_ids=ids,
            attention_mask=mask,
            position_ids=positions,
            past_key_values=cache,
            use_cache=True,
            **options,
        )
        logits = output.logits[:, -1].float()
        _append(active, logits)
        done = {row for row, each in enumerate(active) if _is_done(each)}
        for row in done:
            active[row].on_finish(active[row])
        kept = [row for row in range(len(active)) if row not in done]
        if len(kept) < len(active):
            active = [active[row] for row in kept]
            rows = torch.tensor(kept, dtype=torch.long, device=device)
            mask, positions = mask[rows], positions[rows]
            cache.reorder_cache(rows)
        ids = torch.tensor([[each.ids[-1]] for each in active], dtype=torch.long, device=device)
        mask = torch.nn.functional.pad(mask, (0, 1), value=1)
        positions = positions[:, -1:] + 1


def _append(active: Sequence[Generation], logits: Any) -> None:
    """Append the next token of each completion."""
    normalizers = logits.logsumexp(-1).tolist()
    for each, row, normalizer in zip(active, logits, normalizers, strict=True):
        each.ids.append(each.choose(row))
        each.logprobs.append(float(row[each.ids[-1]]) - normalizer)


def _is_done(each: Generation) -> bool:
    each.has_ended = each.is_finished(each.ids)
    return each.has_ended or len(each.ids) >= each.max_tokens or each.is_abandoned()
