#!/usr/bin/env python3
"""Reject retired terms in code, docs and help texts, and name the term to use instead.

    scripts/check_words.py              the whole checkout
    scripts/check_words.py PATH...      some files or folders

docs/glossary.md defines the terms. Checked are:

- prose: comments and strings of Python, pages without their code, all of the other files;
- retired identifiers and options, wherever they occur;
- in src/: vague names of variables, and the first line of module docstrings.

A line that must contain a retired term (a quotation, the name of an old column) ends in
`words: allow`, with the reason before it.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ALLOW = "words: allow"
SUFFIXES = (".py", ".md", ".ts", ".tsx", ".mjs", ".c", ".h", ".toml")
# The glossary lists the retired terms, the changelog and the decisions are history, and
# `legacy.py` reads files with the old names.
EXEMPT = {
    "docs/glossary.md",
    "CHANGELOG.md",
    "scripts/check_words.py",
    "tests/test_check_words.py",
    "src/worldline/evaluation/runs/legacy.py",
    "src/worldline/models/prediction/legacy.py",
    "tests/evaluation/runs/test_legacy.py",
}
EXEMPT_FOLDERS = (
    "tests/programs/",
    "tests/gold/",
    "viewer/node_modules/",
    "docs/explanation/decisions/",
)


@dataclass(frozen=True, slots=True)
class Term:
    """A retired term: a pattern for lower-case text, and what to write instead.

    `hint` is a part of every match: a text without it is not searched, which is much faster.
    """

    hint: str
    pattern: re.Pattern[str]
    instead: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One use of a retired term."""

    path: str
    line: int
    text: str
    instead: str


def _term(hint: str, pattern: str, instead: str) -> Term:
    """Compile a term; a space in its pattern also matches a line break."""
    return Term(hint, re.compile(pattern.replace(" ", r"\s+")), instead)


