"""Interpreter of the sessions in prompts of hybrid executions: the engine that is always right."""

from collections.abc import Sequence

from worldline.core.trace import Limits, Program
from worldline.languages.python.recorder import PythonRecorder, parse_literal
from worldline.models.engines import ScriptedEngine

_SESSION_START = "```pycon\n"
_PROMPT = ">>> "
# Executes lines as an interactive interpreter does; returns what it prints for each.
_SOURCE = """
def execute(lines):
    names, printed = {}, []
    for line in lines:
        try:
            try:
                code = compile(line, "<session>", "eval")
            except SyntaxError:
                code = compile(line, "<session>", "exec")
            value = eval(code, names)
            printed.append("" if value is None else repr(value))
        except Exception as error:
            name, text = type(error).__name__, str(error)
            last = name + (": " + text) * bool(text)
            printed.append("Traceback (most recent call last):\\n" + last)
    return printed
"""


def execute_session(recorder: PythonRecorder, lines: Sequence[str]) -> list[str]:
    """What Python prints for each line of a session: the value, a traceback, or nothing."""
    program = Program(_SOURCE, f"execute({list(lines)!r})")
    trace = recorder.record(program, limits=Limits(value_chars=1_000_000))
    if trace.result is None:
        return ["Traceback (most recent call last):\nRuntimeError: no result"] * len(lines)
    printed: list[str] = parse_literal(trace.result)
    return printed


def answer_session(recorder: PythonRecorder, prompt: str) -> str:
    """What Python prints for the last line of the session in a prompt."""
    session = prompt.rpartition(_SESSION_START)[2]
    lines = [line[len(_PROMPT) :] for line in session.splitlines() if line.startswith(_PROMPT)]
    printed = execute_session(recorder, lines)[-1]
    return f"{printed}\n>>>" if printed else ">>>"


def always_right(recorder: PythonRecorder) -> ScriptedEngine:
    """An engine that executes the session, with the modules that the program must not use."""
    return ScriptedEngine(lambda prompt: answer_session(recorder, prompt))
