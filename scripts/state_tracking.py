"""State tracking of two architectures: a Transformer, and a hybrid with gated DeltaNet layers.

    python -m scripts.state_tracking train FOLDER [--task swaps] [--tokens N] [--seeds 3]
    python -m scripts.state_tracking table FOLDER [--picture FILE]

A program changes five values in each line, and prints all of them after every k lines. In the task
`swaps` a line swaps two of them; in the task `composition` it applies one of ten functions to the
list of all, such as reversing it or adding 1 to each value. The model sees the lines and has to
write the printed values. `train` trains each architecture with each seed in stages: first with k =
1, then further with k = 2, 4, 8 and 16, and at last with one print at the end (`--every` chooses
other stages). Every stage has the same number of tokens. After a stage, the model is tested on
programs with the k of the stage, of the training's length and longer ones. The results are in
FOLDER, one file per stage, with the weights next to them. If interrupted, run the same command
again to resume: finished stages are not repeated. `table` prints the results.

The DeltaNet layers have eigenvalues in [-1, 1] (`linear_allow_neg_eigval`), which swaps need.
"""

import argparse
import json
import math
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from scripts.markdown_table import seed_difference, spread, table

Function = Callable[[list[int]], list[int]]
VARIABLES = 5
PAIRS = [(a, b) for a in range(VARIABLES) for b in range(a)]


def swap(first: int, second: int) -> Function:
    """Function that swaps two values."""

    def apply(values: list[int]) -> list[int]:
        changed = list(values)
        changed[first], changed[second] = values[second], values[first]
        return changed

    return apply


# What a line does. Both tasks have ten functions; those of `composition` permute the list, map its
# values (modulo 5) or both; one of them loses a value.
TASKS: dict[str, tuple[Function, ...]] = {
    "swaps": tuple(swap(*pair) for pair in PAIRS),
    "composition": (
        lambda x: x[::-1],
        lambda x: [*x[1:], x[0]],
        lambda x: [x[-1], *x[:-1]],
        lambda x: [x[1], x[0], *x[2:]],
        lambda x: [x[0], *x[3:], *x[1:3]],
        lambda x: [(each + 1) % VARIABLES for each in x],
        lambda x: [2 * each % VARIABLES for each in x],
        lambda x: [(x[0] + x[1]) % VARIABLES, *x[1:]],
        lambda x: [*x[:4], x[0]],
        lambda x: [*x[:4], (x[4] + x[2]) % VARIABLES],
    ),
}
# Token ids: values, functions, the beginning, and `print`.
FIRST_FUNCTION = VARIABLES
BEGIN = FIRST_FUNCTION + len(PAIRS)
PRINT = BEGIN + 1
VOCABULARY = PRINT + 1
TRAINED_LENGTH = 64
TESTED_LENGTHS = (64, 128, 256)
# Lines between two prints; the last is one print at the end.
EVERY = (1, 2, 4, 8, 16, 64)
ARCHITECTURES = ("transformer", "deltanet")
WIDTH, LAYERS, HEADS = 64, 2, 4
BATCH_TOKENS = 1024
TEST_PROGRAMS = 100


