"""What an export holds goes in; its data card comes out, for people and for Hugging Face."""

from collections.abc import Sequence
from importlib.metadata import version

from worldline.store import Column
from worldline.training.summary import ExportSummary, summary_lines

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))

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

Executions of Python programs, recorded step by step, as a model is to write them. One row is one
program: `prompt` is its source with the call to follow, `completion` every step of what really
happened.

| | |
|---|---|
| format | `{codec}` |
| tokenizer | {tokenizer} |
| loss | {loss} |
| longest example | {longest} |
| made with | worldline {version} |

## What it holds

{counts}

{packing}

Rows are packed longest first, each where it leaves the least room, as TRL's
`packing_strategy="bfd"` does.

## What was left out

{left_out}

## Columns

| column | what it is |
|---|---|
{columns}

`input_ids` are those that `worldline predict` sends for the same program: each special token is
one id, and the text between two of them is split by itself. A text in which a program itself
spells a special token is ordinary text here; a tokenizer that is given `prompt` would take it for
a special one, so use `input_ids`.

## The masks

`action_mask` is 1 on tokens that say which line is executed next and by which event, `state_mask`
on those that say what the variables, or a value returned or raised, are. On every token of the
completion exactly one of them is 1, on the prompt neither is. `labels` here: {labels}. For
another choice, make them anew:

```python
def only_states(row):
    pairs = zip(row["input_ids"], row["state_mask"])
    return {{"labels": [token if learned else -100 for token, learned in pairs]}}

dataset = dataset.map(only_states)
```

## How to load it

```python
from datasets import load_dataset

# In this folder.
dataset = load_dataset("parquet", data_files="data/train-*.parquet", split="train")
```

TRL's `SFTTrainer` takes `input_ids` and `labels` as they are and drops the other columns. Its
`max_length` is 1,024 unless it is set, and cuts what is longer: set it to the length that you
train with, or to `None`.

## Before you train

Compare with what you will measure on: programs of a benchmark must not be among these.
`program_hash` is the same for the same text and input, and differs where a letter does, so look
for the benchmark's functions in `prompt`, too.
"""
_LABELS = {
    "all": "loss on all of the completion",
    "actions": "loss on actions only",
    "states": "loss on states only",
}


def card_text(summary: ExportSummary, columns: Sequence[Column]) -> str:
    """The data card of an export, in Markdown; the same for the same export."""
    lines = summary_lines(summary)
    left_out = [f"- {count:,}: {reason}" for reason, count in summary.left_out.items()]
    longest = "any" if summary.max_tokens is None else f"{summary.max_tokens:,} tokens"
    return _CARD.format(
        size=_size(summary.examples),
        codec=summary.codec,
        tokenizer=_tokenizer(summary.tokenizer),
        loss=summary.loss,
        longest=longest,
        version=version("worldline"),
        counts="\n".join(f"- {line}" for line in lines[:3]),
        packing=_packing(summary),
        left_out="\n".join(left_out) or "Nothing.",
        columns="\n".join(f"| `{column.name}` | {column.about} |" for column in columns),
        labels=_LABELS[summary.loss],
    )


def _tokenizer(name: str) -> str:
    """ "bpe:2048" -> "`bpe:2048`, made from these traces, in `tokenizer/`" """
    if name == "llama3":
        return "`llama3`, with the special tokens of CWM's vocabulary"
    made = name == "bytes" or name.startswith("bpe:")
    return f"`{name}`, made from these traces, in `tokenizer/`" if made else "in `tokenizer/`"


def _packing(summary: ExportSummary) -> str:
    rows = [
        f"| {found.budget:,} | {found.fitting:,} | {found.longer:,} | {found.bins:,} | "
        f"{found.fill:.1%} | {found.fill_unpacked:.1%} |"
        for found in summary.packing
    ]
    head = (
        "| tokens a row | examples that fit | longer | rows, packed | filled | filled, unpacked |"
    )
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def _size(examples: int) -> str:
    """As Hugging Face counts: 5,000 -> "1K<n<10K" """
    return next((name for most, name in _SIZES if examples < most), "n>1M")
