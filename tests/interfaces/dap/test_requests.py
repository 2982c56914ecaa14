"""Requests of the Debug Adapter Protocol against real recordings."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.dap_client import DapClient, in_process, write_program
from tests.support.replay_programs import EXCEPTION, GENERATOR, NESTED, RECURSION, THREADS
from worldline.core.trace import Program, trace_to_json
from worldline.interfaces.dap.replay_cursor import ReplayCursor
from worldline.interfaces.demo import PREDICTIONS
from worldline.languages.python.recorder import PythonRecorder


@pytest.fixture
def nested(tmp_path: Path) -> dict[str, Any]:
    return {"program": write_program(tmp_path, NESTED), "call": "total([1, 2, 3])"}


def test_capabilities_announce_time_travel() -> None:
    with in_process() as client:
        body = client.body("initialize", adapterID="worldline")
        for name in (
            "supportsStepBack",
            "supportsRestartFrame",
            "supportsGotoTargetsRequest",
            "supportsDataBreakpoints",
            "supportsConfigurationDoneRequest",
            "supportsConditionalBreakpoints",
        ):
            assert body[name] is True
        filters = [each["filter"] for each in body["exceptionBreakpointFilters"]]
        assert filters == ["divergence", "raised"]


def test_a_recording_runs_to_its_end_and_ends(nested: dict[str, Any]) -> None:
    with in_process() as client:
        stop = client.start(**nested)
        assert (stop["reason"], stop["threadId"]) == ("end", 1)
        assert client.scopes()["Locals"] == {"(return)": "14"}
        assert "26 steps" in client.output()
        client.body("continue", threadId=1)
        client.wait("terminated")
        assert "has ended" in client.error("stepBack", threadId=1)
        client.body("disconnect")


def test_stop_on_entry(nested: dict[str, Any]) -> None:
    with in_process() as client:
        assert client.start(**nested, stopOnEntry=True)["reason"] == "entry"
        assert client.stack() == [("main (call)", 11)]


def test_a_session_can_start_in_the_file(nested: dict[str, Any]) -> None:
    with in_process() as client:
        client.start(**nested, stopOnEntry=True, startInFile=True)
        (name, line), *_ = client.stack()
        assert (name, line) == ("total (call)", 5)


def test_lines_have_the_values_of_their_last_execution(tmp_path: Path) -> None:
    source = "def f(x):\n    y = x + 1\n    z = y\n    return z\n"
    with in_process() as client:
        client.start(program=write_program(tmp_path, source), call="f(1)")
        lines = client.body("worldline/lineValues")["lines"]
        texts = {each["line"]: each["actual"] for each in lines if "path" in each["source"]}
        assert texts == {1: "x=1", 2: "y=2", 3: "z=2", 4: "returns 2"}
        assert not any(each["differs"] for each in lines)


def test_lines_whose_predicted_value_differs_are_marked() -> None:
    with in_process() as client:
        stop = client.start(
            predictions=str(PREDICTIONS), sample="wrong_string", filters=["divergence"]
        )
        assert stop["reason"] == "exception"
        lines = client.body("worldline/lineValues")["lines"]
        different = [each for each in lines if each["differs"]]
        assert different
        assert all(each["actual"] != each["predicted"] for each in different)
        # In the prediction, the line has changed nothing; it shows no earlier value.
        assert [(each["line"], each["actual"], each["predicted"]) for each in different] == [
            (4, "word='be'", None)
        ]
        client.body("stepBack", threadId=1)
        client.wait("stopped")
        lines = client.body("worldline/lineValues")["lines"]
        assert not any(each["differs"] for each in lines)


def test_every_motion(nested: dict[str, Any]) -> None:
    with in_process() as client:
        stop = client.start(**nested, breakpoints=[{"line": 8}])
        assert stop["reason"] == "breakpoint"
        assert client.stack() == [("total", 8), ("main", 12)]
        client.run("stepIn")
        assert client.stack()[:2] == [("square (call)", 1), ("total", 8)]
        client.run("next")
        client.run("next")
        assert client.stack()[0] == ("square", 3)
        assert client.scopes()["Changed"] == {"m": "1 (new)"}
        client.run("next")
        assert client.stack()[0] == ("square (return)", 3)
        assert client.scopes()["Locals"] == {"(return)": "1", "n": "1", "m": "1"}
        client.run("stepOut")
        assert client.stack()[0] == ("total", 7)
        assert client.scopes()["Changed"] == {"s": "1 (was 0)"}
        client.run("stepBack")
        assert client.stack()[0] == ("square (return)", 3)
        client.run("stepBack", granularity="line")
        assert client.stack()[0] == ("square", 3)
        assert client.run("reverseContinue")["reason"] == "breakpoint"
        assert client.run("reverseContinue")["reason"] == "entry"
        assert client.run("stepBack")["reason"] == "entry"
        client.run("continue")
        client.run("next")
        assert client.stack()[0] == ("total", 7)


def test_forwards_and_backwards_show_the_same(nested: dict[str, Any]) -> None:
    def look(client: DapClient) -> tuple[Any, Any]:
        return client.stack(), client.scopes()

    with in_process() as client:
        client.start(**nested, stopOnEntry=True)
        seen = [look(client)]
        while client.run("stepIn")["reason"] != "end":
            seen.append(look(client))
            if len(seen) == 26:
                break
        assert len(seen) == 26
        for expected in seen[-2::-1]:
            client.run("stepBack")
            assert look(client) == expected


def test_breakpoints_say_whether_they_can_be_reached(nested: dict[str, Any]) -> None:
    with in_process() as client:
        client.start(**nested, stopOnEntry=True)
        source = {"path": nested["program"]}
        rows = client.body(
            "setBreakpoints",
            source=source,
            breakpoints=[{"line": 2}, {"line": 4}, {"line": 8, "condition": "x =="}],
        )["breakpoints"]
        assert [row["verified"] for row in rows] == [True, False, False]
        assert "not executed" in rows[1]["message"]
        assert "is no expression" in rows[2]["message"]
        other = client.body("setBreakpoints", source={"path": "/o.py"}, breakpoints=[{"line": 1}])
        assert "not the program" in other["breakpoints"][0]["message"]
        assert client.run("continue")["hitBreakpointIds"] == [rows[0]["id"]]
        client.body("setBreakpoints", source=source, breakpoints=[])
        assert client.run("continue")["reason"] == "end"


def test_conditions_and_messages(nested: dict[str, Any]) -> None:
    with in_process() as client:
        client.start(
            **nested,
            breakpoints=[
                {"line": 8, "condition": "x == 3"},
                {"line": 2, "logMessage": "square of {n}"},
            ],
        )
        assert client.scopes()["Locals"]["x"] == "3"
        assert client.output().splitlines()[-2:] == ["square of 1", "square of 2"]


def test_function_breakpoints(tmp_path: Path) -> None:
    with in_process() as client:
        client.start(program=write_program(tmp_path, RECURSION), call="fib(3)", stopOnEntry=True)
        rows = client.body(
            "setFunctionBreakpoints",
            breakpoints=[{"name": "fib", "condition": "n == 1"}, {"name": "other"}],
        )["breakpoints"]
        assert [row["verified"] for row in rows] == [True, False]
        assert client.run("continue")["reason"] == "function breakpoint"
        assert client.stack() == [("fib (call)", 1), ("fib", 4), ("fib", 4), ("main", 9)]


def test_data_breakpoints(nested: dict[str, Any]) -> None:
    with in_process() as client:
        client.start(**nested, breakpoints=[{"line": 7}])
        info = client.body(
            "dataBreakpointInfo", variablesReference=client.reference("Locals"), name="s"
        )
        assert info["accessTypes"] == ["write"]
        rows = client.body("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
        assert rows["breakpoints"][0]["verified"]
        client.body("setBreakpoints", source={"path": nested["program"]}, breakpoints=[])
        stop = client.run("continue")
        assert (stop["reason"], stop["text"]) == ("data breakpoint", "s changed from 0 to 1")
        assert client.run("reverseContinue")["text"] == "s changed from no value to 0"
        anywhere = client.body("dataBreakpointInfo", name="m")
        assert anywhere["dataId"] == "*/*/m"
        assert client.body("dataBreakpointInfo", name="nothing")["dataId"] is None
        bad = client.body("setDataBreakpoints", breakpoints=[{"dataId": "x"}, {"dataId": "a/b/c"}])
        assert [row["verified"] for row in bad["breakpoints"]] == [False, False]
        read = [{"dataId": "*/*/m", "accessType": "read"}]
        row = client.body("setDataBreakpoints", breakpoints=read)["breakpoints"][0]
        assert "not when it was read" in row["message"]


def test_exceptions(tmp_path: Path) -> None:
    with in_process() as client:
        program = write_program(tmp_path, EXCEPTION)
        stop = client.start(program=program, call="outer()", filters=["raised"])
        assert (stop["reason"], stop["text"]) == ("exception", "raises KeyError('missing')")
        assert client.stack() == [("inner (exception)", 2), ("outer", 6), ("main", 12)]
        info = client.body("exceptionInfo", threadId=1)
        assert info["exceptionId"] == "KeyError"
        assert info["details"]["stackTrace"].splitlines()[0] == "inner, line 2"
        assert client.scopes()["Locals"]["(exception)"] == "raises KeyError('missing')"
        assert client.run("continue")["reason"] == "end"
        assert "no exception" in client.error("exceptionInfo", threadId=1)
        assert "no filter x" in client.error("setExceptionBreakpoints", filters=["x"])


def test_generators(tmp_path: Path) -> None:
    with in_process() as client:
        program = write_program(tmp_path, GENERATOR)
        client.start(program=program, call="use()", breakpoints=[{"line": 5}])
        assert client.stack() == [("count", 5), ("use", 9), ("main", 14)]
        client.run("stepOut")
        assert client.stack()[0] == ("use", 10)
        client.run("stepBack")
        assert client.stack()[0] == ("count (return)", 4)
        assert client.scopes()["Locals"]["(return)"] == "1"


def test_threads(tmp_path: Path) -> None:
    with in_process() as client:
        program = write_program(tmp_path, THREADS)
        stop = client.start(program=program, call="use()", threads=True, breakpoints=[{"line": 5}])
        threads = client.body("threads")["threads"]
        assert [thread["name"] for thread in threads] == ["actual", "actual, thread 1"]
        assert stop["threadId"] == threads[1]["id"]
        assert client.stack(threads[1]["id"])[0] == ("work", 5)
        assert client.stack(1)[0] == ("use", 10)
        client.run("next", threadId=threads[1]["id"])
        assert client.stack(threads[1]["id"])[0] == ("work (return)", 5)


def test_restart_frame_and_goto(tmp_path: Path) -> None:
    with in_process() as client:
        program = write_program(tmp_path, RECURSION)
        client.start(program=program, call="fib(4)", breakpoints=[{"line": 6}])
        frames = client.body("stackTrace", threadId=1)["stackFrames"]
        assert client.run("restartFrame", frameId=frames[1]["id"])["reason"] == "restart"
        assert client.stack()[0] == ("fib (call)", 1)
        targets = client.body("gotoTargets", source={"path": program}, line=6)["targets"]
        assert len(targets) == 4
        assert targets[1]["label"].endswith("visit 2 of 4 (actual)")
        assert client.run("goto", targetId=targets[3]["id"])["reason"] == "goto"
        assert client.stack()[0] == ("fib", 6)
        assert client.scopes()["Locals"] == {"n": "4", "a": "2", "b": "1"}
        assert client.body("gotoTargets", source={"path": program}, line=7)["targets"] == []
        assert "not the program" in client.error("gotoTargets", source={"path": "/x"}, line=1)
        assert "no target" in client.error("goto", threadId=1, targetId=10**9)


def test_variables_have_structure_and_pages(tmp_path: Path) -> None:
    source = "def f():\n    xs = list(range(500))\n    d = {'a': [1, {'b': 2}]}\n    return d\n"
    with in_process() as client:
        program = write_program(tmp_path, source)
        client.start(program=program, call="f()", breakpoints=[{"line": 4}])
        rows = client.body("variables", variablesReference=client.reference("Locals"))["variables"]
        xs, d = rows
        assert (xs["name"], xs["indexedVariables"]) == ("xs", 500)
        reference = xs["variablesReference"]
        page = client.body(
            "variables", variablesReference=reference, filter="indexed", start=300, count=3
        )["variables"]
        assert [(row["name"], row["evaluateName"]) for row in page] == [
            ("300", "xs[300]"),
            ("301", "xs[301]"),
            ("302", "xs[302]"),
        ]
        assert client.body("variables", variablesReference=reference, filter="named") == {
            "variables": []
        }
        (a,) = client.body("variables", variablesReference=d["variablesReference"])["variables"]
        assert (a["name"], a["value"]) == ("'a'", "[1, {'b': 2}]")
        for row in (*page, a):
            assert client.body("evaluate", expression=row["evaluateName"])["result"] == row["value"]
        inner = client.body("variables", variablesReference=a["variablesReference"])["variables"]
        assert inner[1]["evaluateName"] == "d['a'][1]"
        assert "filter" in client.error("variables", variablesReference=reference, filter="x")


def test_evaluate(nested: dict[str, Any]) -> None:
    with in_process() as client:
        client.start(**nested, breakpoints=[{"line": 2, "condition": "n == 2"}])
        frames = client.body("stackTrace", threadId=1)["stackFrames"]
        for context in ("watch", "hover", "repl"):
            caller = frames[1]["id"]
            body = client.body("evaluate", expression="xs[1] * 2", frameId=caller, context=context)
            assert body["result"] == "4"
        assert client.body("evaluate", expression="n == 2")["result"] == "True"
        assert "would execute code" in client.error("evaluate", expression="square(3)")
        assert "no variable xs here" in client.error("evaluate", expression="xs")
        expandable = client.body("evaluate", expression="xs", frameId=frames[1]["id"])
        assert expandable["indexedVariables"] == 3


def test_set_variable_is_refused_in_a_recording(nested: dict[str, Any]) -> None:
    with in_process() as client:
        client.start(**nested, breakpoints=[{"line": 8}])
        reference = client.reference("Locals")
        message = client.error("setVariable", variablesReference=reference, name="s", value="9")
        assert "launch with an engine" in message
        message = client.error("setVariable", variablesReference=reference, name="q", value="9")
        assert "not a local variable" in message


def test_sources(nested: dict[str, Any]) -> None:
    with in_process() as client:
        client.start(**nested, stopOnEntry=True)
        file, text = client.body("loadedSources")["sources"]
        assert file["path"] == nested["program"]
        content = client.body("source", sourceReference=text["sourceReference"], source=text)
        assert content["content"].startswith(NESTED)
        assert "total([1, 2, 3])" in content["content"]
        frame = client.body("stackTrace", threadId=1)["stackFrames"][0]
        assert frame["source"]["sourceReference"] == text["sourceReference"]
        assert "no source 7" in client.error("source", sourceReference=7)


def test_lines_from_zero(nested: dict[str, Any]) -> None:
    with in_process() as client:
        client.body("initialize", linesStartAt1=False)
        client.send("launch", **nested)
        client.wait("initialized")
        source = {"path": nested["program"]}
        rows = client.body("setBreakpoints", source=source, breakpoints=[{"line": 1}])
        assert rows["breakpoints"][0]["line"] == 1
        client.run("configurationDone")
        assert client.stack()[0] == ("square", 1)
        assert client.scopes()["Locals"] == {"n": "1"}


def test_stack_in_pages(tmp_path: Path) -> None:
    source = "def down(n):\n    return 0 if n == 0 else down(n - 1)\n"
    with in_process() as client:
        program = write_program(tmp_path, source)
        client.start(program=program, call="down(200)", stopOnEntry=True)
        client.body("setFunctionBreakpoints", breakpoints=[{"name": "down", "condition": "n == 0"}])
        client.run("continue")
        page = client.body("stackTrace", threadId=1, startFrame=100, levels=2)
        assert page["totalFrames"] == 202
        scopes = client.body("scopes", frameId=page["stackFrames"][0]["id"])["scopes"]
        # Only the innermost frame has changed.
        assert [scope["name"] for scope in scopes] == ["Locals"]
        reference = scopes[0]["variablesReference"]
        (n,) = client.body("variables", variablesReference=reference)["variables"]
        assert n["value"] == "100"


def test_a_prediction_beside_the_actual_execution() -> None:
    with in_process() as client:
        stop = client.start(predictions=str(PREDICTIONS), sample="wrong_string")
        assert (stop["reason"], stop["threadId"]) == ("exception", 2)
        assert stop["description"] == "Paused on divergence"
        threads = client.body("threads")["threads"]
        assert threads == [{"id": 1, "name": "actual"}, {"id": 2, "name": "predicted"}]
        info = client.body("exceptionInfo", threadId=2)
        assert info["exceptionId"] == "divergence"
        assert "actual" in info["description"]
        actual, predicted = client.scopes(1), client.scopes(2)
        assert list(actual)[:3] == ["Differences", "Actual", "Predicted"]
        assert list(predicted)[:3] == ["Differences", "Predicted", "Actual"]
        (name,) = actual["Differences"]
        text = f"{actual['Predicted'][name]} instead of {actual['Actual'][name]}"
        assert actual["Differences"][name] == text
        # Before the divergence, both are the same.
        client.run("stepBack", threadId=2)
        assert client.stack(1) == client.stack(2)
        assert client.scopes(1)["Actual"] == client.scopes(2)["Predicted"]
        assert "Differences" not in client.scopes(1)
        client.body("setExceptionBreakpoints", filters=[])
        assert client.run("continue", threadId=2)["reason"] == "end"
        assert client.run("reverseContinue", threadId=2)["reason"] == "entry"


@pytest.mark.parametrize("sample", ["empty_output", "malformed", "truncated", "infra_error"])
def test_predictions_without_all_steps(sample: str) -> None:
    with in_process() as client:
        stop = client.start(predictions=str(PREDICTIONS), sample=sample, filters=[])
        assert stop["reason"] == "end"
        assert "actual:" in client.output()
        assert client.stack()


def test_a_stored_trace(recorder: PythonRecorder, tmp_path: Path) -> None:
    trace = recorder.record(Program(NESTED, "total([2])"))
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace_to_json(trace)))
    with in_process() as client:
        client.start(traceFile=str(path), breakpoints=[{"line": 2}])
        assert client.stack()[0] == ("square", 2)


def test_a_model_output_in_a_file(recorder: PythonRecorder, tmp_path: Path) -> None:
    from tests.support.predictions import replaced, text_of

    trace = recorder.record(Program(NESTED, "total([1, 2])"))
    (tmp_path / "output.txt").write_text(replaced('"s": "5"', '"s": "7"')(text_of(trace)))
    with in_process() as client:
        stop = client.start(
            program=write_program(tmp_path, NESTED), call="total([1, 2])", output="output.txt"
        )
        assert stop["text"].endswith("s = 7, actual 5")


@pytest.mark.parametrize(
    ("launch", "reason"),
    [
        ({}, "needs one of program"),
        ({"program": "/nothing.py"}, "cannot read the program"),
        ({"program": 3}, "program must be a text"),
        ({"program": "SELF", "call": "f("}, "call"),
        ({"program": "BROKEN"}, "not_loaded"),
        ({"predictions": "/nothing.jsonl", "sample": "a"}, "nothing.jsonl"),
        ({"predictions": str(PREDICTIONS)}, "sample is missing"),
        ({"predictions": str(PREDICTIONS), "sample": "zz"}, "no sample 'zz'"),
        ({"traceFile": "/nothing.json"}, "cannot read the trace"),
        ({"program": "SELF", "run": "x"}, "needs one of program"),
        ({"program": "SELF", "limits": {"steps": "x"}}, "must be a positive number"),
        ({"program": "SELF", "limits": {"stepz": 1}}, "has no option stepz"),
        ({"program": "SELF", "output": "missing.txt"}, "cannot read the model's output"),
        ({"program": "SELF", "call": "f()", "engine": "nope:x"}, "nope"),
    ],
)
def test_launches_that_fail(tmp_path: Path, launch: dict[str, Any], reason: str) -> None:
    programs = {
        "SELF": write_program(tmp_path, "def f():\n    return 1\n"),
        "BROKEN": write_program(tmp_path, "def f(:\n", "broken.py"),
    }
    launch = {
        name: programs.get(value, value) if isinstance(value, str) else value
        for name, value in launch.items()
    }
    with in_process() as client:
        client.body("initialize")
        assert reason in client.error("launch", **launch)
        # Another launch is possible.
        client.send("launch", program=programs["SELF"], call="f()")
        client.wait("initialized")
        assert client.run("configurationDone")["reason"] == "end"


def test_unknown_launch_options_are_named(tmp_path: Path) -> None:
    with in_process() as client:
        client.start(program=write_program(tmp_path, "x = 1\n"), cal="f()", __session="1")
        assert "launch ignores cal\n" in client.output()


def test_what_the_program_printed(tmp_path: Path) -> None:
    with in_process() as client:
        client.start(program=write_program(tmp_path, "print('hello')\n"))
        assert client.output("stdout") == "hello\n"
        # Not in the summary at the start, too.
        assert "hello" not in client.output()


def test_a_mistake_of_the_adapter_stops_the_session_where_it_is(
    nested: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with in_process() as client:
        client.start(**nested, stopOnEntry=True)
        with monkeypatch.context() as patch:
            patch.setattr(ReplayCursor, "step", lambda *_: 1 / 0)
            stop = client.run("stepIn")
        assert stop["text"] == "internal error: ZeroDivisionError: division by zero"
        assert "ZeroDivisionError" in capsys.readouterr().err
        client.run("stepIn")
        assert client.stack()[0] == ("main", 12)


@pytest.mark.skipif(shutil.which("javac") is None, reason="needs a JDK")
def test_java_has_its_call_inside_the_class(tmp_path: Path) -> None:
    text = "class A {\n    static int f(int n) {\n        int s = n;\n        return s;\n    }\n}\n"
    program = write_program(tmp_path, text, "A.java")
    with in_process() as client:
        client.start(program=program, call="A.f(4)", breakpoints=[{"line": 4}])
        frames = client.body("stackTrace", threadId=1)["stackFrames"]
        assert [frame["source"].get("path") for frame in frames] == [program, None]
        assert client.scopes()["Locals"] == {"n": "4", "s": "4"}


def test_javascript(tmp_path: Path) -> None:
    text = "function f(n) {\n  let s = 0;\n  for (let i = 0; i < n; i++) {\n    s += i;\n  }\n"
    program = write_program(tmp_path, text + "  return {s, ok: true};\n}\n", "program.js")
    with in_process() as client:
        client.start(
            program=program,
            call="f(4)",
            breakpoints=[{"line": 4, "condition": "i === 2 && s !== 9"}],
        )
        assert client.stack()[0] == ("f", 4)
        assert client.scopes()["Locals"]["i"] == "2"
        client.run("stepOut")
        client.run("stepBack")
        rows = client.body("variables", variablesReference=client.reference("Locals"))["variables"]
        assert (rows[0]["name"], rows[0]["namedVariables"]) == ("(return)", 2)
