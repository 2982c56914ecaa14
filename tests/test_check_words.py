"""`scripts/check_words.py` rejects retired terms and nothing else."""

from pathlib import Path

import pytest

from scripts.check_words import (
    RETIRED_NAMES,
    RETIRED_OPTIONS,
    TERMS,
    VAGUE_NAMES,
    Term,
    check_text,
    is_checked,
    main,
)

# For every term, in their order: a sentence that is rejected, and one that is not.
EXAMPLES = (
    ("A trace goes in; steps follow.", "It goes into the journal."),
    ("A page comes out.", "The page comes without one."),
    ("The model found back to it.", "The value found, back in the caller, is 1."),
    ("It could not be had.", "It would be hard."),
    ("The same command goes on.", "It goes on to the next step."),
    ("After so many steps it ends.", "There are so many that it is slow."),
    ("The step behind the divergence.", "A server behind a reverse proxy."),
    ("The user is told of it.", "Stolen, untold."),
    ("Programs are held by bubblewrap.", "The programs are held out."),
    ("What holds programs here.", "A file that holds program text."),
    ("It confesses its cause.", "A confidence interval."),
    ("An imagined step.", "An image of the step."),
    ("It leaves reality.", "A realistic program."),
    ("Compared with the ground truth.", "The truthiness of a value."),
    ("The real execution.", "A real server."),
    ("The true values.", "The value is true."),
    ("Ten requests in flight.", "In-flightless birds."),
    ("Give it more patience.", "The number of attempts."),
    ("The program is unsteady.", "A steadily growing file."),
    ("The result is steady.", "A steady state."),
    ("Files of strangers.", "A strange name."),
    ("It was made otherwise.", "Otherwise it is an error."),
    ("What came of a program.", "What came before."),
    ("None where it is empty.", "A line where it is empty."),
    ("The file beside it.", "It has nothing besides."),
    ("The model's surprise.", "Surprisal (NLL, nats)."),
    ("The whole trace is stored.", "The whole file is stored."),
    ("Whoever reads it.", "The one that reads it."),
    ("Two wrong turns.", "A wrong return value."),
    ("It is right for the wrong reasons.", "It is wrong for several reasons."),
    ("The right answers.", "The upright answer is on the right."),
    ("The output is cut.", "The cutoff is 0.5; a list is cut into shards."),
    ("The abilities of an engine.", "The capabilities of an engine; probability."),
    ("It begins anew.", "It begins a new file."),
    ("Nested at times.", "Run it at several times."),
)


def count(name: str, text: str) -> int:
    return len(check_text(name, text))


def test_every_term_has_an_example() -> None:
    assert len(EXAMPLES) == len(TERMS)


@pytest.mark.parametrize(
    ("term", "example"),
    list(zip(TERMS, EXAMPLES, strict=False)),
    ids=[rejected for rejected, _ in EXAMPLES],
)
def test_terms(term: Term, example: tuple[str, str]) -> None:
    rejected, accepted = example
    findings = check_text("docs/page.md", rejected)
    assert term.instead in [finding.instead for finding in findings], rejected
    assert check_text("docs/page.md", accepted) == []


@pytest.mark.parametrize(
    ("old", "new"), [*RETIRED_NAMES.items(), *RETIRED_OPTIONS.items()], ids=str
)
def test_retired_names_and_options_are_rejected_everywhere(old: str, new: str) -> None:
    for name, text in (
        ("docs/page.md", f"Use `{old}`.\n"),
        ("docs/page.md", f"```sql\nselect {old} from samples\n```\n"),
        ("viewer/src/a.ts", f"const a = row.{old};"),
        ("src/worldline/a.py", f'"""A module."""\nx = {{"{old}": 1}}\n'),
    ):
        (finding,) = check_text(name, text)
        assert (finding.text, finding.instead) == (old, new)
    assert count("docs/page.md", f"`{old}s`, `{new}`, `{old}-x` and `a{old}`") == 0


@pytest.mark.parametrize(
    "text",
    [
        "found = 1",
        "def f(found): ...",
        "def f(*, found=1): ...",
        "def found(): ...",
        "for found in xs: ...",
        "a, found = xs",
        "with f() as found: ...",
        "try: ...\nexcept ValueError as found: ...",
        "[found for found in xs]",
        "lambda found: 1",
        "if (found := f()): ...",
        "class A:\n    found: int",
        "match x:\n    case found: ...",
    ],
)
@pytest.mark.parametrize("name", sorted(VAGUE_NAMES))
def test_vague_names_are_rejected_where_they_are_bound(text: str, name: str) -> None:
    (finding,) = check_text("src/worldline/a.py", text.replace("found", name))
    assert (finding.text, finding.instead) == (name, "a name for what it holds")
    assert finding.line == 1 + text[: text.rindex("found")].count("\n")