_THING = "(execution|trace|value|step|line|state|result|one)s?"
TERMS = (
    _term("go", r"\bgo(es)? in[;,]", "a noun phrase or an imperative"),
    _term("come", r"\bcomes? out\b", "a noun phrase or an imperative"),
    _term("back", r"\b(found|finds?) back\b", "re-converged"),
    _term("had", r"\bbe had\b", "available, downloaded"),
    _term("go", r"\bgo(es|ne)? on\b(?! to\b)", "resume, continue"),
    _term("many", r"\bso many\b(?! that\b)", "N steps, the number of tokens"),
    _term(
        "behind",
        r"\bbehind (the|a|its|that|each|every|one|an|it)\b"
        r"(?! (\w+ )?(proxy|proxies|firewall|load balancer))",
        "after",
    ),
    _term("told", r"\btold\b", "reported, shown, given"),
    _term("held", r"\b(programs?|it|they) (is|are|was|were) held\b(?!-| out\b)", "sandboxed"),
    _term("hold", r"\bholds? programs\b", "sandboxes"),
    _term("confess", r"\bconfess", "confirm"),
    _term("imagin", r"\bimagin(e|es|ed|ing|ary|ation)\b", "predict"),
    _term("reality", r"\breality\b", "the actual execution"),
    _term("truth", r"\b(the|ground) truth\b", "the actual execution, the actual value"),
    _term("real", rf"\breal {_THING}\b", "actual"),
    _term("true", rf"\btrue {_THING}\b", "actual"),
    _term("flight", r"(?<![\w-])in[- ]flight\b", "concurrent, concurrency"),
    _term("patien", r"(?<![\w-])patien(ce|t|tly)\b", "retry"),
    _term("unsteady", r"\bunsteady\b", "not deterministic"),
    _term("steady", r"\b(is|are|and|be) steady\b", "deterministic"),
    _term("stranger", r"\bstrangers?\b", "foreign file"),
    _term("otherwise", r"\bmade otherwise\b|\botherwise than\b", "with different settings"),
    _term("what", r"\bwhat (came|comes|has come) of\b", "outcome"),
    _term("where", r"\b(none|nothing) where\b", "None if"),
    _term("beside", r"\bbeside\b", "next to, in addition to"),
    _term("surpris", r"\bsurpris(e|ed|ing|es)\b", "negative log-likelihood (NLL)"),
    _term("whole", r"\b(is|are) whole\b|\bwhole (trace|execution)s?\b", "complete"),
    _term("whoever", r"\bwhoever\b", "the component"),
    _term("turn", r"\bwrong turns?\b", "action error"),
    _term("reasons", r"\b(right|correct) for (the )?wrong reasons\b", "superficially correct"),
    _term("right", r"\bright (answer|step|value|reference)s?\b", "correct"),
    _term(
        "cut",
        r"\b(is|was|are|were|be|been) cut\b(?! in(to)?\b)"
        r"|\bcut (off|outputs?|ones?|texts?|steps?|values?)\b",
        "truncated (an output), shortened (a value)",
    ),
    _term("abilit", r"\babilit(y|ies)\b", "capability (of an engine)"),
    _term("anew", r"\banew\b", "again, restart"),
    _term("times", r"\bat times\b", "sometimes"),
)
# Retired columns, fields and status values. A name that is still used with another meaning
# (`budget`, `text`, `action`) is not in this list.
RETIRED_NAMES: Mapping[str, str] = {
    "asked_at": "completed_at",
    "usage_written": "usage_completion",
    "taken_answer": "external_answer",
    "true_value": "actual_value",
    "true_chars": "actual_chars",
    "true_tokens": "actual_tokens",
    "true_steps": "actual_steps",
    "moved_tokens": "changed_tokens",
    "written_tokens": "completion_tokens",
    "is_within_cut": "is_within_truncated_step",
    "iterates_mutated": "mutates_iterated",
    "is_folded": "excludes_comprehensions",
    "is_cut": "is_truncated",
    "found_back": "reconverged",
    "found_back_steps": "reconverged_steps",
    "has_found_back": "has_reconverged",
    "is_result_right": "is_result_correct",
    "is_answer_right": "is_answer_correct",
    "is_reference_right": "is_reference_correct",
    "is_right_for_wrong_reasons": "is_superficially_correct",
    "program_hidden": "program_hidden_values",
    "program_is_whole": "program_is_complete",
    "is_whole": "is_complete",
    "answer_lost": "answer_mismatch",
    "reference_wrong": "reference_mismatch",
    "no_output": "empty_output",
    "line_made_up": "hallucinated_line",
    "call_confused": "call_error",
    "exception_confused": "exception_error",
    "miscopied": "copy_error",
    "iteration_lost": "wrong_loop_item",
    "call_imagined": "call_invented",
    "exception_imagined": "exception_invented",
    "other_call": "wrong_call",
    "unjudged": "unknown",
}
RETIRED_OPTIONS: Mapping[str, str] = {
    "--budget": "--max-tokens",
    "--in-flight": "--concurrency",
    "--patience": "--retry-timeout",
}
# Names that say nothing about the value.
VAGUE_NAMES = frozenset({"found", "told", "said", "made", "given", "here", "there", "most"})
OPENING = re.compile(r"(What|Who|Whoever|How|Where|Which|Whether|Does|Is)\b")

_VAGUE = re.compile(rf"\b(?:{'|'.join(sorted(VAGUE_NAMES))})\b")
_PYTHON_PROSE = re.compile(
    r'#[^\n]*|"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\''
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
    re.DOTALL,
)
_QUOTES = re.compile(r"^(?:\"\"\"|'''|#+|[\"'])|(?:\"\"\"|'''|[\"'])$")
_PAGE_CODE = re.compile(
    r"^[ \t]*```.*?^[ \t]*```[^\n]*|``[^`]+``|`[^`]*`", re.DOTALL | re.MULTILINE
)
_VISIBLE = re.compile(r"\S+")
# The prefix of a string, at the end of the code before it.
_PREFIX = re.compile(r"(?<!\w)[fFrRbB]\Z")


def main(arguments: Sequence[str]) -> int:
    """Print every finding; return 1 if there is one."""
    findings = [finding for path in _files(arguments) for finding in check_file(path)]
    for finding in findings:
        print(f"{finding.path}:{finding.line}: {finding.text}  →  {finding.instead}")
    print(f"words: {len(findings)} findings")
    return 1 if findings else 0


def check_file(path: Path) -> list[Finding]:
    """Check one file of the checkout."""
    return check_text(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))


