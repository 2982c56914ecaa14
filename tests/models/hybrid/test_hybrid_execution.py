"""Hybrid executions with scripted models: right, wrong, unreadable and endless ones."""

import asyncio
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest

from tests.support.hidden_module_programs import HiddenModuleProgram, hidden_module_programs
from tests.support.session_interpreter import always_right
from worldline.analysis.alignment import answers_equal
from worldline.core.errors import EngineError, InputError
from worldline.core.trace import (
    Ending,
    Limits,
    Program,
    Trace,
    first_steps,
    trace_from_json,
    trace_to_json,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.engines import Capabilities, Capability, Message, ScriptedEngine
from worldline.models.hybrid import (
    FORBIDDEN,
    HybridExecution,
    HybridSettings,
    execute_hybrid,
    parse_assumed_names,
    replay_execution,
)

WEATHER = """
import requests

def forecast(days):
    response = requests.get("https://weather.example", params={"days": days})
    if response.status_code != 200:
        return "none"
    total = 0
    for value in response.json()["days"]:
        total += value
    return total / days
"""
ANSWERS = {
    "requests.get(": "<Response [200]>",
    "obj1.status_code": "200",
    "obj1.json()": "{'days': [20, 22]}",
}
# The scripted engine's tokens are bytes.
LARGE = HybridSettings(max_tokens=10_000, max_total_tokens=100_000_000)
Answer = Callable[[str], str]


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def question(prompt: str) -> str:
    """The last line of the session in a prompt."""
    return prompt.rstrip("\n").rpartition(">>> ")[2]


def from_table(answers: dict[str, str]) -> Answer:
    def answer(prompt: str) -> str:
        asked = question(prompt)
        return next(text for start, text in answers.items() if asked.startswith(start)) + "\n>>>"

    return answer


def execute(
    recorder: PythonRecorder,
    source: str,
    call: str | None,
    assume: str,
    answer: Answer,
    *,
    settings: HybridSettings = LARGE,
    limits: Limits | None = None,
) -> HybridExecution:
    return asyncio.run(
        execute_hybrid(
            Program(source, call),
            parse_assumed_names([assume]),
            ScriptedEngine(answer),
            recorder,
            settings=settings,
            limits=limits,
        )
    )


def expressions(execution: HybridExecution) -> list[str]:
    assert execution.trace.assumptions is not None
    return [call.expression for call in execution.trace.assumptions.calls]


# -- the execution and its marks --------------------------------------------------------------


def test_right_answers(recorder: PythonRecorder) -> None:
    execution = execute(recorder, WEATHER, "forecast(2)", "requests", from_table(ANSWERS))
    trace = execution.trace
    assert trace.result == "21.0"
    assert expressions(execution) == [
        "requests.get('https://weather.example', params={'days': 2})",
        "obj1.status_code",
        "obj1.json()",
    ]
    assumed = [trace.source_line(trace.steps[step]).strip() for step in sorted(trace.assumed_steps)]
    assert assumed == [
        'response = requests.get("https://weather.example", params={"days": days})',
        "if response.status_code != 200:",
        'for value in response.json()["days"]:',
    ]
    assert "3 calls were assumed, not executed" in trace.gaps
    assert execution.usage.requests == 3


def test_wrong_answer_takes_the_other_branch(recorder: PythonRecorder) -> None:
    answers = {**ANSWERS, "obj1.status_code": "404"}
    execution = execute(recorder, WEATHER, "forecast(2)", "requests", from_table(answers))
    assert execution.result == "'none'"


def test_unreadable_answer_is_a_result(recorder: PythonRecorder) -> None:
    answers = {**ANSWERS, "obj1.json()": "The forecast is sunny."}
    execution = execute(recorder, WEATHER, "forecast(2)", "requests", from_table(answers))
    ending = execution.trace.ending
    assert ending.reason == "assumption_failed"
    assert ending.detail == (
        "no value for obj1.json(): 'The forecast is sunny.' is not a Python value"
    )
    assert len(expressions(execution)) == 2
    # The steps up to the call are kept.
    assert execution.trace.source_line(execution.trace.steps[-1]).strip().startswith("for value")


def test_endless_answer_is_a_result(recorder: PythonRecorder) -> None:
    settings = HybridSettings(max_tokens=50)
    execution = execute(
        recorder, WEATHER, "forecast(2)", "requests", lambda _: "1, " * 1_000, settings=settings
    )
    assert execution.trace.ending == Ending(
        "assumption_failed",
        "no value for requests.get('https://weather.example', params={'days': 2}): the answer is "
        "longer than 50 tokens",
    )
    assert execution.usage.completion == 50


def test_answer_of_another_type_is_a_result(recorder: PythonRecorder) -> None:
    source = "import m\ndef f():\n    return bool(m.g())\n"
    answers = {"m.g()": "<object>", "bool(": "'yes'"}
    execution = execute(recorder, source, "f()", "m", from_table(answers))
    assert execution.trace.ending.detail == "no value for bool(obj1): 'yes' is not of type bool"


def test_exceptions(recorder: PythonRecorder) -> None:
    source = (
        "import m\ndef f():\n    try:\n        m.g(1)\n    except m.OddError as error:\n"
        "        return str(error)\n    except KeyError as error:\n        return error.args\n"
    )
    odd = execute(recorder, source, "f()", "m", lambda _: "m.inner.OddError: too odd\n>>>")
    assert odd.result == "'too odd'"
    key = execute(recorder, source, "f()", "m", lambda _: "KeyError: 'a'\n>>>")
    assert key.result == "('a',)"
    # Neither the interpreter's exit nor an interrupt can be assumed.
    other = execute(recorder, source, "f()", "m", lambda _: "SystemExit: 3\n>>>")
    assert other.trace.ending.reason == "assumption_failed"


def test_none_is_what_python_prints_nothing_for(recorder: PythonRecorder) -> None:
    source = "import m\ndef f():\n    return m.g() is None\n"
    assert execute(recorder, source, "f()", "m", lambda _: ">>>").result == "True"


def test_model_without_chat_template(recorder: PythonRecorder) -> None:
    class NoTemplate(ScriptedEngine):
        supported: frozenset[Capability] = frozenset()

        async def capabilities(self) -> Capabilities:
            return Capabilities(self.supported)

        async def render_chat(
            self, messages: Sequence[Message], *, prefill: str = ""
        ) -> tuple[int, ...]:
            raise EngineError("no chat template")

    program = Program("import m\ndef f():\n    return m.g() + 1\n", "f()")
    chat = NoTemplate(lambda prompt: "```\n7\n```")
    chat.supported = frozenset({"chat"})
    execution = asyncio.run(execute_hybrid(program, ("m",), chat, recorder, settings=LARGE))
    assert execution.result == "8"
    assert isinstance(chat.requests[0].prompt, tuple)
    # A model without a chat format continues the text.
    text = NoTemplate(lambda prompt: "9\n>>>" if prompt.endswith(">>> m.g()\n") else "?")
    execution = asyncio.run(execute_hybrid(program, ("m",), text, recorder, settings=LARGE))
    assert execution.result == "10"


# -- what is assumed --------------------------------------------------------------------------


def test_input(recorder: PythonRecorder) -> None:
    source = "name = input('Name? ')\nage = int(input())\nprint(name, age + 1)\n"
    answers = {"input('Name? ')": "'Ada'", "input()": "'36'"}
    trace = execute(recorder, source, None, "input", from_table(answers)).trace
    assert trace.ending == Ending("finished")
    assert trace.stdout == "Name? Ada 37\n"
    assert trace.assumed_steps == {1, 2}


def test_only_missing_modules(recorder: PythonRecorder) -> None:
    source = (
        "import json\nimport not_installed.part as part\nfrom other_missing import helper\n"
        "def f():\n    return json.dumps([part.g(), helper(2)])\n"
    )
    answers = {"not_installed.part.g()": "1", "other_missing.helper(2)": "'x'"}
    execution = execute(recorder, source, "f()", "missing", from_table(answers))
    assert execution.result == "'[1, \"x\"]'"
    # Without it, the import fails as ever.
    plain = execute(recorder, source, "f()", "requests", from_table(answers))
    assert plain.trace.ending.reason == "not_loaded"


def test_one_function_of_a_module(recorder: PythonRecorder) -> None:
    source = "import time\nimport os.path\ndef f():\n    return time.time(), time.gmtime(0)[0]\n"
    execution = execute(recorder, source, "f()", "time.time", lambda _: "12.5\n>>>")
    assert execution.result == "(12.5, 1970)"
    assert expressions(execution) == ["time.time()"]


def test_forbidden_calls(recorder: PythonRecorder) -> None:
    source = (
        "import subprocess\nimport urllib.request\nfrom urllib.parse import quote\n"
        "def f():\n    with urllib.request.urlopen('http://' + quote('a b')) as page:\n"
        "        text = page.read()\n    return text, subprocess.check_output(['date'])\n"
    )
    answers = {
        "urllib.request.urlopen('http://a%20b')": "<http.client.HTTPResponse object>",
        "obj1.read()": "b'page'",
        "subprocess.check_output(['date'])": "b'Monday'",
    }
    execution = execute(recorder, source, "f()", "forbidden", from_table(answers))
    assert execution.result == "(b'page', b'Monday')"
    actual = recorder.record(Program(source, "f()"))
    assert actual.ending.reason == "raised"
    assert {"socket", "subprocess"} <= set(FORBIDDEN)


def test_modules_of_the_library_get_the_actual_one(recorder: PythonRecorder) -> None:
    # textwrap imports re, which is assumed for the program only.
    source = "import re\nimport textwrap\ndef f():\n    return textwrap.wrap('a b', 1), re.x()\n"
    execution = execute(recorder, source, "f()", "re", lambda _: "5\n>>>")
    assert execution.result == "(['a', 'b'], 5)"


def test_attributes_that_are_data(recorder: PythonRecorder) -> None:
    source = (
        "import m\nfrom n import LIMIT, helper\n"
        "class Net(m.nn.Module):\n    pass\n"
        "@m.traced\ndef g(x: m.Tensor):\n    return x\n"
        "def f():\n    table = {m.KEY: LIMIT}\n    a = m.KEY\n"
        "    return table, isinstance(1, m.Tensor), Net.__mro__[1] is object\n"
    )
    answers = {
        "n.LIMIT": "9",
        "m.traced(": "<function g>",
        "m.KEY": "'k'",
        "isinstance(1, m.Tensor)": "False",
    }
    execution = execute(recorder, source, "f()", "m,n", from_table(answers))
    assert execution.result == "({'k': 9}, False, True)"
    # A constant of a module is asked for once.
    assert [text.partition("(")[0] for text in expressions(execution)] == [
        "n.LIMIT",
        "m.traced",
        "m.KEY",
        "isinstance",
    ]


def test_operations_on_objects(recorder: PythonRecorder) -> None:
    source = (
        "import m\ndef f():\n    x = m.make(int)\n    x.size = 3\n    x['a'] = [1]\n"
        "    del x['b']\n    for item in x:\n        pass\n"
        "    return x + 1, 2 * x, x[0], x[1:], len(x), f'{x:>3}', -x, x < 2, 'q' in x, sorted(x)\n"
    )
    answers = {
        "m.make(int)": "<thing>",
        "list(obj1)": "[2, 1]",
        "len(obj1)": "2",
        "obj1 + 1": "3",
        "2 * obj1": "4",
        "obj1[0]": "5",
        "obj1[slice(1, None, None)]": "[6]",
        "format(obj1, '>3')": "'  x'",
        "-obj1": "-7",
        "obj1 < 2": "True",
        "'q' in obj1": "False",
    }
    execution = execute(recorder, source, "f()", "m", from_table(answers))
    assert execution.result == "(3, 4, 5, [6], 2, '  x', -7, True, False, [1, 2])"
    assumptions = execution.trace.assumptions
    assert assumptions is not None
    assert assumptions.calls[1].statements == ("obj1.size = 3", "obj1['a'] = [1]", "del obj1['b']")


def test_both_recorders_give_the_same_steps(recorder: PythonRecorder) -> None:
    traces = []
    for backend in ("core", "settrace"):
        with PythonRecorder(backend=backend) as chosen:
            execution = execute(chosen, WEATHER, "forecast(2)", "requests", from_table(ANSWERS))
            traces.append(execution.trace)
    assert traces[0].steps == traces[1].steps
    assert traces[0].assumptions == traces[1].assumptions


@pytest.mark.parametrize("names", ["", " , ", "a-b", "sys", "builtins.open", "int", "1x", "class"])
def test_names_that_cannot_be_assumed(names: str) -> None:
    with pytest.raises(InputError, match="assume"):
        parse_assumed_names([names])


# -- replay and storage -----------------------------------------------------------------------


def test_replay_without_the_model(recorder: PythonRecorder) -> None:
    trace = execute(recorder, WEATHER, "forecast(2)", "requests", from_table(ANSWERS)).trace
    stored = trace_from_json(json.loads(json.dumps(trace_to_json(trace))))
    assert stored == trace
    assert replay_execution(stored, recorder) == trace


def test_replay_of_fewer_values(recorder: PythonRecorder) -> None:
    trace = execute(recorder, WEATHER, "forecast(2)", "requests", from_table(ANSWERS)).trace
    assert trace.assumptions is not None
    fewer = replace(trace.assumptions, calls=trace.assumptions.calls[:1])
    again = replay_execution(replace(trace, assumptions=fewer), recorder)
    assert again.ending == Ending(
        "assumption_failed", "no value for obj1.status_code: the stored trace has no value for it"
    )


def test_traces_without_assumptions_keep_their_bytes(recorder: PythonRecorder) -> None:
    data = trace_to_json(recorder.record(Program("def f():\n    return 1\n", "f()")))
    assert "assumptions" not in data
    assert list(data)[-1] == "notes"


def test_first_steps_keep_their_assumptions(recorder: PythonRecorder) -> None:
    trace = execute(recorder, WEATHER, "forecast(2)", "requests", from_table(ANSWERS)).trace
    assert first_steps(trace, 5).assumed_steps == {step for step in trace.assumed_steps if step < 5}
    assert len(trace.assumed_steps) == 3


# -- limits and hostile programs --------------------------------------------------------------


def test_limit_on_calls(recorder: PythonRecorder) -> None:
    source = "import m\ndef f():\n    while True:\n        m.g()\n"
    settings = replace(LARGE, max_calls=5)
    execution = execute(recorder, source, "f()", "m", lambda _: "1\n>>>", settings=settings)
    assert execution.trace.ending.detail == (
        "no value for m.g(): it would be more than 5 assumed calls"
    )
    assert execution.usage.requests == 5


def test_limit_on_tokens(recorder: PythonRecorder) -> None:
    source = "import m\ndef f():\n    while True:\n        m.g()\n"
    settings = replace(LARGE, max_total_tokens=1)
    execution = execute(recorder, source, "f()", "m", lambda _: "1\n>>>", settings=settings)
    assert execution.trace.ending.detail == "no value for m.g(): more than 1 tokens were used"
    assert execution.usage.requests == 1


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        ("m.g('x' * 10_000_000, *['y' * 9_000] * 9)", "the arguments of m.g are too long"),
        ("for i in range(10_000):\n    m.a = i", "too much is assigned to assumed objects"),
    ],
)
def test_large_requests_never_reach_the_model(
    recorder: PythonRecorder, body: str, detail: str
) -> None:
    lines = body.replace("\n", "\n    ")
    execution = execute(
        recorder, f"import m\ndef f():\n    {lines}\n", "f()", "m", lambda _: "1\n>>>"
    )
    assert execution.trace.ending == Ending("assumption_failed", detail)
    assert execution.usage.requests == 0