@pytest.mark.parametrize(
    "text", ["f(found=1)", "x.found", "x = found", "foundry = 1", "# found", "x = 'found = 1'"]
)
def test_other_uses_of_vague_names_are_accepted(text: str) -> None:
    assert count("src/worldline/a.py", text) == 0


def test_vague_names_are_accepted_in_tests() -> None:
    assert count("tests/a.py", "found = 1") == 0


@pytest.mark.parametrize(
    "opening",
    ["What a run is.", "How to do it.", "Whether it works.", "Where it is.", "Is it whole?"],
)
def test_module_docstrings_that_open_with_a_question_are_rejected(opening: str) -> None:
    text = f'"""{opening}"""\n\n\ndef f() -> bool:\n    """Whether it works."""\n'
    findings = check_text("src/worldline/a.py", text)
    assert findings[0].instead == "a noun phrase that names the thing"
    assert findings[0].line == 1
    assert count("src/worldline/a.py", text.replace(opening, "Whereabouts of a run.")) == 0


def test_python_code_is_not_prose() -> None:
    assert count("src/worldline/a.py", "told = beside(x.real.value, in_flight)[cut]") == 1
    assert count("tests/a.py", "f(told, beside)") == 0


@pytest.mark.parametrize(
    "text",
    [
        "x = 1  # The user is told.",
        '"""The user\n\nis told."""',
        "x = 'is told'",
        "x = f'{y} is told'",
        "x = r'''\nis told'''",
    ],
)
def test_comments_and_strings_are_prose(text: str) -> None:
    (finding,) = check_text("tests/a.py", text)
    assert finding.text == "told"
    assert finding.line == 1 + text[: text.index("told")].count("\n")


@pytest.mark.parametrize(
    "text",
    [
        '"""A real\nexecution."""',
        "# A real\n# execution.",
        'x = (\n    "a real "\n    "execution"\n)',
        'x = (\n    f"a real "\n    f"execution {y}"\n)',
    ],
)
def test_a_term_may_span_two_lines(text: str) -> None:
    (finding,) = check_text("tests/a.py", text)
    assert finding.instead == "actual"
    assert finding.line == 1 + text[: text.index("real")].count("\n")


def test_separate_strings_are_separate() -> None:
    assert count("tests/a.py", 'x = ["a real", "value"]') == 0


def test_code_of_a_page_is_not_prose() -> None:
    assert count("docs/page.md", "Use `beside`.\n\n```python\nbeside\n```\nLast line.\n") == 0
    assert count("docs/page.md", "```text\nbeside\n```\nIt is beside it.\n") == 1


def test_other_files_are_prose() -> None:
    assert count("viewer/src/a.ts", "// A file\nconst told = 1; // beside") == 2
    assert count("src/a.h", "/* what is told */") == 1
    assert count("scripts/run", "#!/usr/bin/env bash\n# The file beside it.") == 1
    assert count("scripts/run", "#!/usr/bin/env python3\nbeside = 1") == 0


def test_a_line_with_the_escape_is_accepted() -> None:
    allowed = "x = 'told'  # The column's old name. words: allow\n"
    assert count("tests/a.py", allowed) == 0
    assert count("tests/a.py", allowed + "y = 'told'\n") == 1
    assert count("src/worldline/a.py", "found = 1  # words: allow") == 0
    assert count("docs/page.md", "The file beside it. <!-- words: allow -->") == 0
    assert count("docs/page.md", "A column `is_cut`. <!-- words: allow -->") == 0


def test_files_with_the_old_terms_are_exempt() -> None:
    assert is_checked("docs/runs.md")
    assert is_checked("scripts/bench")
    assert is_checked(".ci/run")
    assert not is_checked("docs/glossary.md")
    assert not is_checked("tests/programs/loop.py")
    assert not is_checked("viewer/package-lock.json")


def test_the_command_reports_files_and_lines(capsys: pytest.CaptureFixture[str]) -> None:
    this_file = Path(__file__)
    assert main([str(this_file.with_name("conftest.py"))]) == 0
    assert capsys.readouterr().out == "words: 0 findings\n"
    with pytest.raises(SystemExit, match="there is no file or folder nowhere"):
        main(["nowhere"])