@dataclass(frozen=True, slots=True)
class Setting:
    """What is trained: `stages` are the k of the stages, and `tokens` those of each stage."""

    task: str
    architecture: str
    seed: int
    stages: tuple[int, ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Tracked:
    """One tested length: of the printed values, how many are right, and of whole programs."""

    length: int
    prints_right: int
    prints: int
    programs_right: int
    programs: int


@dataclass(frozen=True, slots=True)
class Result:
    """One finished stage: a model, and what it tracks. `tokens` are those of the stage."""

    architecture: str
    every: int
    seed: int
    parameters: int
    tokens: int
    seconds: float
    loss: float
    tracked: tuple[Tracked, ...]


def main() -> None:
    """Read the arguments and run one of the commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train")
    train.add_argument("folder", type=Path)
    train.add_argument("--task", choices=TASKS, default="swaps")
    train.add_argument("--every", type=int, nargs="+", choices=EVERY, default=EVERY)
    train.add_argument("--tokens", type=int, default=800_000)
    train.add_argument("--seeds", type=int, default=3)
    train.add_argument("--threads", type=int, default=1)
    tables = commands.add_parser("table")
    tables.add_argument("folder", type=Path)
    tables.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "train":
        torch_threads(arguments.threads)
        arguments.folder.mkdir(parents=True, exist_ok=True)
        for seed in range(arguments.seeds):
            for architecture in ARCHITECTURES:
                setting = Setting(
                    arguments.task, architecture, seed, tuple(arguments.every), arguments.tokens
                )
                train_stages(arguments.folder, setting)
    results = read_results(arguments.folder)
    print(result_table(results))
    if arguments.command == "table" and arguments.picture:
        draw(results, arguments.picture)


# -- data -------------------------------------------------------------------------------------


def write_program(
    random: Random, task: str, length: int, every: int
) -> tuple[list[int], list[int]]:
    """The tokens of a program with its prints, and the positions of the printed values.

    every=1 -> begin 2 0 1 4 3 swap print 0 2 1 4 3 swap print …
    """
    functions = TASKS[task]
    state = random.sample(range(VARIABLES), VARIABLES)
    tokens = [BEGIN, *state]
    positions: list[int] = []
    for line in range(1, length + 1):
        number = random.randrange(len(functions))
        state = functions[number](state)
        tokens.append(FIRST_FUNCTION + number)
        if line % every == 0 or line == length:
            tokens.append(PRINT)
            positions += range(len(tokens), len(tokens) + VARIABLES)
            tokens += state
    return tokens, positions


def batches(random: Random, task: str, every: int, tokens: int) -> Iterator[tuple[Any, Any, int]]:
    """Batches of programs: ids, a mask of the printed values, and the number of tokens so far."""
    import torch

    done = 0
    while done < tokens:
        rows = [write_program(random, task, TRAINED_LENGTH, every)]
        rows += [
            write_program(random, task, TRAINED_LENGTH, every)
            for _ in range(BATCH_TOKENS // len(rows[0][0]) - 1)
        ]
        ids = torch.tensor([row for row, _ in rows])
        mask = torch.zeros_like(ids, dtype=torch.bool)
        mask[:, rows[0][1]] = True
        done += ids.numel()
        yield ids, mask, done


# -- models -----------------------------------------------------------------------------------


def create_model(architecture: str, seed: int) -> Any:
    """An untrained model; both architectures have nearly the same number of parameters."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM, OlmoHybridConfig, OlmoHybridForCausalLM

    torch.manual_seed(seed)
    shape: dict[str, Any] = {
        "vocab_size": VOCABULARY,
        "hidden_size": WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS,
        "max_position_embeddings": 4096,
        "pad_token_id": None,
        "bos_token_id": BEGIN,
        "eos_token_id": None,
        "tie_word_embeddings": True,
    }
    if architecture == "transformer":
        return LlamaForCausalLM(LlamaConfig(**shape, intermediate_size=224))
    return OlmoHybridForCausalLM(
        OlmoHybridConfig(
            **shape,
            intermediate_size=160,
            layer_types=["linear_attention", "full_attention"],
            linear_num_key_heads=HEADS,
            linear_num_value_heads=HEADS,
            linear_key_head_dim=16,
            linear_value_head_dim=32,
            linear_allow_neg_eigval=True,
        )
    )


def torch_threads(threads: int) -> None:
    """Set the number of threads of torch."""
    import torch

    torch.set_num_threads(threads)


def train_stages(folder: Path, setting: Setting) -> None:
    """Train one model from dense to sparse prints, and store what it tracks after each stage."""
    import torch

    model = create_model(setting.architecture, setting.seed)
    for every in setting.stages:
        file = folder / f"{setting.architecture}-{every}-{setting.seed}.json"
        weights = file.with_suffix(".pt")
        if file.exists():
            model.load_state_dict(torch.load(weights, weights_only=True))
            continue
        result = train_stage(model, setting, every)
        torch.save(model.state_dict(), weights)
        # Written last: it says that the stage is finished.
        file.write_text(json.dumps(asdict(result)))
        shares = ", ".join(
            f"N={each.length}: {each.prints_right / each.prints:.1%}" for each in result.tracked
        )
        print(
            f"{file.stem}: {shares} of the prints, {result.seconds:.0f} s",
            file=sys.stderr,
            flush=True,
        )


def train_stage(model: Any, setting: Setting, every: int) -> Result:
    """Train a model further with one k, and test it."""
    import torch

    tokens = setting.tokens
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.01)
    started, loss = time.monotonic(), torch.tensor(math.nan)
    # The task `swaps` has no name in its seed, so that earlier results can be repeated.
    name = "" if setting.task == "swaps" else f"{setting.task} "
    random = Random(f"train {name}{setting.seed} {every}")
    for ids, mask, done in batches(random, setting.task, every, tokens):
        progress = done / tokens
        rate = min(1.0, progress / 0.05) * (0.05 + 0.95 * (1 + math.cos(math.pi * progress)) / 2)
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * rate
        logits = model(input_ids=ids, use_cache=False).logits[:, :-1]
        targets = mask[:, 1:]
        loss = torch.nn.functional.cross_entropy(logits[targets], ids[:, 1:][targets])
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    seconds = time.monotonic() - started
    return Result(
        setting.architecture,
        every,
        setting.seed,
        sum(weight.numel() for weight in model.parameters()),
        tokens,
        seconds,
        float(loss.detach()),
        tuple(test_model(model, setting.task, every, length) for length in TESTED_LENGTHS),
    )


