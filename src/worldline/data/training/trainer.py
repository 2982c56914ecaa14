"""Trainer of a small model: optimizers, schedule and held-out evaluation."""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from worldline.data.training.dataset import (
    ACTION,
    STATE,
    TrainingDataset,
    microbatches,
    sample_batches,
)
from worldline.data.training.muon import Muon
from worldline.data.training.recipe import Recipe
from worldline.data.training.torch_import import require_torch

# Number of evaluations in a training.
_EVALS = 20


@dataclass(frozen=True, slots=True)
class HeldOutMetrics:
    """Teacher-forced metrics on the held-out examples.

    `loss` is the mean negative log-likelihood in nats. The accuracies are the shares of action and
    state tokens that are the model's first choice; None if there are no such tokens.
    `example_accuracy` is the share of examples in which all these tokens are, so that greedy
    decoding writes them without an error; None in logs of version 0.2 and before.
    """

    loss: float
    action_accuracy: float | None
    state_accuracy: float | None
    example_accuracy: float | None = None


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """A finished optimizer step.

    `loss` is the mean over the tokens with loss, in nats, before the step. `held_out` is None
    unless the model was evaluated after the step.
    """

    step: int
    loss: float
    examples: int
    tokens: int
    seconds: float
    held_out: HeldOutMetrics | None = None


class Trainer:
    """A model with its optimizers.

    The forward pass has the model's data type; the optimizers update float32 master weights,
    because a step is often too small for bfloat16. `last_step` is the number of the last step that
    was taken completely, and None during a step.
    """

    def __init__(
        self, model: Any, recipe: Recipe, *, action_weight: float = 1.0, state_weight: float = 1.0
    ) -> None:
        torch = require_torch()
        self.model, self.recipe = model, recipe
        self.last_step: int | None = 0
        self._role_weights = torch.tensor([0.0, action_weight, state_weight])
        self._model_weights = list(model.parameters())
        self.master_weights = [weight.detach().float().clone() for weight in self._model_weights]
        for master in self.master_weights:
            master.grad = torch.zeros_like(master)
        names = [name for name, _ in model.named_parameters()]
        matrices: list[Any] = []
        others: list[Any] = []
        for name, master in zip(names, self.master_weights, strict=True):
            is_layer_matrix = master.dim() == 2 and "layers" in name
            (matrices if is_layer_matrix else others).append(master)
        # After the first 244,000 tokens the loss was 1.75 with AdamW alone, and 1.50 with Muon.
        self._optimizers = (
            Muon(matrices, lr=recipe.lr_muon),
            torch.optim.AdamW(others, lr=recipe.lr_adamw, betas=(0.9, 0.95), weight_decay=0.0),
        )

    def load_state_dict(self, state: dict[str, Any], *, step: int) -> None:
        """Restore what `state_dict` returned after a step."""
        torch = require_torch()
        self.last_step = step
        with torch.no_grad():
            for master, saved in zip(self.master_weights, state["masters"], strict=True):
                master.copy_(saved)
        for optimizer, saved in zip(self._optimizers, state["optimizers"], strict=True):
            optimizer.load_state_dict(saved)
        self._copy_to_model()

    def state_dict(self) -> dict[str, Any]:
        """Master weights and optimizer states, to resume later."""
        states = [optimizer.state_dict() for optimizer in self._optimizers]
        return {"masters": self.master_weights, "optimizers": states}

    def export_model(self) -> Any:
        """Return the model with the trained weights in float32."""
        torch = require_torch()
        self.model = self.model.to(torch.float32)
        self._model_weights = list(self.model.parameters())
        self._copy_to_model()
        return self.model

    def step(
        self, dataset: TrainingDataset, examples: tuple[int, ...], *, lr_scale: float
    ) -> float:
        """Take one optimizer step, and return the mean loss before it.

        Args:
            dataset: The dataset.
            examples: Indices of the examples of the batch.
            lr_scale: Multiplier of the recipe's learning rates.
        """
        torch = require_torch()
        previous, self.last_step = self.last_step, None
        batches = list(microbatches(dataset, examples, self.recipe.microbatch_tokens))
        weight = float(sum(self._role_weights[roles[:, 1:].int()].sum() for _, roles in batches))
        loss = 0.0
        for ids, roles in batches:
            batch_loss = self._loss(ids, roles) / max(weight, 1e-9)
            batch_loss.backward()
            loss += float(batch_loss.detach())
            self._accumulate_gradients()
        torch.nn.utils.clip_grad_norm_(self.master_weights, 1.0)
        rates = (self.recipe.lr_muon, self.recipe.lr_adamw)
        for optimizer, rate in zip(self._optimizers, rates, strict=True):
            for group in optimizer.param_groups:
                group["lr"] = rate * lr_scale
            optimizer.step()
        for master in self.master_weights:
            master.grad.zero_()
        self._copy_to_model()
        self.last_step = (previous or 0) + 1
        return loss

    def evaluate(self, dataset: TrainingDataset) -> HeldOutMetrics:
        """Evaluate the model on the held-out examples."""
        torch = require_torch()
        nll, examples = 0.0, 0
        correct, total = {ACTION: 0, STATE: 0}, {ACTION: 0, STATE: 0}
        batches = microbatches(dataset, dataset.held_out, self.recipe.microbatch_tokens)
        with torch.no_grad():
            for ids, roles in batches:
                logits, targets, target_roles = self._logits(ids, roles)
                nll += float(torch.nn.functional.cross_entropy(logits, targets, reduction="sum"))
                is_correct = logits.argmax(-1) == targets
                for role in correct:
                    correct[role] += int((is_correct & (target_roles == role)).sum())
                    total[role] += int((target_roles == role).sum())
                has_error = torch.zeros_like(ids[:, 1:], dtype=torch.bool)
                has_error[roles[:, 1:] > 0] = ~is_correct
                examples += int((~has_error.any(1)).sum())
        shares = {role: correct[role] / total[role] if total[role] else None for role in total}
        return HeldOutMetrics(
            nll / max(1, sum(total.values())),
            shares[ACTION],
            shares[STATE],
            examples / len(dataset.held_out),
        )

    def _logits(self, ids: Any, roles: Any) -> tuple[Any, Any, Any]:
        """Logits, target ids and roles at the tokens that have a loss."""
        # Padding comes last, so attention to earlier tokens needs no mask.
        hidden = self.model.model(input_ids=ids).last_hidden_state[:, :-1]
        target_roles = roles[:, 1:]
        has_loss = target_roles > 0
        logits = self.model.lm_head(hidden[has_loss]).float()
        return logits, ids[:, 1:][has_loss], target_roles[has_loss]

    def _loss(self, ids: Any, roles: Any) -> Any:
        """Weighted sum of the losses of all tokens."""
        torch = require_torch()
        logits, targets, target_roles = self._logits(ids, roles)
        losses = torch.nn.functional.cross_entropy(logits, targets, reduction="none")
        return (losses * self._role_weights[target_roles.int()]).sum()

    def _accumulate_gradients(self) -> None:
        """Add the gradients of one micro-batch to those of the step, in float32."""
        for weight, master in zip(self._model_weights, self.master_weights, strict=True):
            if weight.grad is not None:
                master.grad += weight.grad
                weight.grad = None

    def _copy_to_model(self) -> None:
        """Copy the master weights to the model, in its data type."""
        torch = require_torch()
        with torch.no_grad():
            for weight, master in zip(self._model_weights, self.master_weights, strict=True):
                weight.copy_(master)


