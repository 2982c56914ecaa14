"""A model and material go in; after every step of its training comes out how it is doing."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldline.training.material import ACTION, STATE, Material, in_order, passes
from worldline.training.recipe import Recipe
from worldline.training.torches import require_torch

# How often in a training what was held out is looked at.
_LOOKS = 20


@dataclass(frozen=True, slots=True)
class HeldOut:
    """How a model takes what it was not trained on, each token given the true ones before it: the
    mean surprise in nats, and the share of tokens that are its own choice (of none, none)."""

    loss: float
    actions_right: float | None
    states_right: float | None


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """One step of a training is done. `loss` is the mean over its learned tokens, in nats;
    `examples`, `tokens` and `seconds` are of this step; `held_out` is there now and then."""

    step: int
    loss: float
    examples: int
    tokens: int
    seconds: float
    held_out: HeldOut | None = None


class Learner:
    """A model with what its training remembers. It computes in its own dtype and learns in
    float32: a step is often too small for bfloat16 to see. `step_taken` is the last one that it
    has learned from, none in the middle of one."""

    def __init__(
        self, model: Any, recipe: Recipe, *, action_weight: float = 1.0, state_weight: float = 1.0
    ) -> None:
        torch = require_torch()
        self.model, self.recipe = model, recipe
        self.step_taken: int | None = 0
        self._weights = torch.tensor([0.0, action_weight, state_weight])
        self._live = list(model.parameters())
        self.masters = [weight.detach().float().clone() for weight in self._live]
        for master in self.masters:
            master.grad = torch.zeros_like(master)
        names = [name for name, _ in model.named_parameters()]
        inner = [
            master.dim() == 2 and "layers" in name
            for name, master in zip(names, self.masters, strict=True)
        ]
        matrices = [m for m, is_inner in zip(self.masters, inner, strict=True) if is_inner]
        others = [m for m, is_inner in zip(self.masters, inner, strict=True) if not is_inner]
        # With AdamW alone the loss behind the first 244,000 tokens was 1.75, with Muon 1.50.
        self._optimizers = (
            torch.optim.Muon(matrices, lr=recipe.matrix_rate, momentum=0.95, weight_decay=0.01),
            torch.optim.AdamW(others, lr=recipe.rate, betas=(0.9, 0.95), weight_decay=0.0),
        )

    def load(self, state: dict[str, Any], *, step: int) -> None:
        """Go on from what `state` saved behind a step."""
        torch = require_torch()
        self.step_taken = step
        with torch.no_grad():
            for master, saved in zip(self.masters, state["masters"], strict=True):
                master.copy_(saved)
        for optimizer, saved in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self._share()

    def state(self) -> dict[str, Any]:
        """All that it takes to go on later."""
        states = [optimizer.state_dict() for optimizer in self._optimizers]
        return {"masters": self.masters, "optimizers": states}

    def learned(self) -> Any:
        """The model with all that it has learned, in float32."""
        torch = require_torch()
        self.model = self.model.to(torch.float32)
        self._live = list(self.model.parameters())
        self._share()
        return self.model

    def step(self, material: Material, examples: tuple[int, ...], *, pace: float) -> float:
        """Learn from some examples, at a share of the recipe's rates; the mean loss before that."""
        torch = require_torch()
        taken, self.step_taken = self.step_taken, None
        batches = list(passes(material, examples, self.recipe.pass_tokens))
        weight = float(sum(self._weights[roles[:, 1:].int()].sum() for _, roles in batches))
        loss = 0.0
        for ids, roles in batches:
            part = self._loss(ids, roles) / max(weight, 1e-9)
            part.backward()
            loss += float(part.detach())
            self._collect()
        torch.nn.utils.clip_grad_norm_(self.masters, 1.0)
        rates = (self.recipe.matrix_rate, self.recipe.rate)
        for optimizer, rate in zip(self._optimizers, rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * pace
            optimizer.step()
        for master in self.masters:
            master.grad.zero_()
        self._share()
        self.step_taken = (taken or 0) + 1
        return loss

    def look(self, material: Material) -> HeldOut:
        """How the model takes the examples that it does not learn from."""
        torch = require_torch()
        surprise = 0.0
        right, of = {ACTION: 0, STATE: 0}, {ACTION: 0, STATE: 0}
        with torch.no_grad():
            for ids, roles in passes(material, material.held_out, self.recipe.pass_tokens):
                logits, targets, kinds = self._logits(ids, roles)
                surprise += float(
                    torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
                )
                is_right = logits.argmax(-1) == targets
                for role in right:
                    right[role] += int((is_right & (kinds == role)).sum())
                    of[role] += int((kinds == role).sum())
        shares = {role: right[role] / of[role] if of[role] else None for role in of}
        return HeldOut(surprise / max(1, sum(of.values())), shares[ACTION], shares[STATE])

    def _logits(self, ids: Any, roles: Any) -> tuple[Any, Any, Any]:
        """What the model expects at each learned token, what comes, and the token's role."""
        # Padding stands behind everything, where nothing that is learned looks.
        hidden = self.model.model(input_ids=ids).last_hidden_state[:, :-1]
        kinds = roles[:, 1:]
        is_learned = kinds > 0
        logits = self.model.lm_head(hidden[is_learned]).float()
        return logits, ids[:, 1:][is_learned], kinds[is_learned]

    def _loss(self, ids: Any, roles: Any) -> Any:
        """The weighted sum of the losses of all learned tokens."""
        torch = require_torch()
        logits, targets, kinds = self._logits(ids, roles)
        each = torch.nn.functional.cross_entropy(logits, targets, reduction="none")
        return (each * self._weights[kinds.int()]).sum()

    def _collect(self) -> None:
        """Add the gradients of one pass to those of the step, in float32."""
        for weight, master in zip(self._live, self.masters, strict=True):
            if weight.grad is not None:
                master.grad += weight.grad
                weight.grad = None

    def _share(self) -> None:
        """Give the model what was learned, as far as its dtype holds it."""
        torch = require_torch()
        with torch.no_grad():
            for weight, master in zip(self._live, self.masters, strict=True):
                weight.copy_(master)


def learn(
    learner: Learner, material: Material, *, seed: int, from_step: int = 0
) -> Iterator[TrainingStep]:
    """Train a model to the end of its recipe, from a step on."""
    recipe = learner.recipe
    every, done = recipe.tokens / _LOOKS, 0
    for number, examples in enumerate(in_order(material, recipe, seed=seed), 1):
        tokens = sum(map(material.length, examples))
        before, done = done, done + tokens
        if number <= from_step:
            continue
        began = time.monotonic()
        loss = learner.step(material, examples, pace=pace_at(recipe, done))
        passed = time.monotonic() - began
        is_time = done // every > before // every or done >= recipe.tokens
        held_out = learner.look(material) if is_time and material.held_out else None
        yield TrainingStep(number, loss, len(examples), tokens, passed, held_out)


def pace_at(recipe: Recipe, done: int) -> float:
    """Which share of its rates a model learns at, behind so many tokens: up in a line, then down in
    half a cosine to a twentieth."""
    warm = recipe.warm_share * recipe.tokens
    if done <= warm:
        return done / warm
    share = min(1.0, (done - warm) / (recipe.tokens - warm))
    return 0.05 + 0.95 * (1 + math.cos(math.pi * share)) / 2
