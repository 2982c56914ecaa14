"""MCP server: the tools and resources, as clients see them."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.metadata import version
from typing import Annotated, Any, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from worldline.core.errors import InputError, WorldlineError
from worldline.core.trace import Program
from worldline.interfaces.mcp.answers import (
    AdviceAnswer,
    Answer,
    ChangeAnswer,
    CheckAnswer,
    PredictionAnswer,
    TraceAnswer,
)
from worldline.interfaces.mcp.call_table import Reply
from worldline.interfaces.mcp.claims import MAX_CLAIMED_STEPS, ClaimedStep, Value
from worldline.interfaces.mcp.service import (
    LIMITS,
    MAX_CALL_CHARS,
    MAX_CODE_CHARS,
    ToolService,
    make_program,
)
from worldline.interfaces.mcp.text_limits import MAX_ERROR_CHARS
from worldline.interfaces.mcp.trace_store import (
    SCHEME,
    line_page,
    stdout_page,
    steps_page,
    variable_page,
)

INSTRUCTIONS = """\
Worldline executes Python code in a sandbox and shows what happens step by step. Use \
trace_execution to see where a variable changes, what a line does each time, or how an exception \
travels. Before you state what code returns or does, check it with check_prediction: it answers \
with the first step at which the claim is wrong. After an edit, what_changes shows how the \
executions of both versions differ. The code has no network, no files and no packages outside the \
standard library of the server's Python; it gets what it needs in `code` and `stdin`."""
PREDICTION_INSTRUCTIONS = """ predict_execution asks a model instead of running anything; \
should_i_run says whether its value can be trusted or the call must be run."""

Code = Annotated[
    str,
    Field(
        description="Python source text: everything that the call needs. Line 1 is its first line.",
        max_length=MAX_CODE_CHARS,
    ),
]
Call = Annotated[
    str,
    Field(
        description="One expression to execute, such as `f([3, 1], 2)`. If empty, the code runs as "
        "a script.",
        max_length=MAX_CALL_CHARS,
    ),
]
Seconds = Annotated[
    float, Field(description="Time limit of the execution in seconds.", gt=0, le=30)
]
Id = Annotated[str, Field(description="The id from an earlier answer.", max_length=80)]
TraceResult = Annotated[CallToolResult, TraceAnswer]
CheckResult = Annotated[CallToolResult, CheckAnswer]
ChangeResult = Annotated[CallToolResult, ChangeAnswer]
AdviceResult = Annotated[CallToolResult, AdviceAnswer]
PredictionResult = Annotated[CallToolResult, PredictionAnswer]
Tool = TypeVar("Tool", bound=Callable[..., Any])
_ANNOTATIONS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


def build_server(service: ToolService) -> MCPServer[None]:
    """Build a server whose tools do their work with a service.

    Args:
        service: Executes programs and asks the model. It is open while a client is connected.

    Returns:
        The server; the SDK's own client can be connected to it in memory.
    """

    @asynccontextmanager
    async def open_service(_: MCPServer[None]) -> AsyncIterator[None]:
        await service.open()
        try:
            yield
        finally:
            await service.close()

    server: MCPServer[None] = MCPServer(
        "worldline",
        title="Worldline",
        instructions=INSTRUCTIONS + PREDICTION_INSTRUCTIONS * service.has_engine,
        version=version("worldline"),
        lifespan=open_service,
        log_level="WARNING",
    )
    _add_tools(server, service)
    _add_call_tools(server, service)
    if service.has_engine:
        _add_prediction_tools(server, service)
    _add_resources(server, service)
    return server


def _tool(server: MCPServer[None], title: str) -> Callable[[Tool], Tool]:
    """Add a function as a tool; its docstring becomes the description."""

    def add(function: Tool) -> Tool:
        server.add_tool(
            function,
            title=title,
            description=inspect.cleandoc(function.__doc__ or ""),
            annotations=_ANNOTATIONS,
        )
        return function

    return add


