"""Request for the value of one expression, in the form that an engine supports."""

from typing import Literal

from worldline.core.errors import EngineError
from worldline.core.trace import Trace
from worldline.languages.python.recorder import OpenCall
from worldline.models.engines import Engine, Message, Prompt, Request, Usage
from worldline.models.hybrid.answer_parser import ParsedAnswer, parse_answer
from worldline.models.hybrid.answer_prompt import build_session, instructions

PromptForm = Literal[
    "continuation",  # the model's answer begins with the session, and it continues that
    "chat",  # a message with the session
    "text",  # a text that ends with the session
]
# Where an answer that continues the session ends.
_STOP = (">>>", "```")
_FENCE = "```pycon\n"


async def find_prompt_form(engine: Engine) -> PromptForm:
    """The best form that an engine supports.

    Its capabilities are tested only if it has no chat template: that takes many requests.
    """
    try:
        await engine.render_chat([Message("user", "1 + 1")], prefill=_FENCE)
    except EngineError:
        supported = (await engine.capabilities()).supported
        return "chat" if "chat" in supported else "text"
    return "continuation"


async def ask_value(
    trace: Trace,
    call: OpenCall,
    engine: Engine,
    *,
    form: PromptForm = "continuation",
    max_tokens: int = 256,
    shown_steps: int = 20,
    temperature: float = 0.0,
    seed: int = 0,
) -> tuple[ParsedAnswer, Usage]:
    """Ask a model for the value of one call.

    Args:
        trace: The execution up to the call.
        call: The call.
        engine: The model.
        form: The form of the prompt.
        max_tokens: Completion tokens of the answer.
        shown_steps: Number of steps before the call in the prompt.
        temperature: Sampling temperature.
        seed: Sampling seed.
    """
    assert trace.assumptions is not None
    task = instructions(trace, steps=shown_steps)
    session = _FENCE + build_session(trace.assumptions.calls, call)
    is_continued = form != "chat"
    prompt: Prompt
    if form == "continuation":
        prompt = await engine.render_chat([Message("user", task)], prefill=session)
    else:
        prompt = f"{task}\n\nThe session:\n{session}"
        if form == "chat":
            prompt = (Message("user", f"{prompt}```"),)
    request = Request(
        prompt,
        max_tokens,
        temperature=temperature,
        seed=seed,
        stop=_STOP if is_continued else (),
    )
    reply = await engine.generate(request)
    if reply.finish == "truncated":
        problem = f"the answer is longer than {max_tokens} tokens"
        return ParsedAnswer(None, problem=problem), reply.usage
    # Python prints nothing for None.
    is_silent = is_continued and reply.text.strip() in _STOP
    text = "None" if is_silent else reply.text
    return parse_answer(text, expected_type=call.expected_type), reply.usage
