"""Runs of interventions: each is stored in a folder of the run that it belongs to."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from worldline.analysis.interventions import (
    INTERVENTIONS,
    InterventionName,
    is_rewrite,
    modify_settings,
    rewrite_program,
)
from worldline.evaluation.runs.evaluate import evaluate_into_run
from worldline.evaluation.runs.legacy import old_names
from worldline.evaluation.runs.manifest import Manifest
from worldline.evaluation.runs.run_reader import (
    is_run,
    read_manifest,
    read_run,
    read_scored_samples,
)
from worldline.evaluation.runs.run_writer import RunWriter
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.evaluation.runs.verdict import is_expected
from worldline.languages.python.recorder import Recorder
from worldline.models.engines import Engine
from worldline.models.prediction import DEFAULT_CONCURRENCY, Question, program_from_row, repeat_id
from worldline.models.tokenizers import Tokenizer

FOLDER = "interventions"
# Repeats of `resample`.
RESAMPLE_REPEATS = 4


def run_intervention(
    address: str | Path,
    name: InterventionName,
    questions: Sequence[Question],
    engine: Callable[[], Engine],
    recorder: Recorder,
    base: Manifest,
    *,
    draws: int = RESAMPLE_REPEATS,
    restart: bool = False,
    tokenizer: Tokenizer | None = None,
    concurrency: int = DEFAULT_CONCURRENCY,
) -> Generator[ScoredSample]:
    """Predict modified questions into a run of their own; resume it if it exists.

    Args:
        address: The location of the run that is intervened on.
        name: The intervention.
        questions: The modified questions.
        engine: Opens the engine.
        recorder: Executes the programs.
        base: The manifest of the run that is intervened on.
        draws: Repeats of `resample`; other interventions are predicted once.
        restart: Delete the earlier samples of the intervention and begin again.
        tokenizer: The model's tokenizer.
        concurrency: Requests sent at the same time.

    Yields:
        Every new sample, as soon as it is stored.
    """
    assert base.settings is not None
    manifest = replace(
        base,
        options={**base.options, "intervention": name, "run_of": _start_time(base)},
        questions=len(questions),
        questions_hash="",
        left_out={},
        facets={},
        repeats=draws if name == "resample" else 1,
        settings=modify_settings(name, base.settings),
        sessions=(),
    )
    with RunWriter(intervention_run(address, name), restart=restart) as run:
        if questions:
            # With the model of the base run, so that a different model is refused.
            run.begin(manifest)
        yield from evaluate_into_run(
            run,
            questions,
            engine,
            recorder,
            manifest,
            is_correct=is_expected,
            tokenizer=tokenizer,
            concurrency=concurrency,
        )


def intervention_run(address: str | Path, name: InterventionName) -> str:
    """The location of an intervention's run.

    "runs/a", "patch" -> "runs/a/interventions/patch"

    A run under an old name of the intervention is used if there is none under the new name.
    """
    folder, mark, query = str(address).partition("?")
    location, *old_locations = (
        f"{folder.rstrip('/')}/{FOLDER}/{directory}{mark}{query}"
        for directory in (name, *old_names(name))
    )
    return next((old for old in old_locations if is_run(old) and not is_run(location)), location)


def read_interventions(address: str | Path) -> dict[InterventionName, list[ScoredSample]]:
    """Read the samples of all interventions on a run, cheapest intervention first.

    The lines of rewritten programs are replaced by the original ones.
    """
    names = stored_interventions(address)
    samples = {name: read_scored_samples(intervention_run(address, name)) for name in names}
    if not any(map(is_rewrite, names)):
        return samples
    rewritten = {s.sample for name in names if is_rewrite(name) for s in samples[name]}
    columns = ("code", "context", "call", "stdin", "language", "executed_line")
    rows = read_run(address, columns=columns)
    rows_by_name = {repeat_id(row["sample"], row["repeat"]): row for row in rows}
    base = {name: row for name, row in rows_by_name.items() if name in rewritten}
    return {
        name: [_with_original_line(name, each, base) for each in samples[name]]
        if is_rewrite(name)
        else samples[name]
        for name in names
    }


def _with_original_line(
    intervention: InterventionName, sample: ScoredSample, base: Mapping[str, dict[str, Any]]
) -> ScoredSample:
    """A sample of a rewritten program, with the line of the original program."""
    row = base.get(sample.sample)
    if row is None or sample.executed_line is None:
        return sample
    fields = {name: value for name, value in row.items() if value is not None}
    program = program_from_row(fields, sample.sample)
    result = rewrite_program(intervention, program.text, row.get("executed_line"))
    if result is None:
        return sample
    return replace(sample, executed_line=result.origin(sample.executed_line))


def stored_interventions(address: str | Path) -> list[InterventionName]:
    """The interventions on a run; not those on an earlier run at the same location."""
    start_time = _start_time(read_manifest(address))
    runs = {name: intervention_run(address, name) for name in INTERVENTIONS}
    return [
        name
        for name, run in runs.items()
        if is_run(run) and read_manifest(run).options.get("run_of") == start_time
    ]


def _start_time(manifest: Manifest) -> str:
    """When a run was begun; it identifies the run among others at the same location."""
    return str(manifest.sessions[0]["at"]) if manifest.sessions else ""
