"""Protocols of codecs, which encode a trace as a model's text and decode it again."""

import re
from collections.abc import Iterator
from typing import Protocol

from worldline.core.trace import Event, Program, Trace
from worldline.models.codecs.decoded import Decoded
from worldline.models.codecs.replay_state import ReplayState
from worldline.models.codecs.segments import RoleSegments, Segments, SpecialToken


class Codec(Protocol):
    """Encoder and decoder of one format.

    Decoding never raises: an error in a model's text is part of the result.
    """

    @property
    def name(self) -> str:
        """Name of the codec on the command line and in files."""
        ...

    @property
    def special_tokens(self) -> dict[SpecialToken, int]:
        """Special tokens of the format, with their ids in the tokenizer it was made for."""
        ...

    @property
    def is_chat(self) -> bool:
        """Whether the prompt is a conversation instead of a text to continue.

        Each segment of the prompt is then one message, of the user and the assistant in turn.
        """
        ...

    @property
    def end_token(self) -> SpecialToken | None:
        """Special token that ends a completion; None if the end of a message does."""
        ...

    def prompt(self, program: Program) -> Segments:
        """Prompt that asks a model about a program."""
        ...

    def encode(self, trace: Trace) -> Segments:
        """Completion that a perfect model would write."""
        ...

    def decode(self, text: str, program: Program) -> Decoded:
        """Read the steps in a model's completion."""
        ...


class StepCodec(Codec, Protocol):
    """Codec whose text consists of one step after the other.

    Some steps, or some roles of each step, can be forced while the model generates the rest.
    """

    @property
    def end_token(self) -> SpecialToken:
        """Special token that ends a trace."""
        ...

    def no_value(self, program: Program) -> str:
        """Text for the value of a scope that is left by an exception."""
        ...

    def encode_steps(self, trace: Trace) -> Iterator[tuple[RoleSegments, ...]]:
        """Encode a trace step by step, each step split into actions and states.

        The token that ends the trace is the last item.
        """
        ...

    def encode_step(
        self, event: Event, line: int, replay: ReplayState, state: str = ""
    ) -> tuple[RoleSegments, ...]:
        """Encode the next step.

        Args:
            event: event of the step.
            line: number of its source line.
            replay: steps before it.
            state: text of its state; empty if a model is to generate it.
        """
        ...

    def state_grammar(self, event: Event, *, max_value_chars: int) -> str:
        """Lark grammar of the state of a step, without the token that ends it."""
        ...


def split_at_special_tokens(text: str, codec: Codec) -> Segments:
    """Split a text in a codec's format into segments.

    "{}<|action_sep|>x" -> ("{}", SpecialToken("<|action_sep|>"), "x")
    """
    names = "|".join(map(re.escape, codec.special_tokens))
    segments = re.split(f"({names})", text) if names else [text]
    return tuple(
        SpecialToken(segment) if segment in codec.special_tokens else segment
        for segment in segments
        if segment
    )