def check_text(name: str, text: str) -> list[Finding]:
    """Check the text of a file.

    Args:
        name: Path of the file in the checkout, which decides what is checked.
        text: Its contents.
    """
    prose, has_vague_word = _prose(name, text)
    spans = [*_find_terms(prose), *_find_names(text)]
    if name.startswith("src/") and name.endswith(".py"):
        spans += _find_opening(text)
        if has_vague_word:
            spans += _find_vague_names(text)
    lines = text.split("\n")
    findings: list[Finding] = []
    for start, end, instead in sorted(spans):
        first, last = text.count("\n", 0, start), text.count("\n", 0, end)
        if not any(ALLOW in line for line in lines[first : last + 1]):
            shown = " ".join(text[start:end].split())
            findings.append(Finding(name, first + 1, shown, instead))
    return findings


# Where a term begins and ends, and what to write instead.
_Span = tuple[int, int, str]


def _find_terms(prose: str) -> Iterator[_Span]:
    lowered = prose.lower()
    # Some characters change their length in lower case; positions would then be wrong.
    lowered = lowered if len(lowered) == len(prose) else prose
    for term in TERMS:
        if term.hint in lowered:
            for match in term.pattern.finditer(lowered):
                yield match.start(), match.end(), term.instead


def _find_names(text: str) -> Iterator[_Span]:
    for old, new in (*RETIRED_NAMES.items(), *RETIRED_OPTIONS.items()):
        if old in text:
            for match in re.finditer(rf"(?<![\w-]){old}(?![\w-])", text):
                yield match.start(), match.end(), new


def _prose(name: str, text: str) -> tuple[str, bool]:
    """Replace the code of a file by NUL characters; positions and line breaks stay the same.

    The second value is whether a vague name may be in the code.
    """
    if name.endswith(".md"):
        return _PAGE_CODE.sub(lambda match: _blank(match[0]), text), False
    if not (name.endswith(".py") or text.startswith("#!/usr/bin/env python3")):
        return text, False
    pieces: list[str] = []
    end = 0
    has_vague_word = False
    for match in _PYTHON_PROSE.finditer(text):
        code = text[end : match.start()]
        has_vague_word = has_vague_word or _VAGUE.search(code) is not None
        # Quotes become spaces, so that a term is found across two adjacent strings.
        string = _QUOTES.sub(lambda quotes: " " * len(quotes[0]), match[0])
        pieces += [_blank(code), string]
        end = match.end()
    has_vague_word = has_vague_word or _VAGUE.search(text[end:]) is not None
    return "".join([*pieces, _blank(text[end:])]), has_vague_word


def _blank(code: str) -> str:
    if _PREFIX.search(code):
        code = code[:-1] + " "
    return _VISIBLE.sub(lambda match: "\0" * len(match[0]), code)


def _find_opening(text: str) -> Iterator[_Span]:
    match = re.match(r'\s*r?"""(.*)', text)
    if match and OPENING.match(match[1]):
        yield match.start(1), match.start(1) + 60, "a noun phrase that names the thing"


def _find_vague_names(text: str) -> Iterator[_Span]:
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for node in ast.walk(ast.parse(text)):
        name = _bound_name(node)
        if name in VAGUE_NAMES:
            assert isinstance(node, ast.expr | ast.stmt | ast.arg | ast.ExceptHandler | ast.MatchAs)
            line = text[starts[node.lineno - 1] : starts[node.lineno]]
            column = len(line.encode()[: node.col_offset].decode())
            start = starts[node.lineno - 1] + max(column, line.find(name, column))
            yield start, start + len(name), "a name for what it holds"


def _bound_name(node: ast.AST) -> str | None:
    """The name that a node binds: a variable, a parameter, a function or a caught exception."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        return node.id
    if isinstance(node, ast.arg):
        return node.arg
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ExceptHandler | ast.MatchAs):
        return node.name
    return None


def _files(arguments: Sequence[str]) -> Iterator[Path]:
    paths = [os.path.relpath(argument, ROOT) for argument in arguments]
    for argument in arguments:
        if not Path(argument).exists():
            sys.exit(f"check_words: there is no file or folder {argument}")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *paths],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in sorted(set(listed.stdout.split("\0"))):
        path = ROOT / name
        if is_checked(name) and path.is_file():
            yield path


def is_checked(name: str) -> bool:
    """Whether a file of the checkout is checked."""
    if name in EXEMPT or name.startswith(EXEMPT_FOLDERS):
        return False
    return name.endswith(SUFFIXES) or name == ".ci/run" or name.startswith("scripts/")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
