"""Reasoning of a chat model, kept apart from its answer."""

import re
from collections.abc import Mapping
from typing import Any

_START, _END = "<think>", "</think>"
# Not within a string of the answer: '</think>'
_END_MARK = re.compile(r"</think>(?!['\"])")
# Names of the field for reasoning: vLLM, llama.cpp and DeepSeek; OpenRouter and newer vLLM.
_FIELDS = ("reasoning_content", "reasoning")


def split_reasoning(message: Mapping[str, Any], text: str) -> tuple[str, str]:
    """Split a chat message into reasoning and answer.

    The server may have a field for reasoning. Otherwise it is at the beginning of the text, between
    `<think>` and `</think>`. Some chat templates write `<think>` themselves, so that it is missing
    in the text.

    "<think>\\n2 + 2\\n</think>\\n\\n4" -> "2 + 2", "4"

    Args:
        message: the message of the reply.
        text: its content.

    Returns:
        The reasoning, and the answer.
    """
    fields = [value for name in _FIELDS if isinstance(value := message.get(name), str) and value]
    if fields:
        return fields[0], text
    head = text.lstrip()
    has_start = head.startswith(_START)
    if not has_start and not _END_MARK.search(text):
        return "", text
    body = head.removeprefix(_START)
    if not has_start and _START in body.partition(_END)[0]:
        # The text only talks about these marks.
        return "", text
    end = None if has_start else _END_MARK.search(body)
    if end is not None:
        return body[: end.start()].strip(), body[end.end() :].lstrip()
    reasoning, _, answer = body.partition(_END)
    return reasoning.strip(), answer.lstrip()
