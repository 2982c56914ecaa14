"""A run goes in; its failures are asked again with one thing changed, each such change a run of its
own beside it."""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from worldline.diagnose import Sample
from worldline.engines import Engine
from worldline.errors import InputError
from worldline.intervene import (
    CALLED_FOR,
    CONFIRMED_BY_EXECUTION,
    INTERVENTIONS,
    InterventionName,
    is_rewrite,
    question_with,
    rewritten_program,
    settings_with,
)
from worldline.predict import IN_FLIGHT, Question, repeat_id
from worldline.recorders import Recorder
from worldline.runs.asking import ask_into
from worldline.runs.judged import Judged, Verdict
from worldline.runs.manifest import Manifest
from worldline.runs.reading import is_run, read_judged, read_manifest, read_run
from worldline.runs.replay import examine
from worldline.runs.rows import row_to_judged, row_to_prediction
from worldline.runs.run import Run
from worldline.runs.verdict import expects
from worldline.tokens import Tokenizer

FOLDER = "interventions"
# Times that a failure is drawn again.
DRAWS = 4


@dataclass(frozen=True, slots=True)
class Failures:
    """What there is to intervene on: samples that failed, and some that were right, to see what a
    change breaks. `left_out`: samples that failed and have no cause to be removed, by outcome.
    """

    manifest: Manifest
    failed: tuple[Sample, ...]
    right: tuple[Sample, ...] = ()
    left_out: Counter[str] = field(default_factory=Counter)


