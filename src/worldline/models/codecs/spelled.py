"""Formats with their special tokens spelled as plain text, for models that do not have them.

A base model continues the text after worked examples of the same format.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from worldline.core.trace import Program, Trace
from worldline.models.codecs.codec import Codec
from worldline.models.codecs.cwm_tokens import BEGIN, END
from worldline.models.codecs.decoded import Decoded
from worldline.models.codecs.example_traces import check_shots, example_traces
from worldline.models.codecs.segments import Segments, SpecialToken


@dataclass(frozen=True)
class SpelledCodec:
    """Another codec's format as plain text, after worked examples.

    Attributes:
        name: name of the codec.
        codec: the codec whose special tokens are spelled.
        shots: number of worked examples.
    """

    name: str
    codec: Codec
    shots: int = 2

    special_tokens: ClassVar[dict[SpecialToken, int]] = {}
    end_token = None
    is_chat = False
    # Text that ends a completion: a model that continues writes another example after it.
    end_text = str(END)

    def __post_init__(self) -> None:
        check_shots(self.shots)

    def with_shots(self, shots: int) -> "SpelledCodec":
        """The same codec with another number of worked examples."""
        base = self.name.removesuffix(f"-{self.shots}")
        return replace(self, name=f"{base}-{shots}", shots=shots)

    def prompt(self, program: Program) -> Segments:
        """The worked examples, then the program."""
        examples = [
            "".join((*self.codec.prompt(trace.program), *self.codec.encode(trace)))
            for trace in example_traces(self.shots, program.language)
        ]
        text = "\n".join([*examples, "".join(self.codec.prompt(program))])
        # The server adds its own token for the beginning of a text.
        return (text.replace(BEGIN, ""),)

    def encode(self, trace: Trace) -> Segments:
        """Completion that a perfect model would write."""
        text = "".join(self.codec.encode(trace))
        return (text,) if text else ()

    def decode(self, text: str, program: Program) -> Decoded:
        """Read the steps in a completion, up to its end or to the next example."""
        return self.codec.decode(text, program)
