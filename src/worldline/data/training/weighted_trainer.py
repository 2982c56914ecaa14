"""transformers' Trainer with the loss weights of action and state tokens."""

import inspect
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from worldline.data.training.dataset import TrainingDataset, microbatches
from worldline.data.training.fine_tuning_settings import FineTuning

# Evaluations on the held-out examples in a training.
_EVALS = 5
# Seconds after which a checkpoint is saved, even if there were few steps.
_CHECKPOINT_SECONDS = 600.0
_UNLIMITED = 10**12
# Tokens of a forward pass, padding included. The activations of one pass are in memory together.
_CPU_PASS_TOKENS, _GPU_PASS_TOKENS = 2048, 16_384


def make_trainer(
    model: Any,
    dataset: TrainingDataset,
    batches: Sequence[tuple[int, ...]],
    settings: FineTuning,
    *,
    folder: Path,
    is_bfloat16: bool,
    tracker: str | None,
    report: Callable[[int, dict[str, float]], None],
) -> Any:
    """Make a trainer that takes one optimizer step for each batch, in their order.

    Args:
        model: A causal model, or one with LoRA.
        dataset: The examples.
        batches: The examples of each step.
        settings: Settings of the fine-tuning.
        folder: Folder of the checkpoints.
        is_bfloat16: Whether the forward pass is in bfloat16 on this processor.
        tracker: Where transformers logs the training, too.
        report: Called with the step and what transformers logs.
    """
    import torch
    from transformers import Trainer, TrainerCallback, TrainingArguments

    weights = torch.tensor([0.0, settings.action_weight, settings.state_weight])
    cuda = torch.cuda.is_available()
    pass_tokens = _GPU_PASS_TOKENS if cuda else _CPU_PASS_TOKENS
    base = model.get_base_model() if hasattr(model, "get_base_model") else model
    can_skip = "logits_to_keep" in inspect.signature(base.forward).parameters

    class WeightedTrainer(Trainer):  # type: ignore[misc]
        """Trainer with weights for the tokens, and batches in a fixed order."""

        def compute_loss(
            self, model: Any, inputs: Any, return_outputs: bool = False, **_: Any
        ) -> Any:
            """Weighted mean of the losses of all tokens."""
            token_weights = weights.to(inputs["roles"].device)[inputs["roles"][:, 1:].int()]
            ids, mask = inputs["input_ids"], inputs["attention_mask"]
            # The positions before the first loss, those of the shortest prompt, need no logits.
            first = int((token_weights > 0).any(0).int().argmax()) if can_skip else 0
            kept_logits = {"logits_to_keep": ids.shape[1] - first} if can_skip else {}
            outputs = model(input_ids=ids, attention_mask=mask, use_cache=False, **kept_logits)
            token_weights, targets = token_weights[:, first:], ids[:, first + 1 :]
            has_loss = token_weights > 0
            losses = torch.nn.functional.cross_entropy(
                outputs.logits[:, :-1][has_loss].float(), targets[has_loss], reduction="none"
            )
            kept = token_weights[has_loss]
            total = inputs.get("total_weight", kept.sum()).clamp(min=1e-9)
            loss = (losses * kept).sum() / total
            return (loss, {"loss": loss.detach()}) if return_outputs else loss

        def training_step(self, model: Any, inputs: Any, *arguments: Any, **options: Any) -> Any:
            """Accumulate the gradients of a batch in several passes over similar lengths."""
            total = weights.to(inputs["roles"].device)[inputs["roles"][:, 1:].int()].sum()
            loss = torch.zeros(())
            for part in split_by_length(inputs, pass_tokens):
                part["total_weight"] = total
                loss = loss + super().training_step(model, part, *arguments, **options).cpu()
            return loss

        def prediction_step(self, model: Any, inputs: Any, *_: Any, **__: Any) -> Any:
            """Loss of a batch of held-out examples; the logits are not kept."""
            with torch.no_grad():
                return self.compute_loss(model, self._prepare_inputs(inputs)).detach(), None, None

        def _get_train_sampler(self, *_: Any) -> Any:
            return torch.utils.data.SequentialSampler(self.train_dataset)

    class Reporter(TrainerCallback):  # type: ignore[misc]
        """Passes on what is logged, and saves checkpoints from time to time."""

        def __init__(self) -> None:
            self._saved = time.monotonic()

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            control.should_save |= time.monotonic() - self._saved > _CHECKPOINT_SECONDS

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self._saved = time.monotonic()

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            if state.is_world_process_zero and logs and {"loss", "eval_loss"} & logs.keys():
                report(state.global_step, logs)

    def collate(items: Sequence[Sequence[int]]) -> dict[str, Any]:
        (examples,) = items
        ((ids, roles),) = microbatches(dataset, examples, _UNLIMITED)
        lengths = torch.tensor(sorted(map(dataset.length, examples)))
        mask = (torch.arange(ids.shape[1]) < lengths[:, None]).long()
        return {"input_ids": ids, "attention_mask": mask, "roles": roles}

    steps = len(batches)
    arguments = TrainingArguments(
        output_dir=str(folder),
        num_train_epochs=1,
        per_device_train_batch_size=1,
        per_device_eval_batch_size=1,
        learning_rate=settings.rate,
        lr_scheduler_type="cosine",
        warmup_steps=max(1, round(settings.warmup_ratio * steps)),
        bf16=torch.cuda.is_bf16_supported() if cuda else is_bfloat16,
        use_cpu=not cuda,
        logging_steps=1,
        save_steps=settings.checkpoint_steps,
        save_total_limit=2,
        eval_strategy="steps" if dataset.held_out else "no",
        eval_steps=max(1, -(-steps // _EVALS)),
        seed=settings.seed,
        report_to=[tracker] if tracker else "none",
        run_name=folder.parent.name,
        remove_unused_columns=False,
        disable_tqdm=True,
        dataloader_pin_memory=cuda,
        accelerator_config={"split_batches": False, "dispatch_batches": False},
    )
    use_one_gpu(arguments)
    trainer = WeightedTrainer(
        model=model,
        args=arguments,
        data_collator=collate,
        train_dataset=list(batches),
        eval_dataset=[(example,) for example in dataset.held_out],
        callbacks=[Reporter()],
    )
    _silence(trainer)
    return trainer


def split_by_length(inputs: dict[str, Any], max_tokens: int) -> Iterator[dict[str, Any]]:
    """Split a padded batch, whose rows are sorted by length, into parts with less padding.

    Args:
        inputs: Tensors with a row for each example; padding is on the right.
        max_tokens: Largest number of tokens of a part, padding included. A part has at least one
            example.
    """
    lengths = inputs["attention_mask"].sum(1).tolist()
    end = len(lengths)
    while end:
        start = max(0, end - max(1, max_tokens // lengths[end - 1]))
        yield {name: each[start:end, : lengths[end - 1]] for name, each in inputs.items()}
        end = start


def use_one_gpu(arguments: Any) -> None:
    """Use one GPU in this process, so that each step has one batch.

    With several visible GPUs, the trainer of transformers would put one batch for each into a step.
    """
    if arguments.n_gpu > 1:
        arguments._n_gpu = 1


def _silence(trainer: Any) -> None:
    """Keep transformers from printing each step to standard output."""
    from transformers.trainer_callback import PrinterCallback

    trainer.remove_callback(PrinterCallback)
