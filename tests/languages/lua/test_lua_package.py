"""A language in its own package: examples/worldline-lua, found by its entry point."""

import os
import random
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import worldline as wl
from tests.languages.edited_traces import EDITS, edited_prediction
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.language import LANGUAGES, get_language, language_of_file
from worldline.core.trace import Limits
from worldline.interfaces.cli import main
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.engines import ScriptedEngine

PACKAGE = Path(__file__).parents[3] / "examples" / "worldline-lua"
SOURCE = """\
local function twice(n)
    return n * 2
end

function f(n)
    local total, words = 0, {}
    for i = 1, n do
        total = total + twice(i)
        words[i] = "w" .. i
    end
    return {total, words = words}
end

function fail(x)
    local ok = pcall(function()
        error({code = 1})
    end)
    return x.y.z
end

function forever()
    while true do
    end
end
"""


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Install the package as pip does: its modules and its entry points on sys.path."""
    folder = tmp_path_factory.mktemp("installed")
    info = folder / "worldline_lua-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: worldline-lua\nVersion: 0.1.0\n")
    text = (PACKAGE / "pyproject.toml").read_text()
    entry = text.split('[project.entry-points."worldline.languages"]\n')[1].replace('"', "")
    (info / "entry_points.txt").write_text(f"[worldline.languages]\n{entry}")
    added = [str(folder), str(PACKAGE / "src")]
    sys.path[:0] = added
    LANGUAGES.__dict__.pop("_entry_points", None)
    try:
        try:
            import_module("worldline_lua.lua_recorder").find_lua()
        except wl.WorldlineError as error:
            skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
            skip(str(error))
        yield
    finally:
        sys.path[:] = [each for each in sys.path if each not in added]
        LANGUAGES.__dict__.pop("_entry_points", None)
        LANGUAGES._items.pop("lua", None)


@pytest.fixture(scope="module")
def recorder(package: None) -> Iterator[ProgramRecorder]:
    with ProgramRecorder() as recorder:
        yield recorder


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result


def lua(call: str) -> wl.Program:
    return wl.Program(SOURCE, call, language="lua")


def test_the_entry_point_is_found() -> None:
    assert get_language("lua").title == "Lua"
    language = language_of_file("a.lua")
    assert language is not None
    assert language.name == "lua"


def test_recorded_steps(recorder: ProgramRecorder) -> None:
    trace = recorder.record(lua("f(2)"))
    assert trace.result == '{6, words = {"w1", "w2"}}'
    steps = [(step.event, step.line) for step in trace.steps]
    assert steps[:6] == [
        *(("call", 26), ("line", 27), ("call", 5), ("line", 6), ("line", 7), ("line", 8)),
    ]
    assert steps.count(("return", 2)) == 2
    # The entry point calls f last; both return the same.
    assert steps[-2:] == [("return", 11), ("return", 27)]
    states = dict(zip(steps, trace.states(), strict=True))
    assert states["line", 9]["total"] == "6"
    assert trace.scopes[1].variables == ("n", "total", "words", "i")


def test_exceptions_and_limits(recorder: ProgramRecorder) -> None:
    trace = recorder.record(lua("fail({})"))
    assert trace.ending.reason == "raised"
    assert "attempt to index a nil value" in trace.ending.detail
    raised = [step.line for step in trace.steps if step.event == "exception"]
    assert raised == [16, 18, 27]
    limited = recorder.record(lua("forever()"), limits=Limits(steps=50))
    assert (limited.ending.reason, len(limited.steps)) == ("step_limit", 50)
    broken = recorder.record(wl.Program("function f(", "f()", language="lua"))
    assert broken.ending.reason == "not_loaded"


def test_the_sandbox_holds(recorder: ProgramRecorder) -> None:
    for call, refusal in (
        ('os.execute("id")', 'nil, "Operation not permitted", 1'),
        ('io.open("/etc/passwd")', 'nil, "/etc/passwd: No such file or directory", 2'),
    ):
        source = f"function f() return {call} end"
        assert recorder.record(wl.Program(source, "f()", language="lua")).result == refusal


@pytest.mark.parametrize("kind", EDITS)
def test_an_edited_trace_is_diagnosed_at_the_edit(recorder: ProgramRecorder, kind: str) -> None:
    trace = recorder.record(lua("f(3)"))
    rng, count = random.Random(kind), 0
    for _ in range(12):
        edited = edited_prediction(trace, kind, rng)
        assert edited is not None
        edit, prediction = edited
        divergence = diagnose_prediction(trace, prediction).facts.divergence
        assert divergence is not None
        assert (divergence.step, divergence.where) == (edit.step, edit.where)
        assert (divergence.actual, divergence.predicted) == (edit.actual, edit.predicted)
        count += 1
    assert count == 12


def test_commands(tmp_path: Path) -> None:
    file = tmp_path / "sums.lua"
    file.write_text(f"{SOURCE}\n-- call: f(2)\n-- expected: {{6, words = {{'w1', 'w2'}}}}\n")
    plain = tmp_path / "plain.lua"
    plain.write_text(SOURCE)
    assert 'finished: {6, words = {"w1", "w2"}}' in run("record", plain, "--call", "f(2)").output
    engine = ScriptedEngine(lambda prompt: '[ANSWER] {7, words = {"w1", "w2"}} [/ANSWER]')
    prediction = wl.predict(lua("f(2)"), engine=lambda: engine, codec="chat")
    assert prediction.answer == '{7, words = {"w1", "w2"}}'
    assert "Lua program" in "".join(wl.get_codec("chat").prompt(lua("f(2)")))
    stored = wl.evaluate(str(file), engine=lambda: engine, codec="chat", output=tmp_path / "run")
    shown = run("show", stored.location, "sums_tc0").output
    assert "{7, words" in shown
    assert "0 of 1" in run("report", stored.location).output


def test_values() -> None:
    values = get_language("lua").values
    assert values.compare_values("{a = 1, b = 2}", "{b = 2, ['a'] = 1}").is_same
    assert not values.compare_values("{1, 2}", "{2, 1}").is_same
    assert not values.compare_values("1", "1.0").is_same
    assert values.answers_equal("1", "1.0")
    assert values.value_kind("{}") == "list"
    assert values.first_leaf("{1, {a = 2}}", "{1, {a = 3}}").path == "[2].a"
