"""TRL's own GRPOTrainer trains with the reward function."""

from pathlib import Path
from typing import Any

import pytest

from worldline.core.trace import Limits
from worldline.rewards import trl_reward_function

pytest.importorskip("torch", reason="torch is not installed: see CONTRIBUTING.md")
pytest.importorskip("trl", reason="trl is not installed: pip install trl==1.16.0")

SOURCE = "def f(x):\n    return x + 1\n"
BROKEN = "def f(:\n"


def make_tokenizer() -> Any:
    """A tokenizer of single characters."""
    import tokenizers
    import transformers

    vocabulary = {"<pad>": 0, "<eos>": 1} | {chr(n): n for n in range(2, 127)}
    model = tokenizers.models.BPE(vocab=vocabulary, merges=[])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer(model),
        pad_token="<pad>",
        eos_token="<eos>",
        padding_side="left",
    )


def test_grpo_trainer_accepts_the_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import datasets
    import torch
    import transformers
    import trl

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("WANDB_DISABLED", "true")
    tokenizer = make_tokenizer()
    torch.manual_seed(0)
    model = transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=64,
            pad_token_id=0,
            eos_token_id=1,
        )
    )
    calls: list[dict[str, Any]] = []
    # The model writes noise: the text that it should have written stands for it.
    reward = trl_reward_function(
        codec="chat", decode=lambda ids: "[ANSWER] 2 [/ANSWER]", limits=Limits(seconds=5)
    )

    def worldline_step_reward(**columns: Any) -> list[float | None]:
        rewards = reward(**columns)
        calls.append({**columns, "rewards": rewards})
        return rewards

    rows = [{"prompt": "f(1)?", "code": code, "call": "f(1)"} for code in (SOURCE, BROKEN)]
    trainer = trl.GRPOTrainer(
        model=model,
        processing_class=tokenizer,
        reward_funcs=[worldline_step_reward],
        train_dataset=datasets.Dataset.from_list(rows),
        args=trl.GRPOConfig(
            output_dir=str(tmp_path / "out"),
            max_steps=1,
            per_device_train_batch_size=4,
            num_generations=2,
            max_completion_length=4,
            logging_steps=1,
            report_to="none",
            use_cpu=True,
            bf16=False,
            save_strategy="no",
        ),
    )
    trainer.train()
    (call,) = calls
    assert sorted(zip(call["code"], call["rewards"], strict=True), key=str) == sorted(
        [(SOURCE, 1.0), (SOURCE, 1.0), (BROKEN, None), (BROKEN, None)], key=str
    )
    log = trainer.state.log_history[0]
    assert log["rewards/worldline_step_reward/mean"] == 1.0
    assert log["answer_accuracy"] == 1.0