def test_long_values_are_shortened(recorder: PythonRecorder) -> None:
    source = "import m\ndef f():\n    return m.g('x' * 50_000)\n"
    prompts = []

    def answer(prompt: str) -> str:
        prompts.append(prompt)
        return "1\n>>>"

    limits = Limits(value_chars=100)
    assert execute(recorder, source, "f()", "m", answer, limits=limits).result == "1"
    assert "… <cut: more than 6400 characters>" in prompts[0]
    assert len(prompts[0]) < 5_000


def test_other_processes_cannot_ask(recorder: PythonRecorder) -> None:
    source = (
        "import m\nimport os\ndef f():\n    reader, writer = os.pipe()\n    if os.fork() == 0:\n"
        "        try:\n            m.g()\n        except RuntimeError as error:\n"
        "            os.write(writer, str(error).encode())\n        os._exit(0)\n"
        "    os.wait()\n    return os.read(reader, 99)\n"
    )
    execution = execute(recorder, source, "f()", "m", lambda _: "1\n>>>")
    assert execution.result == "b'm.g() cannot be assumed in a process of the program'"
    assert execution.usage.requests == 0


def test_repr_of_the_program_cannot_ask(recorder: PythonRecorder) -> None:
    source = (
        "import m\nclass A:\n    def __repr__(self):\n        return m.g()\n"
        "def f():\n    a = A()\n    return 1\n"
    )
    execution = execute(recorder, source, "f()", "m", lambda _: "'never'\n>>>")
    assert execution.result == "1"
    assert execution.usage.requests == 0
    states = list(execution.trace.states())
    assert {"<unrenderable: RuntimeError>"} == {state["a"] for state in states if "a" in state}