def run_steps(
    trainer: Trainer, dataset: TrainingDataset, *, seed: int, from_step: int = 0
) -> Iterator[TrainingStep]:
    """Train a model to the end of its recipe, after step `from_step`."""
    recipe = trainer.recipe
    eval_tokens, done = recipe.tokens / _EVALS, 0
    for number, examples in enumerate(sample_batches(dataset, recipe, seed=seed), 1):
        tokens = sum(map(dataset.length, examples))
        before, done = done, done + tokens
        if number <= from_step:
            continue
        started = time.monotonic()
        loss = trainer.step(dataset, examples, lr_scale=lr_scale(recipe, done))
        seconds = time.monotonic() - started
        is_due = done // eval_tokens > before // eval_tokens or done >= recipe.tokens
        held_out = trainer.evaluate(dataset) if is_due and dataset.held_out else None
        yield TrainingStep(number, loss, len(examples), tokens, seconds, held_out)


def lr_scale(recipe: Recipe, done: int) -> float:
    """Learning-rate multiplier after `done` tokens: linear warm-up, then cosine decay to 5%."""
    warmup_tokens = recipe.warmup_ratio * recipe.tokens
    if done <= warmup_tokens:
        return done / warmup_tokens
    progress = min(1.0, (done - warmup_tokens) / (recipe.tokens - warmup_tokens))
    return 0.05 + 0.95 * (1 + math.cos(math.pi * progress)) / 2