def test_model(model: Any, task: str, every: int, length: int) -> Tracked:
    """Ask for the printed values of other programs, given the prints before.

    A print is right if all its values are; a program, if all its prints are. A model whose program
    is right writes it without an error when it continues from its own prints, too.
    """
    import torch

    random = Random(f"test {length}")
    step = min(every, length) if every < TRAINED_LENGTH else length
    rows = [write_program(random, task, length, step) for _ in range(TEST_PROGRAMS)]
    positions = torch.tensor(rows[0][1])
    right = []
    with torch.no_grad():
        for first in range(0, len(rows), 20):
            ids = torch.tensor([row for row, _ in rows[first : first + 20]])
            chosen = model(input_ids=ids, use_cache=False).logits.argmax(-1)
            is_right = chosen[:, positions - 1] == ids[:, positions]
            right.append(is_right.view(len(ids), -1, VARIABLES).all(-1))
    prints = torch.cat(right)
    return Tracked(
        length,
        int(prints.sum()),
        prints.numel(),
        int(prints.all(-1).sum()),
        len(prints),
    )


# -- tables -----------------------------------------------------------------------------------


def read_results(folder: Path) -> list[Result]:
    """The results in a folder, of the stages that all architectures have finished with a seed."""
    rows = [json.loads(file.read_text()) for file in sorted(folder.glob("*-*-*.json"))]
    results = [
        Result(**{**row, "tracked": tuple(Tracked(**each) for each in row["tracked"])})
        for row in rows
    ]
    finished = Counter((result.every, result.seed) for result in results)
    return [each for each in results if finished[each.every, each.seed] == len(ARCHITECTURES)]


def shares(results: Sequence[Result], architecture: str, every: int, length: int) -> list[float]:
    """Per seed, the share of prints that are right."""
    return [
        each.prints_right / each.prints
        for result in results
        if (result.architecture, result.every) == (architecture, every)
        for each in result.tracked
        if each.length == length
    ]


def result_table(results: Sequence[Result]) -> str:
    """Mean share of right prints over the seeds, with the lowest and the highest."""
    by_architecture: dict[str, set[int]] = defaultdict(set)
    for result in results:
        by_architecture[result.architecture].add(result.parameters)
    lines = []
    for every in EVERY:
        for length in TESTED_LENGTHS:
            cells = [str(every) if every < TRAINED_LENGTH else "end", str(length)]
            drawn = {name: shares(results, name, every, length) for name in ARCHITECTURES}
            if not all(drawn.values()):
                continue
            cells += [spread(drawn[name]) for name in ARCHITECTURES]
            pairs = zip(drawn["deltanet"], drawn["transformer"], strict=True)
            cells.append(seed_difference([a - b for a, b in pairs]))
            lines.append(cells)
    sizes = {name: max(by_architecture[name], default=0) for name in ARCHITECTURES}
    heads = [f"{name}, {size:,} parameters" for name, size in sizes.items()]
    return table(["lines per print", "N", *heads, "difference, points"], lines)


def draw(results: Sequence[Result], file: Path) -> None:
    """Plot the share of right prints against the lines between two prints."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    measured = [every for every in EVERY if any(each.every == every for each in results)]
    figure, panels = pyplot.subplots(1, len(TESTED_LENGTHS), figsize=(12, 3.8), sharey=True)
    for axes, length in zip(panels, TESTED_LENGTHS, strict=True):
        for name, style in zip(ARCHITECTURES, ("o-", "s-"), strict=True):
            drawn = [shares(results, name, every, length) for every in measured]
            middle = [100 * fmean(each) for each in drawn]
            low = [m - 100 * min(each) for m, each in zip(middle, drawn, strict=True)]
            high = [100 * max(each) - m for m, each in zip(middle, drawn, strict=True)]
            axes.errorbar(
                range(len(measured)), middle, yerr=[low, high], fmt=style, capsize=3, label=name
            )
        axes.set_title(f"N = {length} lines")
        axes.set_xticks(
            range(len(measured)), [str(k) if k < TRAINED_LENGTH else "end" for k in measured]
        )
        axes.set_xlabel("lines between two prints")
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("prints with all values right, %")
    panels[0].legend()
    figure.tight_layout()
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main()
