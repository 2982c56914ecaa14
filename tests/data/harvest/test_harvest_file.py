"""A harvest: packages of every kind, files, duplicates, and the command."""

import json
import tarfile
import zipfile
from email.message import Message
from pathlib import Path

import pytest
from click.testing import CliRunner

from worldline.core.errors import InputError
from worldline.data.generation import DecontaminationIndex, about_path
from worldline.data.generation.canonical_hash import hash_source
from worldline.data.generation.program_file import journal_path
from worldline.data.harvest import (
    KINDS,
    HarvestLimits,
    functions_path,
    harvest_file,
    read_packages,
)
from worldline.data.harvest.near_duplicates import NearDuplicateIndex, token_shingles
from worldline.data.harvest.package_license import find_license
from worldline.evaluation.benchmarks import load_benchmark
from worldline.interfaces.cli import main
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import read_questions

MODULE = '''\
def grade(points):
    """
    >>> grade(95)
    'A'
    """
    if points > 90:
        return "A"
    return "B"


def copied(n):
    if n > 90:
        return "A"
    return "B"
'''
SHOP = '''\
class Shop(Base):
    @staticmethod
    def price(weight, unit=10):
        """
        >>> Shop.price(3)
        30
        """
        return weight * unit

    @classmethod
    def label(cls, name, note=""):
        if note:
            return f"{name}: {note}"
        return name

    def parts(self, total: int, size: int):
        while total > size:
            yield size
            total -= max(size, 1)
        yield total

    def discount(self, price):
        return price * self.rate


def scaled(x: int):
    return x * 10


shop.parts(7, 3)
'''
METADATA = "Metadata-Version: 2.4\nName: school\nVersion: 1.2\nLicense-Expression: MIT\n"
LIMITS = HarvestLimits(sources=("doctest", "test", "call", "constants"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "school"
    (folder / "tests").mkdir(parents=True)
    (folder / "grades.py").write_text(MODULE)
    (folder / "tests/test_grades.py").write_text("def test_b(): assert grade(3) == 'B'\n")
    (folder / "PKG-INFO").write_text(METADATA)
    return folder


def test_packages_of_every_kind_have_the_same_files(tree: Path, tmp_path: Path) -> None:
    wheel, sdist = tmp_path / "school-1.2-py3-none-any.whl", tmp_path / "school-1.2.tar.gz"
    names = ["grades.py", "tests/test_grades.py"]
    with zipfile.ZipFile(wheel, "w") as archive:
        for name in names:
            archive.write(tree / name, name)
        archive.writestr("school-1.2.dist-info/METADATA", METADATA)
    with tarfile.open(sdist, "w:gz") as archive_file:
        archive_file.add(tree, "school-1.2")
    site = tmp_path / "site"
    site.mkdir()
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    record = "".join(f"{name},,\n" for name in names)
    (site / "school-1.2.dist-info/RECORD").write_text(record)
    packages = list(read_packages([tree, wheel, sdist, site]))
    assert len(packages) == 4
    assert all(each == packages[0] for each in packages)
    assert (packages[0].name, packages[0].version, packages[0].license) == ("school", "1.2", "MIT")
    assert [(each.path, each.is_test) for each in packages[0].files] == [
        ("grades.py", False),
        ("tests/test_grades.py", True),
    ]


def test_what_is_not_a_package_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("")
    (tmp_path / "b.whl").write_text("no archive")
    for name, error in (("a.txt", "not a package"), ("b.whl", "cannot read"), ("c", "no file")):
        with pytest.raises(InputError, match=error):
            list(read_packages([tmp_path / name]))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ([("License-Expression", "MIT OR Apache-2.0")], "MIT OR Apache-2.0"),
        ([("License", "BSD-3-Clause")], "BSD-3-Clause"),
        ([("Classifier", "License :: OSI Approved :: MIT License")], "MIT"),
        ([("Classifier", "License :: OSI Approved")], "unknown"),
        ([("License", "see the file")], "unknown"),
        ([], "unknown"),
    ],
)
def test_licenses(fields: list[tuple[str, str]], expected: str) -> None:
    metadata = Message()
    for name, value in fields:
        metadata[name] = value
    assert find_license(metadata) == expected


def test_near_duplicates() -> None:
    pytest.importorskip("datasketch")
    text = "def f(values):\n" + "".join(f"    v{n} = values[{n}] + {n}\n" for n in range(30))
    index = NearDuplicateIndex(0.85)
    assert index.add(text)
    assert not index.add(text.replace("v29", "last"))
    assert index.add("def g(a, b):\n    return a * b\n")
    assert NearDuplicateIndex(1).add(text)
    assert token_shingles("a = b + 1") == {"a = b +", "= b + 1"}


