"""Data card of an export (README.md), for people and for the Hugging Face hub."""

from collections.abc import Sequence
from importlib.metadata import version

from worldline.data.export.export_summary import ExportSummary, summary_lines
from worldline.evaluation.store import Column

_SIZE_CATEGORIES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)

_CARD = """\
---
pretty_name: Execution traces
task_categories:
- text-generation
tags:
- code
- execution-traces
- worldline
size_categories:
- {size}
configs:
- config_name: default
  data_files:
  - split: train
    path: data/train-*.parquet
---

# Execution traces

Executions of Python programs, recorded step by step. One row is one program: `prompt` is its source
with the call to execute, `completion` contains every step of the actual execution.

| | |
|---|---|
| codec | `{codec}` |
| tokenizer | {tokenizer} |
| loss | {loss} |
| maximum length | {longest} |
| made with | worldline {version} |

## Contents

{counts}

{packing}

Examples are packed with best-fit decreasing, as TRL's `packing_strategy="bfd"` does.

## Excluded traces

{left_out}

## Columns

| column | description |
|---|---|
{columns}

`input_ids` are the ids that `worldline predict` sends for the same program: each special token is
one id, and the text between two of them is tokenized separately. If a program contains the text of
a special token, it is ordinary text in `input_ids`, but a tokenizer that is given `prompt` would
read it as the special token. So use `input_ids`.

## Masks

`action_mask` is 1 on tokens that say which event and line come next, `state_mask` on tokens that
say what the variables, or a value that is returned or raised, are. On every token of the completion
exactly one of them is 1, on the prompt neither. `labels` here: {labels}. To choose differently,
compute them from a mask:

```python
def only_states(row):
    pairs = zip(row["input_ids"], row["state_mask"])
    return {{"labels": [token if bit else -100 for token, bit in pairs]}}

dataset = dataset.map(only_states)
```

## Loading

```python
from datasets import load_dataset

# In this folder.
dataset = load_dataset("parquet", data_files="data/train-*.parquet", split="train")
```

TRL's `SFTTrainer` uses `input_ids` and `labels` as they are and drops the other columns. Its
`max_length` is 1,024 by default, and longer examples are truncated: set it to the length that you
train with, or to `None`.

## Decontamination

Check that no program of your benchmarks is among these. `program_hash` finds only programs with
exactly the same text and input, so search for the benchmark's functions in `prompt`, too.
"""
_LOSS_DESCRIPTIONS = {
    "all": "loss on all tokens of the completion",
    "actions": "loss on actions only",
    "states": "loss on states only",
}


def card_text(summary: ExportSummary, columns: Sequence[Column]) -> str:
    """Format the data card of an export in Markdown; it is deterministic."""
    lines = summary_lines(summary)
    left_out = [f"- {count:,}: {reason}" for reason, count in summary.left_out.items()]
    longest = "any" if summary.max_tokens is None else f"{summary.max_tokens:,} tokens"
    return _CARD.format(
        size=_size_category(summary.examples),
        codec=summary.codec,
        tokenizer=_tokenizer_text(summary.tokenizer),
        loss=summary.loss,
        longest=longest,
        version=version("worldline"),
        counts="\n".join(f"- {line}" for line in lines[:3]),
        packing=_packing_table(summary),
        left_out="\n".join(left_out) or "None.",
        columns="\n".join(f"| `{column.name}` | {column.description} |" for column in columns),
        labels=_LOSS_DESCRIPTIONS[summary.loss],
    )


def _tokenizer_text(name: str) -> str:
    """ "bpe:2048" -> "`bpe:2048`, trained on these traces, in `tokenizer/`" """
    if name == "llama3":
        return "`llama3`, with the special tokens of CWM"
    if name == "bytes" or name.startswith("bpe:"):
        return f"`{name}`, trained on these traces, in `tokenizer/`"
    return "in `tokenizer/`"


def _packing_table(summary: ExportSummary) -> str:
    rows = [
        f"| {packing.budget:,} | {packing.fitting:,} | {packing.longer:,} | {packing.bins:,} | "
        f"{packing.fill:.1%} | {packing.fill_unpacked:.1%} |"
        for packing in summary.packing
    ]
    head = (
        "| tokens per row | examples that fit | longer | rows, packed | filled | filled, unpacked |"
    )
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def _size_category(examples: int) -> str:
    """Size category of Hugging Face: 5,000 -> "1K<n<10K" """
    return next((name for limit, name in _SIZE_CATEGORIES if examples < limit), "n>1M")