def test_program_that_does_not_repeat_itself(recorder: PythonRecorder) -> None:
    source = (
        "import m\nimport os\ndef f():\n    name = 'a' + os.urandom(8).hex()\n"
        "    return getattr(m, name)(), m.h()\n"
    )
    execution = execute(recorder, source, "f()", "m", lambda _: "1\n>>>")
    assert execution.trace.ending.reason == "assumption_failed"
    assert execution.trace.ending.detail.startswith("the program does not repeat itself")


def test_arguments_that_differ_between_executions(recorder: PythonRecorder) -> None:
    source = "import m\nimport os\ndef f():\n    return m.g(os.urandom(8)) + m.h()\n"
    execution = execute(recorder, source, "f()", "m", lambda _: "1\n>>>")
    assert execution.result == "2"
    assert any("differ from one execution to the next" in note for note in execution.trace.notes)


def test_forged_requests_are_refused(recorder: PythonRecorder) -> None:
    # With the reference recorder a program can write rows itself.
    source = (
        "import m\nimport os\ndef f():\n    for fd in range(90, 130):\n        try:\n"
        '            os.write(fd, b\'["end","assumption_needed","[1, 2]",[]]\\n\')\n'
        "        except OSError:\n            pass\n    os._exit(0)\n"
    )
    with PythonRecorder(backend="settrace") as reference:
        execution = execute(reference, source, "f()", "m", lambda _: "1\n>>>")
    assert execution.trace.ending == Ending("tampered", "the assumed call is malformed")
    assert execution.usage.requests == 0