def _add_tools(server: MCPServer[None], service: ToolService) -> None:
    @_tool(server, "Trace an execution")
    async def trace_execution(
        code: Code,
        call: Call = "",
        variable: Annotated[
            str, Field(description="Show only the lines that change this variable.", max_length=200)
        ] = "",
        line: Annotated[
            int, Field(description="Show every execution of this line number.", ge=0)
        ] = 0,
        stdin: Annotated[
            str, Field(description="What the program reads.", max_length=MAX_CODE_CHARS)
        ] = "",
        seconds: Seconds = LIMITS.seconds,
    ) -> TraceResult:
        """Run Python code in a sandbox and show the steps that matter.

        By default these are all lines that change a variable, return or raise, and the path of the
        exception if one ended the call. With `variable` or `line`, only the history of that
        variable or line. Long answers are shortened; `resources` has the rest.
        """
        program = _program(code, call, stdin)
        return await _answered(
            service.run(
                lambda id: service.trace_execution(
                    id, program, variable=variable, line=line, seconds=seconds
                ),
                TraceAnswer,
            )
        )

    @_tool(server, "Check a prediction")
    async def check_prediction(
        code: Code,
        call: Call,
        value: Annotated[
            Value, Field(description="The claimed result, as `repr` writes it: `'ab'`, `[1, 2]`.")
        ] = "",
        raised: Annotated[
            Value, Field(description="The claimed exception: `KeyError`, or `KeyError('x')`.")
        ] = "",
        steps: Annotated[
            list[ClaimedStep],
            Field(
                description="The claimed lines in the order of execution, from the first line of "
                "the called function on. They may end early. Functions whose lines are not "
                "mentioned are not compared.",
                max_length=MAX_CLAIMED_STEPS,
            ),
        ] = [],  # noqa: B006
        stdin: Annotated[str, Field(max_length=MAX_CODE_CHARS)] = "",
        seconds: Seconds = LIMITS.seconds,
    ) -> CheckResult:
        """Check a claim about what code returns, raises or does, by running it in a sandbox.

        The answer is `right`, or `wrong` with the first divergence in words. Give a value, an
        exception, or steps; steps are checked first.
        """
        if not (value or raised or steps):
            raise ToolError("give a claim: `value`, `raised` or `steps`")
        if value and raised:
            raise ToolError("a call returns a value or raises an exception; claim one of them")
        program = _program(code, call, stdin)
        return await _answered(
            service.run(
                lambda id: service.check_prediction(
                    id, program, value=value, raised=raised, steps=steps, seconds=seconds
                ),
                CheckAnswer,
            )
        )

    @_tool(server, "Compare two versions")
    async def what_changes(
        before: Code,
        after: Code,
        call: Call,
        predicted: Annotated[
            bool, Field(description="Ask the model instead of running; needs a model.")
        ] = False,
        stdin: Annotated[str, Field(max_length=MAX_CODE_CHARS)] = "",
        seconds: Seconds = LIMITS.seconds,
    ) -> ChangeResult:
        """Show how the executions of two versions of code differ for the same call.

        The answer has both results, and the first step at which the executions differ on the lines
        that both versions have.
        """
        programs = _program(before, call, stdin), _program(after, call, stdin)
        return await _answered(
            service.run(
                lambda id: service.what_changes(
                    id, *programs, predicted=predicted, seconds=seconds
                ),
                ChangeAnswer,
            )
        )


def _add_call_tools(server: MCPServer[None], service: ToolService) -> None:
    @_tool(server, "Get the result of a call")
    async def get_result(id: Id) -> CallToolResult:
        """Get the answer of a call that was still running; waits up to 20 seconds for it."""
        return await _answered(service.result(id))

    @_tool(server, "End a call")
    async def cancel_call(id: Id) -> Annotated[CallToolResult, Answer]:
        """End the work of a call that is still running."""
        with _tool_errors():
            return _result(service.cancel(id))


def _add_prediction_tools(server: MCPServer[None], service: ToolService) -> None:
    @_tool(server, "Predict an execution")
    async def predict_execution(code: Code, call: Call) -> PredictionResult:
        """Ask a model what a call returns, without running anything.

        The answer has the predicted value and the least certain step, and the probability that the
        value is right if the server was started with a trust model.
        """
        program = _program(code, call)
        return await _answered(
            service.run(lambda id: service.predict_execution(id, program), PredictionAnswer)
        )

    @_tool(server, "Should I run it?")
    async def should_i_run(code: Code, call: Call) -> AdviceResult:
        """Decide whether a call must be run, or a model's prediction of its value can be trusted.

        Nothing is executed. The answer is `trust` with the value if its calibrated probability
        reaches the threshold that the server was started with, otherwise `run` and the reason.
        """
        program = _program(code, call)
        return await _answered(
            service.run(lambda id: service.should_i_run(id, program), AdviceAnswer)
        )


def _add_resources(server: MCPServer[None], service: ToolService) -> None:
    @server.resource(f"{SCHEME}/{{id}}/steps/{{first}}", mime_type="text/plain")
    async def steps(id: str, first: str) -> str:
        """All executed lines of a trace, from a step on."""
        with _resource_errors():
            return steps_page(id, service.traces.get(id), _number(first))

    @server.resource(f"{SCHEME}/{{id}}/variables/{{name}}", mime_type="text/plain")
    async def variable(id: str, name: str) -> str:
        """The lines that changed a variable."""
        with _resource_errors():
            return variable_page(service.traces.get(id), name)

    @server.resource(f"{SCHEME}/{{id}}/lines/{{number}}", mime_type="text/plain")
    async def line(id: str, number: str) -> str:
        """Every execution of a line, with the variables that it uses."""
        with _resource_errors():
            return line_page(service.traces.get(id), _number(number))

    @server.resource(f"{SCHEME}/{{id}}/stdout/{{first}}", mime_type="text/plain")
    async def stdout(id: str, first: str) -> str:
        """What the program printed, from a character on."""
        with _resource_errors():
            return stdout_page(id, service.traces.get(id), _number(first))


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise InputError("the address must end with a number")
    return int(text)


def _program(code: str, call: str, stdin: str = "") -> Program:
    with _tool_errors():
        return make_program(code, call, stdin)


async def _answered(reply: Awaitable[Reply]) -> CallToolResult:
    with _tool_errors():
        return _result(await reply)


def _result(reply: Reply) -> CallToolResult:
    """An answer as structured content and as text; clients show one of the two to their model."""
    return CallToolResult(
        content=[TextContent(type="text", text=reply.text)],
        structured_content=reply.answer.model_dump(mode="json"),
    )


@contextmanager
def _tool_errors() -> Iterator[None]:
    """Turn errors of worldline into errors that the client's model can read."""
    try:
        yield
    except WorldlineError as error:
        raise ToolError(str(error)[:MAX_ERROR_CHARS]) from None


@contextmanager
def _resource_errors() -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise ResourceNotFoundError(str(error)[:MAX_ERROR_CHARS]) from None
    except WorldlineError as error:
        raise ResourceError(str(error)[:MAX_ERROR_CHARS]) from None
