"""Fields of requests that a server refuses, learned from its answers."""

import re
from typing import Any

from worldline.models.engines.server_connection import RequestRefused

# Other names that a server may want for a field.
_RENAMED = {"max_tokens": "max_completion_tokens"}
# Fields without which a request still makes sense, with those that only go with them.
_OPTIONAL: dict[str, tuple[str, ...]] = {
    "temperature": (),
    "seed": (),
    "logprobs": ("return_tokens_as_token_ids",),
}
# Fields that only ask for more detail in the reply.
_DETAILS = frozenset(
    {
        "return_token_ids",
        "return_tokens_as_token_ids",
        "skip_special_tokens",
        "spaces_between_special_tokens",
        "add_special_tokens",
        "include_stop_str_in_output",
    }
)
# How servers say that they do not know a field, as opposed to a wrong value in it.
_UNSUPPORTED = re.compile(
    r"not support|unsupported|unrecogni[sz]ed|unknown|unexpected|extra (input|field)"
    r"|extra_forbidden|not permitted|not allowed|not accept|only the default|deprecated",
    re.IGNORECASE,
)


class RefusedFields:
    """Fields that one endpoint refuses. Later requests leave them out, or rename them."""

    def __init__(self) -> None:
        self._renamed: set[str] = set()
        self._left_out: set[str] = set()

    @property
    def dropped(self) -> frozenset[str]:
        """Fields that are left out although they would change the reply."""
        return frozenset(self._left_out & _OPTIONAL.keys())

    def adapt(self, body: dict[str, Any]) -> dict[str, Any]:
        """Body of a request as the server accepts it."""
        return {
            _RENAMED[name] if name in self._renamed else name: value
            for name, value in body.items()
            if name not in self._left_out
        }

    def learn(self, refusal: RequestRefused, sent: dict[str, Any]) -> bool:
        """Learn from a refusal.

        Args:
            refusal: the server's answer.
            sent: the body that it refused.

        Returns:
            Whether the same request, adapted, may succeed.
        """
        if not _UNSUPPORTED.search(refusal.reason):
            return False
        if refusal.field in sent:
            named = [refusal.field]
        else:
            named = [name for name in sent if re.search(rf"\b{name}\b", refusal.reason)]
        has_learned = False
        for name in named:
            if name in _RENAMED:
                self._renamed.add(name)
            elif name in _OPTIONAL or name in _DETAILS:
                self._left_out.update((name, *_OPTIONAL.get(name, ())))
            else:
                continue
            has_learned = True
        return has_learned
