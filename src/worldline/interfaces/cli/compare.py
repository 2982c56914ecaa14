"""`worldline compare`: what changed from one run to another, and a gate on these changes."""

import json
import os
from pathlib import Path

import click
from rich.text import Text

from worldline.core.errors import InputError
from worldline.core.trace import printable
from worldline.evaluation.metrics import GateResult, RunComparison, parse_condition
from worldline.interfaces.api.comparing import check_gate
from worldline.interfaces.api.evaluating import compare as compare_runs
from worldline.interfaces.api.evaluating import setting_differences
from worldline.interfaces.cli.console import write_result
from worldline.interfaces.cli.help_sections import command
from worldline.interfaces.cli.shared_options import format_option
from worldline.interfaces.report import (
    comparison_markdown,
    comparison_story,
    comparison_to_json,
    gate_line,
    gate_to_json,
    gate_to_junit,
    make_console,
    settings_lines,
)

# The exit code of a gate that fails. Usage errors have 2, as everywhere.
FAILED = 1
GITHUB_SUMMARY = "GITHUB_STEP_SUMMARY"


@command(
    examples=(
        "worldline compare runs/base runs/tuned",
        "worldline compare runs/base runs/tuned --fail-if 'accuracy<-2:significant'",
        "worldline compare runs/a runs/b --fail-if 'truncated>2' --summary",
        "worldline compare runs/cruxeval-chat runs/cruxeval-x-js-chat",
    )
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option("--all-groups", is_flag=True, help="List every group, not only the first 12.")
@click.option(
    "--fail-if",
    multiple=True,
    metavar="CONDITION",
    help="Exit with 1 if the change from A to B meets this condition: accuracy<-2 if the accuracy "
    "falls by more than 2 points, accuracy<-2:significant if that is also significant "
    "(repeatable).",
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --fail-if, write a JUnit XML file with one test case for each condition.",
)
@click.option(
    "--summary",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Append the comparison to a file, as Markdown.  [without FILE: the summary of the GitHub "
    f"job, ${GITHUB_SUMMARY}]",
)
@format_option()
def compare(
    a: str,
    b: str,
    all_groups: bool,
    fail_if: tuple[str, ...],
    junit: Path | None,
    summary: str | None,
    form: str,
) -> None:
    """Compare two runs sample by sample.

    Shows which samples B gained and lost relative to A, with paired tests, overall and by group
    (samples with the same diagnosis, facet or difficulty). Samples that only one run has, or that
    have an infrastructure error in either run, are not compared.

    With --fail-if, the last line says whether B passed or failed, and why. The exit code is 1 if B
    failed. A condition is a measure (accuracy, correct, truncated, no_answer, cause[NAME],
    operation[NAME], steps, tokens or samples), a comparison and a number. The guide "Compare two
    runs" describes all conditions.
    """
    if junit is not None and not fail_if:
        raise InputError("--junit writes the results of conditions; give one with --fail-if")
    for condition in fail_if:
        parse_condition(condition)
    summary_file = None if summary is None else _summary_file(summary)
    changed = setting_differences(a, b)
    comparison = compare_runs(a, b)
    gate = check_gate(a, b, fail_if) if fail_if else None
    if form == "json":
        result = {"a": a, "b": b, "settings": changed, **comparison_to_json(comparison)}
        if gate is not None:
            result["gate"] = gate_to_json(gate)
        click.echo(json.dumps(result, indent=1))
    else:
        console = make_console()
        for line in (f"A {a}", f"B {b}", *settings_lines(changed)):
            console.print(Text(printable(line)), soft_wrap=True)
        console.print(comparison_story(comparison, all_groups=all_groups))
    warn_of_programs(comparison)
    if summary_file is not None:
        _append(summary_file, comparison_markdown(comparison, base=a, new=b, gate=gate))
    if gate is not None:
        if junit is not None:
            write_result(gate_to_junit(gate, base=a, new=b), junit)
        _finish(gate, is_json=form == "json")


def _finish(gate: GateResult, *, is_json: bool) -> None:
    # With JSON, standard output contains nothing else.
    click.echo(gate_line(gate), err=is_json)
    if not gate.has_passed:
        raise click.exceptions.Exit(FAILED)


def _summary_file(name: str) -> Path:
    """The file that is named, or else that of the GitHub job."""
    file = name or os.environ.get(GITHUB_SUMMARY)
    if not file:
        raise InputError(
            f"--summary without a file needs {GITHUB_SUMMARY}, which GitHub sets; name a file"
        )
    return Path(file)


def _append(path: Path, text: str) -> None:
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error


def warn_of_programs(comparison: RunComparison) -> None:
    """Warn if the two runs have different programs under the same names."""
    # Programs in two languages are different by intention.
    if comparison.reworded and not comparison.is_across_languages:
        click.echo(
            f"worldline: {comparison.reworded} of {comparison.overall.samples} shared samples have "
            "a different program in B: it was rewritten, or the benchmarks differ",
            err=True,
        )
