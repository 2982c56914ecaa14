"""Requests go in and the JSON of the OpenAI API comes out; its replies are read and checked."""

import json
from collections.abc import Sequence
from typing import Any, Literal

from worldline.engines.engine import Reply, Request, Scores, TokenScore, Usage, messages_of
from worldline.engines.patience import PassingError
from worldline.errors import EngineError

_KEY = "token_id:"
# What servers call the two ways in which a text ends.
_FINISHES: dict[str, Literal["stop", "length"]] = {
    "stop": "stop",
    "eos_token": "stop",
    "stop_sequence": "stop",
    "length": "length",
    "max_tokens": "length",
}


def request_body(request: Request, model: str) -> dict[str, Any]:
    """The JSON of a request; fields that a server may not know are sent only where needed."""
    body: dict[str, Any] = {
        "model": model,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
    }
    prompt = request.prompt
    messages = messages_of(prompt)
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
        body["include_stop_str_in_output"] = True
    if request.allowed_ids:
        body["allowed_token_ids"] = list(request.allowed_ids)
    if request.grammar is not None:
        body["structured_outputs"] = {"grammar": request.grammar}
    if request.logprobs:
        body["logprobs"] = 0
        body["return_tokens_as_token_ids"] = True
    return body


def score_body(ids: Sequence[int], model: str) -> dict[str, Any]:
    """The JSON of a request for the scores of a prompt's tokens."""
    return {
        "model": model,
        "prompt": list(ids),
        # Some servers refuse to write nothing.
        "max_tokens": 1,
        "temperature": 0.0,
        "prompt_logprobs": 1,
    }


def read_reply(found: dict[str, Any]) -> Reply:
    """A reply of the server, checked at the door; what is damaged may come whole next time."""
    choices = found.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise PassingError(f"the reply has no choices: {json.dumps(found)[:200]}")
    choice = choices[0]
    message = choice.get("message") or {}
    text = choice.get("text", message.get("content"))
    # A chat model that reasons may answer nothing at all.
    text = "" if text is None and "message" in choice else text
    finish = choice.get("finish_reason")
    if finish in (None, "abort"):
        raise PassingError(f"the reply was cut off: finish_reason is {finish!r}")
    if finish not in _FINISHES:
        raise EngineError(f"the server ended the reply for a reason of its own: {finish!r}")
    if not isinstance(text, str):
        raise PassingError("the reply has no text")
    # Of a conversation's prompt there is one, whatever the number of choices.
    prompt_ids = choice.get("prompt_token_ids") or found.get("prompt_token_ids")
    logprobs = (choice.get("logprobs") or {}).get("token_logprobs") or []
    return Reply(
        text=text,
        finish=_FINISHES[finish],
        ids=_ids(choice.get("token_ids")),
        logprobs=tuple(value for value in logprobs if value is not None),
        usage=_usage(found),
        prompt_ids=_ids(prompt_ids),
    )


def _ids(found: object) -> tuple[int, ...]:
    ids = found or []
    if not isinstance(ids, list) or not all(isinstance(token, int) for token in ids):
        raise PassingError(f"the reply's token ids are none: {json.dumps(ids)[:200]}")
    return tuple(ids)


def _usage(found: dict[str, Any]) -> Usage:
    usage = found.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    return Usage(
        prompt=usage.get("prompt_tokens") or 0,
        cached=details.get("cached_tokens") or 0,
        written=usage.get("completion_tokens") or 0,
    )


def read_scores(found: dict[str, Any], ids: Sequence[int]) -> Scores:
    """The scores of a prompt's tokens, all but the first."""
    rows = ((found.get("choices") or [{}])[0] or {}).get("prompt_logprobs")
    if not isinstance(rows, list) or len(rows) != len(ids):
        raise PassingError("the reply has no log-probabilities for the prompt")
    scores = []
    for token, row in zip(ids[1:], rows[1:], strict=True):
        entries = {int(key.removeprefix(_KEY)): entry for key, entry in row.items()}
        likeliest = min(entries, key=lambda found: entries[found]["rank"])
        own = entries[token]
        scores.append(TokenScore(own["logprob"], own["rank"], likeliest))
    return Scores(tuple(scores), _usage(found))
