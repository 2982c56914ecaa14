"""Programs: the text that is executed, its hash and its entry point."""

from dataclasses import asdict, replace

import pytest

from worldline.core.errors import ProgramError
from worldline.core.trace import Program, program_from_fields

SOURCE = "def f(x):\n    return x\n"
PROGRAM = Program(SOURCE, "f(1)", "in\n")
ENTRY = "def main(): # << START_OF_TRACE\n"


def test_the_hash_of_a_python_program_never_changes() -> None:
    """Stored runs identify their programs by it."""
    assert PROGRAM.hash == "8166203c8b8ced14"
    assert Program(SOURCE, "f(1)").hash == "4192cf0af2681bcd"
    assert Program("x = 1\n").hash == "c1a3b94ec19178d1"


def test_programs_in_other_languages_have_other_hashes() -> None:
    languages = ("python", "javascript", "typescript", "cpp")
    programs = [replace(PROGRAM, language=language) for language in languages]
    assert len({program.hash for program in programs}) == 4
    assert programs[0].hash == PROGRAM.hash
    for program in programs:
        same = Program.from_text(program.text, stdin="in\n", language=program.language)
        assert same.hash == program.hash
    # Of an exact text, the hash is known without the language.
    texts = {Program.from_text(SOURCE, language=name).hash for name in (*languages, "php")}
    assert len(texts) == 5


def test_an_unknown_language_is_never_taken_for_python() -> None:
    program = replace(PROGRAM, language="php")
    with pytest.raises(ProgramError, match=r"no language 'php'; available: .*python"):
        _ = program.text
    assert repr(program) == "Program('def f(x):\\n    return x\\n', call='f(1)', php)"


def test_an_exact_text_is_the_same_program_as_source_and_call() -> None:
    program = Program.from_text(PROGRAM.text, stdin="in\n")
    assert program.source == program.text == PROGRAM.text
    assert (program.hash, program.entry) == (PROGRAM.hash, "main")
    assert program.split_entry() == (SOURCE.rstrip(), "f(1)")
    assert PROGRAM.split_entry() == (SOURCE, "f(1)")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            ENTRY + "    return f(\n        1,\n    )\n\n" + SOURCE,
            (SOURCE, "f(\n        1,\n    )"),
        ),
        ("x = 1\ndef main(): return f('é')  # << START_OF_TRACE\n", ("x = 1", "f('é')")),
        # An entry point that does more than return a call is itself called.
        (SOURCE + ENTRY + "    y = 1\n    return f(y)\n", None),
        (SOURCE + ENTRY + "    return (f(1) +\n        f(2))\n", None),
        (SOURCE + ENTRY + "    return\n", None),
        (SOURCE + ENTRY + "    return f(1)\n\ng = main\n", None),
        (SOURCE + "@property\n" + ENTRY + "    return f(1)\n", None),
        ("y = '''\n" + ENTRY + "'''\n", None),
        (ENTRY + "    return f(1\n", None),
    ],
)
def test_the_call_is_read_from_the_entry_point(text: str, parts: tuple[str, str] | None) -> None:
    source, call = Program.from_text(text).split_entry() or ("", "")
    expected = parts or (text, "main()")
    assert (source.strip(), call) == (expected[0].strip(), expected[1])


def test_a_module_has_no_entry_point() -> None:
    assert Program("x = 1\n").split_entry() is None


def test_fields_of_this_and_of_older_versions_are_read() -> None:
    assert program_from_fields(asdict(PROGRAM)) == PROGRAM
    # Older versions stored the text that was executed as `context`.
    old = {**asdict(PROGRAM), "source": "other", "call": "g(1)", "context": PROGRAM.text}
    assert program_from_fields(old) == Program.from_text(PROGRAM.text, stdin="in\n")
    assert program_from_fields({**asdict(PROGRAM), "context": None}) == PROGRAM
    javascript = replace(PROGRAM, language="javascript")
    assert program_from_fields(asdict(javascript)) == javascript