def test_sandbox_stays_closed(recorder: PythonRecorder) -> None:
    source = (
        "import m\nimport os\ndef f():\n    m.g()\n    try:\n        open('/etc/passwd')\n"
        "    except OSError:\n        pass\n    os.chroot('/')\n"
    )
    execution = execute(recorder, source, "f()", "m", lambda _: "1\n>>>")
    assert execution.trace.ending.reason == "forbidden_call"


# -- hidden modules ---------------------------------------------------------------------------

# json.JSONDecodeError is a ValueError, but its placeholder is only an Exception.
BASE_CLASS_IS_LOST = {"json.is_valid.1", "json.is_valid.2"}
SAMPLE = hidden_module_programs()[::8]


def hybrid_trace(
    each: HiddenModuleProgram, recorder: PythonRecorder, interpreter: PythonRecorder
) -> Trace:
    engine = always_right(interpreter)
    return asyncio.run(
        execute_hybrid(each.program, (each.module,), engine, recorder, settings=LARGE)
    ).trace


def test_a_model_that_is_always_right_gives_the_actual_results(recorder: PythonRecorder) -> None:
    """Every eighth program; scripts/hybrid_agreement.py measures all."""
    with PythonRecorder() as interpreter:
        for each in SAMPLE:
            if each.id in BASE_CLASS_IS_LOST:
                continue
            actual, trace = recorder.record(each.program), hybrid_trace(each, recorder, interpreter)
            assert actual.result is not None, each.id
            assert trace.result is not None, (each.id, trace.ending)
            assert answers_equal(actual.result, trace.result), each.id
            assert trace.assumed_steps, each.id
    assert len(SAMPLE) == 25


def test_without_the_module_nothing_is_executed(recorder: PythonRecorder) -> None:
    for each in SAMPLE:
        trace = recorder.record(each.without_module)
        assert trace.ending.reason == "not_loaded", each.id