def test_a_harvest(tree: Path, tmp_path: Path) -> None:
    path = tmp_path / "programs.jsonl"
    totals = harvest_file(path, [tree], DecontaminationIndex(), limits=LIMITS, similarity=1)
    assert (totals["functions"], totals["executed"], totals["running"]) == (2, 1, 1)
    assert totals["functions_left_out"] == {"duplicate": 1}
    assert totals["licenses"] == {"MIT": 1}
    assert totals["branches_reached"]["all"] == totals["branches"] == 2
    assert totals["branches_reached"]["doctest"] == totals["branches_reached"]["test"] == 1
    questions = list(read_questions(path))
    found = {each.program.call: (each.expected, each.facets["input"]) for each in questions}
    assert found["grade(95)"] == ("'A'", "doctest")
    assert found["grade(3)"] == ("'B'", "test")
    facets = questions[0].facets
    assert [facets[name] for name in ("package", "version", "license", "path", "line")] == [
        "school", "1.2", "MIT", "grades.py", 1,
    ]  # fmt: skip
    assert '"""' not in questions[0].program.source
    (row,) = map(json.loads, functions_path(path).read_text().splitlines())
    assert row["branches"] == [[2, 3], [2, 4]]
    assert row["reached"]["doctest"] == [[2, 3]]
    assert row["not_reached"] == []
    assert load_benchmark(str(path)).questions


def test_methods_and_generators(tmp_path: Path, recorder: PythonRecorder) -> None:
    source = tmp_path / "shop.py"
    source.write_text(SHOP)
    path = tmp_path / "programs.jsonl"
    totals = harvest_file(path, [source], DecontaminationIndex(), limits=LIMITS, similarity=1)
    assert totals["functions_left_out"] == {"method": 1}
    assert totals["kinds"] == dict.fromkeys(KINDS, 1)
    rows = {row["id"]: row for row in map(json.loads, functions_path(path).open())}
    assert {id: (row["function"], row["kind"]) for id, row in rows.items()} == {
        "shop/shop.py:Shop.price": ("price", "static method"),
        "shop/shop.py:Shop.label": ("label", "method without self"),
        "shop/shop.py:Shop.parts": ("parts", "generator"),
        "shop/shop.py:scaled": ("scaled", "function"),
    }
    (doctest,) = (
        each for each in rows["shop/shop.py:Shop.price"]["inputs"] if each["source"] == "doctest"
    )
    assert (doctest["call"], doctest["expected"]) == ("price(3)", "30")
    parts = rows["shop/shop.py:Shop.parts"]
    assert all(each["call"].startswith("list(parts(") for each in parts["inputs"])
    assert (parts["branches"], parts["not_reached"]) == ([[2, 3], [2, 5]], [])
    call = next(each for each in parts["inputs"] if each["source"] == "call")
    assert (call["call"], call["expected"]) == ("list(parts(7, 3))", "[3, 3, 1]")
    # Every program gives the same result again, also that of a generator.
    for question in read_questions(path):
        trace = recorder.record(question.program)
        assert (trace.result, len(trace.steps)) == (question.expected, question.facets["steps"])
    # Generators have paths, too.
    asked = load_benchmark("paths", data=str(path)).questions
    assert {each.facets["kind"] for each in asked} >= {"generator", "method without self"}


def test_excluded_programs_are_left_out(tree: Path, tmp_path: Path) -> None:
    body = MODULE.replace(MODULE[MODULE.index('    """') : MODULE.index("    if")], "")
    index = DecontaminationIndex({hash_source(body[: body.index("\n\n")]): "bench"}, ("bench",))
    totals = harvest_file(tmp_path / "a.jsonl", [tree], index, limits=LIMITS, similarity=1)
    assert totals["functions_left_out"] == {"is in bench": 2}


def test_an_interrupted_harvest_resumes(tree: Path, tmp_path: Path) -> None:
    (tree / "more.py").write_text(
        "".join(f"def f{n}(x):\n    return x {'+ 1' * (n + 1)}\n" for n in range(20))
    )
    expected, path = tmp_path / "expected.jsonl", tmp_path / "a.jsonl"
    index = DecontaminationIndex()
    harvest_file(expected, [tree], index, limits=LIMITS, similarity=1)
    seen: list[str] = []

    def interrupt(row: dict[str, str]) -> None:
        seen.append(row["id"])
        if len(seen) == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        harvest_file(path, [tree], index, limits=LIMITS, similarity=1, on_function=interrupt)
    assert not path.exists()
    journal = journal_path(path)
    rows = journal.read_bytes()
    # A kill leaves half of a line.
    journal.write_bytes(rows + b'{"id": "x", ')
    with pytest.raises(InputError, match="different command"):
        harvest_file(path, [tree], index, limits=HarvestLimits(), similarity=1)
    harvest_file(path, [tree], index, limits=LIMITS, similarity=1, workers=2)
    assert path.read_bytes() == expected.read_bytes()
    assert functions_path(path).read_bytes() == functions_path(expected).read_bytes()
    assert rows.count(b"\n") == 12
    # A finished file is not written again.
    written = path.stat().st_mtime_ns
    totals = harvest_file(path, [tree], index, limits=LIMITS, similarity=1)
    assert path.stat().st_mtime_ns == written
    assert totals == json.loads(about_path(path).read_text())["totals"]


def test_the_command(tree: Path, tmp_path: Path) -> None:
    path = tmp_path / "programs.jsonl"
    arguments = ["harvest", str(tree), "-o", str(path), "--similarity", "1", "--workers", "1"]
    result = CliRunner().invoke(main, [*arguments, "--inputs", "doctest,test"])
    assert result.exit_code == 0, result.output
    assert f"2 programs of 1 functions in {path}" in result.output
    assert "2 of 2 (100%)" in result.output
    result = CliRunner().invoke(main, [*arguments, "--inputs", "guesses"])
    assert result.exit_code == 2
    assert "there is no source 'guesses'" in result.output