def find_failures(address: str | Path, recorder: Recorder, *, right: int = 0) -> Failures:
    """Execute and diagnose again what failed in a run, and so many of what was right in it."""
    manifest = read_manifest(address)
    settings = manifest.settings
    if settings is None or settings.mode != "free" or settings.from_step or settings.temperature:
        raise InputError(
            f"{address} was not asked with --mode free and --temperature 0, from the beginning: "
            "what a change does to it would not be told from what the mode or chance does; ask "
            "again with worldline bench"
        )
    rows = read_run(address)
    judged = list(map(row_to_judged, rows))
    failed = [n for n, row in enumerate(judged) if is_explained(row)]
    left_out = Counter(
        row.outcome for row in judged if row.verdict != "right" and not is_explained(row)
    )
    fine = [n for n, row in enumerate(judged) if row.verdict == "right"]
    chosen = fine[:: max(1, len(fine) // right)][:right] if right else []

    def examined(numbers: Iterable[int]) -> tuple[Sample, ...]:
        return tuple(_examined(rows[n], address, recorder, manifest) for n in numbers)

    return Failures(manifest, examined(failed), examined(chosen), left_out)


def is_explained(row: Judged) -> bool:
    """Whether a sample failed, and it is known in what."""
    return row.verdict not in ("right", "failed") and row.cause is not None


def _examined(
    row: dict[str, Any], address: str | Path, recorder: Recorder, manifest: Manifest
) -> Sample:
    prediction = row_to_prediction(row, f"{row['sample']} in {address}")
    return examine(prediction, recorder, limits=manifest.limits, is_measured=True)


def wanted(
    name: InterventionName,
    failures: Failures,
    *,
    is_all: bool = False,
    unconfirmed: frozenset[str],
) -> list[Question]:
    """The questions to ask with an intervention: of the samples that are `unconfirmed`, those whose
    cause calls for it, or all that it can be done to; and right ones, where it takes no truth."""
    asked = [
        sample
        for sample in failures.failed
        if is_all or (sample.prediction.id in unconfirmed and name in called_for(sample))
    ]
    if not INTERVENTIONS[name].needs_truth and (asked or is_all):
        asked += failures.right
    questions = (question_with(name, sample) for sample in asked)
    return [question for question in questions if question is not None]


def called_for(sample: Sample) -> tuple[InterventionName, ...]:
    """What would remove the cause of a failure, and nothing else."""
    cause = sample.diagnosis.cause
    return CALLED_FOR.get(cause.name, ()) if cause else ()


def intervene_into(
    address: str | Path,
    name: InterventionName,
    questions: Sequence[Question],
    engine: Callable[[], Engine],
    recorder: Recorder,
    base: Manifest,
    *,
    draws: int = DRAWS,
    is_restarted: bool = False,
    tokenizer: Tokenizer | None = None,
    in_flight: int = IN_FLIGHT,
) -> Generator[Judged]:
    """Ask with one thing changed, into a run beside the one at this address; what it has already is
    not asked again."""
    assert base.settings is not None
    manifest = replace(
        base,
        options={**base.options, "intervention": name, "run_of": _beginning(base)},
        questions=len(questions),
        questions_hash="",
        left_out={},
        facets={},
        repeats=draws if name == "resample" else 1,
        settings=settings_with(name, base.settings),
        sessions=(),
    )
    with Run(intervention_run(address, name), is_restarted=is_restarted) as run:
        if questions:
            # Another model would be refused.
            run.begin(manifest)
        yield from ask_into(
            run,
            questions,
            engine,
            recorder,
            manifest,
            is_right=expects,
            tokenizer=tokenizer,
            in_flight=in_flight,
        )


def intervention_run(address: str | Path, name: InterventionName) -> str:
    """Where the run of an intervention is: "runs/a", "patch" -> "runs/a/interventions/patch"."""
    folder, mark, rest = str(address).partition("?")
    return f"{folder.rstrip('/')}/{FOLDER}/{name}{mark}{rest}"


def read_interventions(address: str | Path) -> dict[InterventionName, list[Judged]]:
    """What was tried on a run so far, cheapest first; none where nothing was."""
    return {name: read_judged(intervention_run(address, name)) for name in _tried(address)}


def _tried(address: str | Path) -> list[InterventionName]:
    """The interventions that there are of a run; not those of one that stood there before."""
    begun = _beginning(read_manifest(address))
    runs = {name: intervention_run(address, name) for name in INTERVENTIONS}
    return [
        name
        for name, run in runs.items()
        if is_run(run) and read_manifest(run).options.get("run_of") == begun
    ]


def _beginning(manifest: Manifest) -> str:
    """When a run was begun, which tells it from any other in its place."""
    return str(manifest.sessions[0]["at"]) if manifest.sessions else ""


def confirmed_causes(
    base: Sequence[Judged], tried: Mapping[InterventionName, Sequence[Judged]]
) -> dict[str, str]:
    """For each sample whose cause is confirmed, by its name, what confirmed it."""
    found: dict[str, str] = {}
    rights = {name: _right_by_sample(rows) for name, rows in tried.items()}
    for row in base:
        if not is_explained(row):
            continue
        name = sample_name(row)
        cause: Any = row.cause
        if cause in CONFIRMED_BY_EXECUTION:
            found[name] = "execution"
            continue
        for intervention in CALLED_FOR.get(cause, ()):
            if rights.get(intervention, {}).get(name):
                found[name] = intervention
                break
    return found


def _right_by_sample(rows: Sequence[Judged]) -> dict[str, bool]:
    """Whether each sample was right, at least every second time that it was asked."""
    shares: dict[str, list[bool]] = {}
    for row in rows:
        if row.verdict != "failed":
            shares.setdefault(row.sample, []).append(row.verdict == "right")
    return {sample: 2 * sum(rights) >= len(rights) for sample, rights in shares.items()}


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of one intervention on one sample: its verdict, how many steps are right, and where
    it left reality again, by the line of the original program (0: one that a rewrite brought in).
    """

    intervention: InterventionName
    verdict: Verdict
    matched_steps: int | None
    cause: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Attempts:
    """All that was tried on the samples of a run, cheapest first: the rows, by sample."""

    rows: Mapping[InterventionName, Mapping[str, Sequence[Mapping[str, Any]]]]

    def on(self, sample: Sample) -> list[Attempt]:
        """What was tried on one sample; a draw each of `resample`."""
        found = []
        for name, rows in self.rows.items():
            tried = rows.get(sample.prediction.id, ())
            rewritten = rewritten_program(name, sample) if tried and is_rewrite(name) else None
            for row in tried:
                line = row.get("executed_line")
                if rewritten is not None and line is not None:
                    line = rewritten.origin(line)
                found.append(
                    Attempt(name, row["verdict"], row.get("matched_steps"), row.get("cause"), line)
                )
        return found


def read_attempts(address: str | Path) -> Attempts:
    """All that was tried on the samples of a run."""
    columns = ["verdict", "matched_steps", "cause", "executed_line"]
    found: dict[InterventionName, dict[str, list[dict[str, Any]]]] = {}
    for name in _tried(address):
        rows = found.setdefault(name, {})
        for row in read_run(intervention_run(address, name), columns=columns):
            rows.setdefault(row["sample"], []).append(row)
    return Attempts(found)


def with_confirmed(sample: Sample, confirmed: Mapping[str, str]) -> Sample:
    """The same, with what confirmed its cause."""
    cause, by = sample.diagnosis.cause, confirmed.get(sample.prediction.id)
    if cause is None or by is None:
        return sample
    diagnosis = replace(sample.diagnosis, cause=replace(cause, confirmed_by=by))
    return replace(sample, diagnosis=diagnosis)


def sample_name(row: Judged) -> str:
    """How the runs of interventions call a sample: with the number of its repeat."""
    return repeat_id(row.sample, row.repeat)
