"""JSON of the OpenAI API: bodies of requests, and parsers of replies."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from worldline.core.errors import EngineError
from worldline.models.engines.engine import Reply, Request, Scores, TokenScore, Usage, as_messages
from worldline.models.engines.reasoning import split_reasoning
from worldline.models.engines.retry import TransientError

_TOKEN_ID_PREFIX = "token_id:"
# Fields that change how messages are rendered; `/tokenize` and `/apply-template` know them, too.
_TEMPLATE_FIELDS = ("chat_template", "chat_template_kwargs")
# Finish reasons of different servers.
_FINISHES: dict[str, Literal["stop", "truncated"]] = {
    "stop": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "length": "truncated",
    "max_tokens": "truncated",
}


def request_body(request: Request, model: str) -> dict[str, Any]:
    """Body of a request for a completion.

    Fields that a server may not know are sent only if they are needed.
    """
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
    }
    prompt = request.prompt
    messages = as_messages(prompt)
    if messages:
        body["messages"] = [{"role": m.role, "content": m.content} for m in messages]
    else:
        body["prompt"] = prompt if isinstance(prompt, str) else list(prompt)
        body["return_token_ids"] = True
        body["skip_special_tokens"] = False
        body["spaces_between_special_tokens"] = False
        if isinstance(prompt, str):
            body["add_special_tokens"] = False
    if request.seed is not None:
        body["seed"] = request.seed
    if request.stop_ids:
        body["stop_token_ids"] = list(request.stop_ids)
    if request.stop:
        body["stop"] = list(request.stop)
    if request.stop_ids or request.stop:
        body["include_stop_str_in_output"] = True
    if request.allowed_ids:
        body["allowed_token_ids"] = list(request.allowed_ids)
    if request.grammar is not None:
        body["structured_outputs"] = {"grammar": request.grammar}
    if request.json_schema is not None:
        body |= _schema_fields(request.json_schema, is_chat=bool(messages))
    if request.logprobs:
        # The chat endpoint has a flag here, the other one a number of alternatives.
        body["logprobs"] = True if messages else 0
        body["return_tokens_as_token_ids"] = True
    return body


def _schema_fields(schema: Mapping[str, Any], *, is_chat: bool) -> dict[str, Any]:
    """Fields for a JSON schema: OpenAI's for a conversation, vLLM's for a prompt."""
    if not is_chat:
        return {"structured_outputs": {"json": dict(schema)}}
    description = {"name": "reply", "strict": True, "schema": dict(schema)}
    return {"response_format": {"type": "json_schema", "json_schema": description}}


def score_body(ids: Sequence[int], model: str) -> dict[str, Any]:
    """Body of a request for the log-probabilities of a prompt."""
    return {
        "model": model,
        "prompt": list(ids),
        # Some servers refuse 0.
        "max_tokens": 1,
        "temperature": 0.0,
        "prompt_logprobs": 1,
    }


def parse_reply(body: dict[str, Any]) -> Reply:
    """Parse and check a server's reply.

    Raises:
        TransientError: the reply is malformed; a retry may help.
        EngineError: the server ended the completion for an unknown reason.
    """
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise TransientError(f"the reply has no choices: {json.dumps(body)[:200]}")
    choice = choices[0]
    message = choice.get("message") or {}
    text = choice.get("text", message.get("content"))
    # The answer of a reasoning model may be empty.
    text = "" if text is None and "message" in choice else text
    reasoning = ""
    if "message" in choice and isinstance(text, str):
        reasoning, text = split_reasoning(message, text)
    finish = choice.get("finish_reason")
    if finish in (None, "abort"):
        raise TransientError(f"the reply is incomplete: finish_reason is {finish!r}")
    if finish not in _FINISHES:
        raise EngineError(f"the server ended the reply for an unknown reason: {finish!r}")
    if not isinstance(text, str):
        raise TransientError("the reply has no text")
    # For a conversation they are next to the choices, not in them.
    prompt_ids = choice.get("prompt_token_ids") or body.get("prompt_token_ids")
    # vLLM names the string at which it stopped; a number is a token id.
    stopped_at = choice.get("stop_reason")
    if isinstance(stopped_at, str) and not text.endswith(stopped_at):
        text += stopped_at
    return Reply(
        text=text,
        finish=_FINISHES[finish],
        ids=_parse_ids(choice.get("token_ids")),
        logprobs=_parse_logprobs(choice.get("logprobs") or {}),
        usage=_parse_usage(body),
        prompt_ids=_parse_ids(prompt_ids),
        reasoning=reasoning,
    )


def _parse_ids(value: object) -> tuple[int, ...]:
    ids = value or []
    if not isinstance(ids, list) or not all(isinstance(token, int) for token in ids):
        raise TransientError(f"the reply's token ids are not integers: {json.dumps(ids)[:200]}")
    return tuple(ids)


def _parse_logprobs(logprobs: Mapping[str, Any]) -> tuple[float, ...]:
    """Log-probabilities of a completion, or of a conversation, which has them in `content`."""
    values = logprobs.get("token_logprobs") or []
    values = values or [entry.get("logprob") for entry in logprobs.get("content") or []]
    return tuple(value for value in values if value is not None)


def _parse_usage(body: dict[str, Any]) -> Usage:
    usage = body.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    completion_details = usage.get("completion_tokens_details") or {}
    return Usage(
        prompt=usage.get("prompt_tokens") or 0,
        cached=details.get("cached_tokens") or 0,
        completion=usage.get("completion_tokens") or 0,
        reasoning=completion_details.get("reasoning_tokens") or 0,
    )


def parse_scores(body: dict[str, Any], ids: Sequence[int]) -> Scores:
    """Parse the scores of all tokens of a prompt except the first.

    Raises:
        TransientError: the reply has no log-probabilities.
    """
    rows = ((body.get("choices") or [{}])[0] or {}).get("prompt_logprobs")
    if not isinstance(rows, list) or len(rows) != len(ids):
        raise TransientError("the reply has no log-probabilities for the prompt")
    scores = []
    for token, row in zip(ids[1:], rows[1:], strict=True):
        entries = {int(key.removeprefix(_TOKEN_ID_PREFIX)): entry for key, entry in row.items()}
        likeliest = min(entries, key=lambda id: entries[id]["rank"])
        actual = entries[token]
        scores.append(TokenScore(actual["logprob"], actual["rank"], likeliest))
    return Scores(tuple(scores), _parse_usage(body))


def template_options(extra_body: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of an extra body that change how the chat template renders messages.

    {"chat_template_kwargs": {"enable_thinking": False}, "top_k": 20} ->
    {"chat_template_kwargs": {"enable_thinking": False}}
    """
    return {key: extra_body[key] for key in _TEMPLATE_FIELDS if key in extra_body}
