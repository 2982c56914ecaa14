"""Stand-ins for hosted servers: what they refuse, ignore and report."""

import json
from collections.abc import Callable
from typing import Any

ReplyFunction = Callable[[str, dict[str, Any]], dict[str, Any]]
ANSWER = "[ANSWER]\n4\n[/ANSWER]"


def chat_reply(
    content: str | None = ANSWER, *, finish: str = "stop", **message: Any
) -> dict[str, Any]:
    """Reply of `/v1/chat/completions`, without usage."""
    fields = {"role": "assistant", "content": content, **message}
    return {"choices": [{"message": fields, "finish_reason": finish}]}


def refusal(message: str, *, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    """OpenAI's reply to a request that it does not accept."""
    kind = "invalid_request_error"
    return {
        "error": {"message": message, "type": kind, "param": param, "code": code},
        "_status": 400,
    }


def chat_only(reply: Callable[[dict[str, Any]], dict[str, Any]]) -> ReplyFunction:
    """A server with conversations only; every other endpoint is unknown."""

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/models":
            return {"data": [{"id": "hosted"}, {"id": "other"}]}
        if path == "/v1/chat/completions":
            return reply(json.loads(json.dumps(body)))
        return {"error": {"message": "Invalid URL"}, "_status": 404}

    return answer


def o_series(body: dict[str, Any]) -> dict[str, Any]:
    """Refuse what OpenAI's reasoning models refuse; spend the first 100 tokens on reasoning."""
    for name in ("max_tokens", "temperature", "logprobs", "seed", "return_token_ids", "stop"):
        hint = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
        if name in body:
            return refusal(
                f"Unsupported parameter: '{name}' is not supported with this model.{hint}",
                param=name,
                code="unsupported_parameter",
            )
    limit = body["max_completion_tokens"]
    is_spent = limit <= 100
    usage = {
        "prompt_tokens": 9,
        "completion_tokens": min(limit, 120),
        "completion_tokens_details": {"reasoning_tokens": min(limit, 100)},
    }
    reply = chat_reply("" if is_spent else ANSWER, finish="length" if is_spent else "stop")
    return {**reply, "usage": usage}
