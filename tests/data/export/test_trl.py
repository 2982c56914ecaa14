"""TRL trains on an export as it is, with its tokens and labels."""

from pathlib import Path
from typing import Any

import pytest

from tests.data.export.small_exports import exported, stored
from worldline.data.export import pack
from worldline.languages.python.recorder import PythonRecorder

pytest.importorskip("torch", reason="torch is not installed: see CONTRIBUTING.md")
pytest.importorskip("trl", reason="trl is not installed: pip install trl==1.16.0")


def trainer_of(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    columns: list[str] | None = None,
    **options: Any,
) -> Any:
    """A trainer of a tiny random model on the export in `tmp_path/export`."""
    import datasets
    import torch
    import transformers
    import trl

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("WANDB_DISABLED", "true")
    export = tmp_path / "export"
    dataset = datasets.load_dataset(
        "parquet",
        data_files=str(export / "data" / "train-*.parquet"),
        cache_dir=str(tmp_path / "cache"),
        split="train",
    )
    tokenizer = transformers.AutoTokenizer.from_pretrained(export / "tokenizer")
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=32,
            intermediate_size=64,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=4096,
        )
    )
    return trl.SFTTrainer(
        model=model,
        processing_class=tokenizer,
        train_dataset=dataset if columns is None else dataset.select_columns(columns),
        args=trl.SFTConfig(
            **{
                "output_dir": str(tmp_path / "out"),
                "max_length": None,
                "max_steps": 10,
                "per_device_train_batch_size": 2,
                "learning_rate": 1e-2,
                "lr_scheduler_type": "constant",
                "logging_steps": 1,
                "report_to": "none",
                "save_strategy": "no",
                "use_cpu": True,
                "bf16": False,
                "disable_tqdm": True,
                "gradient_checkpointing": False,
                "dataloader_pin_memory": False,
                **options,
            }
        ),
    )


def batches(trainer: Any) -> list[dict[str, Any]]:
    """All batches of one epoch, as plain lists."""
    return [
        {name: values.tolist() for name, values in batch.items()}
        for batch in trainer.get_train_dataloader()
    ]


@pytest.mark.parametrize("loss", ["all", "states"])
def test_loss_falls_within_ten_steps(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch, loss: str
) -> None:
    exported(tmp_path, stored(recorder), tokenizer="bpe:320", loss=loss)
    trainer = trainer_of(tmp_path, monkeypatch)
    trainer.train()
    losses = [log["loss"] for log in trainer.state.log_history if "loss" in log]
    assert len(losses) == 10
    assert all(0 < value < 20 for value in losses)
    assert losses[-1] < losses[0] - 0.5


@pytest.mark.parametrize("loss", ["all", "actions", "states"])
def test_trl_uses_the_exported_tokens_and_labels(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch, loss: str
) -> None:
    rows = exported(tmp_path, stored(recorder), tokenizer="bpe:320", loss=loss)
    fed = set()
    for batch in batches(trainer_of(tmp_path, monkeypatch)):
        assert batch.keys() == {"input_ids", "attention_mask", "labels"}
        for ids, labels, mask in zip(
            batch["input_ids"], batch["labels"], batch["attention_mask"], strict=True
        ):
            length = sum(mask)
            assert set(labels[length:]) <= {-100}
            fed.add((tuple(ids[:length]), tuple(labels[:length])))
    assert fed == {(tuple(row["input_ids"]), tuple(row["labels"])) for row in rows}
    mask = {"actions": "state_mask", "states": "action_mask"}.get(loss)
    if mask is not None:
        unlearned = [
            label
            for row in rows
            for label, bit in zip(row["labels"], row[mask], strict=True)
            if bit
        ]
        assert set(unlearned) == {-100}
        assert len(unlearned) > 100


def test_trl_gets_the_same_tokens_from_the_texts(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without ids, TRL tokenizes `prompt` and `completion` itself."""
    rows = exported(tmp_path, stored(recorder), tokenizer="bpe:320")
    trainer = trainer_of(tmp_path, monkeypatch, columns=["prompt", "completion"])
    result = {(tuple(row["input_ids"]), tuple(row["labels"])) for row in trainer.train_dataset}
    assert result == {(tuple(row["input_ids"]), tuple(row["labels"])) for row in rows}


def test_trl_packs_into_the_predicted_number_of_rows(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of rows is the one in the summary, and they have the same tokens."""
    rows = exported(tmp_path, stored(recorder), tokenizer="bpe:320")
    lengths = [len(row["input_ids"]) for row in rows]
    budget = max(lengths) + min(lengths)
    options: dict[str, Any] = {"packing": True, "packing_strategy": "bfd", "max_length": budget}
    trainer = trainer_of(tmp_path, monkeypatch, **options, padding_free=False)
    packed = trainer.train_dataset
    counts = {length: lengths.count(length) for length in lengths}
    assert len(packed) == pack(counts, budget).bins < len(rows)
    tokens = sorted(token for row in rows for token in row["input_ids"])
    assert sorted(token for row in packed for token in row["input_ids"]) == tokens
