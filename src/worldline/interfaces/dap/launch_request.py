"""Launch arguments: a program and a call, a stored trace, a sample of a run, or a model."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program
from worldline.interfaces.api.diagnosing import diagnose, diagnose_sample
from worldline.interfaces.api.engine_handle import EngineLike
from worldline.interfaces.api.programs import read_program_file
from worldline.interfaces.api.recording import read_trace_file, record
from worldline.interfaces.api.sources import load_predictions
from worldline.interfaces.dap.debuggee import Debuggee, debuggee_of_sample, debuggee_of_trace
from worldline.interfaces.dap.live_prediction import LivePrediction, start_live_prediction
from worldline.interfaces.dap.request_arguments import (
    Arguments,
    RequestError,
    flag_argument,
    list_argument,
    number_argument,
    object_argument,
    refuse_unknown,
    required_text,
    text_argument,
)
from worldline.models.codecs import get_codec
from worldline.models.prediction import AUTO_CODEC, PredictionSettings, make_prediction

_COMMON = ("type", "request", "name", "noDebug", "stopOnEntry", "startInFile", "cwd",
           "presentation", "preLaunchTask", "postDebugTask", "internalConsoleOptions",
           "debugServer", "console", "windows", "linux", "osx", "serverReadyAction",
           "restart", "trace", "suppressMultipleSessionWarning", "adapter", "label", "build",
           "tcp_connection", "program", "host", "port")  # fmt: skip
_EXECUTION = ("call", "stdin", "threads", "python", "importFrom", "limits")
_MODEL = ("engine", "model", "codec", "maxTokens", "temperature", "seed", "recordActual")
_OTHERS = ("output", "predictions", "run", "sample", "traceFile")


@dataclass(frozen=True, slots=True)
class Launched:
    """What a launch has loaded; `live` if a model predicts while the user steps."""

    debuggee: Debuggee
    live: LivePrediction | None = None


def launch(
    arguments: Arguments, *, engine: EngineLike | None = None, say: Callable[[str], None]
) -> Launched:
    """Load what a client wants to debug.

    Args:
        arguments: The arguments of the request.
        engine: The engine of the server; `engine` in the arguments takes precedence.
        say: Called with what takes time.

    Raises:
        WorldlineError: An argument is wrong, or something cannot be read or executed.
    """
    known = (*_COMMON, *_EXECUTION, *_MODEL, *_OTHERS)
    ignored = [name for name in arguments if name not in known and not name.startswith("__")]
    if ignored:
        say(f"launch ignores {', '.join(ignored)}")
    folder = Path(text_argument(arguments, "cwd") or ".")
    kinds = [name for name in ("traceFile", "run", "predictions", "program") if name in arguments]
    if len(kinds) != 1:
        raise RequestError(
            "launch needs one of program (a file, with a call), run or predictions (with a "
            f"sample), and traceFile; it has {', '.join(kinds) or 'none of them'}"
        )
    path = folder / Path(required_text(arguments, kinds[0])).expanduser()
    if kinds[0] == "traceFile":
        return Launched(debuggee_of_trace(read_trace_file(path)))
    if kinds[0] != "program":
        source = required_text(arguments, kinds[0])
        return Launched(_stored_sample(source if "://" in source else str(path), arguments))
    return _launch_program(path.absolute(), arguments, engine, say)


def _stored_sample(source: str, arguments: Arguments) -> Debuggee:
    sample = text_argument(arguments, "sample")
    if sample is None:
        known = [prediction.id for prediction in load_predictions(source)]
        if len(known) != 1:
            names = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
            raise RequestError(f"sample is missing; {source} has {names}")
        sample = known[0]
    return debuggee_of_sample(diagnose_sample(source, sample, python=_python(arguments)))


def _launch_program(
    path: Path, arguments: Arguments, engine: EngineLike | None, say: Callable[[str], None]
) -> Launched:
    program = read_program_file(
        path, text_argument(arguments, "call"), stdin=text_argument(arguments, "stdin") or ""
    )
    output = text_argument(arguments, "output")
    wanted: EngineLike | None = text_argument(arguments, "engine") or engine
    if output is not None:
        return Launched(_given_output(program, path, output, arguments))
    say(f"executing {path.name} in the sandbox")
    if wanted is None:
        return Launched(debuggee_of_trace(_record(program, arguments), path=path))
    is_recorded = flag_argument(arguments, "recordActual", default=True)
    actual = _record(program, arguments) if is_recorded else None
    live = start_live_prediction(
        program,
        wanted,
        _settings(arguments),
        model=text_argument(arguments, "model"),
        actual=actual,
        path=path,
    )
    return Launched(live.debuggee(), live)


def _given_output(program: Program, path: Path, output: str, arguments: Arguments) -> Debuggee:
    """Compare a model's text in a file with the actual execution."""
    file = path.parent / Path(output).expanduser()
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot read the model's output {file}: {error}") from error
    codec = get_codec(text_argument(arguments, "codec") or "cwm")
    prediction = make_prediction(path.stem, program, text, codec, finish="unknown")
    sample = diagnose(prediction, limits=_limits(arguments), python=_python(arguments))
    return debuggee_of_sample(sample, path=path)


def _record(program: Program, arguments: Arguments) -> Any:
    folders = list_argument(arguments, "importFrom")
    if not all(isinstance(folder, str) for folder in folders):
        raise RequestError("importFrom must be a list of folders")
    return record(
        program,
        limits=_limits(arguments),
        python=_python(arguments),
        import_from=[Path(folder) for folder in folders],
        threads=flag_argument(arguments, "threads"),
    )


def _limits(arguments: Arguments) -> Limits:
    limits = object_argument(arguments, "limits")
    names = [field.name for field in fields(Limits)]
    refuse_unknown(limits, names, "limits")
    for name, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise RequestError(f"limits: {name} must be a positive number, not {value!r}")
    return Limits(**{name: value for name, value in limits.items() if name in names})


def _settings(arguments: Arguments) -> PredictionSettings:
    temperature = arguments.get("temperature", 0.0)
    if isinstance(temperature, bool) or not isinstance(temperature, int | float):
        raise RequestError("temperature must be a number")
    return PredictionSettings(
        codec=text_argument(arguments, "codec") or AUTO_CODEC,
        max_tokens=number_argument(arguments, "maxTokens") or PredictionSettings().max_tokens,
        temperature=float(temperature),
        seed=number_argument(arguments, "seed") or 0,
    )


def _python(arguments: Arguments) -> str | None:
    return text_argument(arguments, "python")
