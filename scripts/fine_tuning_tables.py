"""A fine-tuned chat model against the untouched one: correct answers, and answers without a trace.

    python -m scripts.fine_tuning_tables RUNS
    python -m scripts.fine_tuning_tables source-export EXPORT OUTPUT

RUNS has a run SET-MODEL for each set of programs (held-out, cruxeval) and each model: `untouched`
and `tuned` are asked for answers alone (codec chat), `tuned-trace` for a trace in the codec of its
training, and `source` is a model that was trained on the source text of the same programs, without
traces. docs/findings/training-loop.md has the commands.

`source-export` writes that training data: the prompts of an export, all of whose tokens have a
loss, and no traces.
"""

import shutil
import sys
from pathlib import Path

from scripts.markdown_table import cell, points, table
from worldline.evaluation.metrics import accuracy, compare_runs
from worldline.evaluation.runs import read_scored_samples

SETS = ("held-out", "cruxeval")
# Runs to compare, as (what is shown, first, second).
COMPARISONS = (
    ("answer alone → trace after the training", "untouched", "tuned-trace"),
    ("answer alone, before and after training on traces", "untouched", "tuned"),
    ("answer alone, before and after training on sources", "untouched", "source"),
    ("answer alone, sources → traces", "source", "tuned"),
)


def main() -> None:
    """Print the table, or write the training data without traces."""
    if sys.argv[1] == "source-export":
        write_source_export(Path(sys.argv[2]), Path(sys.argv[3]))
        return
    runs = Path(sys.argv[1])
    lines = []
    for programs in SETS:
        for name, first, second in COMPARISONS:
            paths = [runs / f"{programs}-{model}" for model in (first, second)]
            if not all(path.exists() for path in paths):
                continue
            before, after = map(read_scored_samples, paths)
            lines.append(
                [
                    f"{programs}: {name}",
                    cell(accuracy(before).of_all),
                    cell(accuracy(after).of_all),
                    points(compare_runs(before, after).overall.difference),
                    f"{accuracy(before).truncated} → {accuracy(after).truncated}",
                ]
            )
    print(table(["programs", "first", "second", "difference", "truncated"], lines))


def write_source_export(export: Path, output: Path) -> None:
    """Write an export of the prompts alone, in which every token has a loss."""
    import pyarrow
    from pyarrow import parquet

    shutil.copytree(export, output, ignore=shutil.ignore_patterns("*.parquet"))
    for path in sorted((export / "data").glob("*.parquet")):
        rows = parquet.read_table(path).to_pylist()
        for row in rows:
            size = next(n for n, label in enumerate(row["labels"]) if label >= 0)
            row["input_ids"] = row["input_ids"][:size]
            row["labels"] = row["input_ids"]
            row["action_mask"], row["state_mask"] = [1] * size, [0] * size
        schema = parquet.read_schema(path)
        target = output / "data" / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), target)


if __name__ == "__main__":
    main()
