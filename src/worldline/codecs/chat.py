"""A question for a general chat model: what does the call return? Its answer is read back."""

from worldline.codecs.decoded import Decoded
from worldline.codecs.pieces import Pieces, Special
from worldline.errors import CodecError
from worldline.trace import Program, Trace

INSTRUCTIONS = """\
You are given a Python program and a call of one of its functions. Work out what the call returns \
by following the execution line by line: after each line that runs, note the variables that have \
changed. Then give the returned value, as Python's repr would write it, between [ANSWER] and \
[/ANSWER], as an assertion about the call. Do not run the program, and write nothing after \
[/ANSWER].
"""
EXAMPLE = Program(
    "def f(words, n):\n    kept = []\n    for word in words:\n        if len(word) > n:\n"
    "            kept.append(word.upper())\n    return kept",
    "f(['ab', 'hello'], 2)",
)
WORKED = """\
The call begins with words = ['ab', 'hello'] and n = 2.
kept = [] makes kept the empty list.
The loop takes word = 'ab': its length 2 is not greater than 2, so nothing is appended.
The loop takes word = 'hello': its length 5 is greater than 2, so 'HELLO' is appended and kept is \
['HELLO'].
The loop is over and kept is returned.
[ANSWER]
assert f(['ab', 'hello'], 2) == ['HELLO']
[/ANSWER]"""


class ChatCodec:
    """Instructions with an example, its worked answer, and the program; the answer is an assertion.

    It asks for the result alone, so there are no steps to be compared.
    """

    name = "chat"
    specials: dict[Special, int] = {}  # noqa: RUF012
    end = None
    is_chat = True

    def prompt(self, program: Program) -> Pieces:
        """What is said by turns, by the user first: the example, its answer, the question."""
        if program.call is None:
            raise CodecError("the chat format needs a call to ask about; give --call 'f(1)'")
        return (f"{INSTRUCTIONS}\n{_question(EXAMPLE)}", WORKED, _question(program))

    def encode(self, trace: Trace) -> Pieces:
        """What a perfect model would answer."""
        return (f"[ANSWER]\nassert {trace.program.call} == {trace.result}\n[/ANSWER]",)

    def decode(self, text: str, program: Program) -> Decoded:
        """No steps: all of the text stands behind them, from its last answer on.

        A model may speak of [ANSWER] and [/ANSWER] before it gives one.
        """
        closed = text.rfind("[/ANSWER]")
        start = max(0, text.rfind("[ANSWER]", 0, closed)) if closed >= 0 else 0
        return Decoded(
            steps=(),
            written=(),
            stop="ended",
            reason="only the result was asked for",
            position=start,
            after=text[start:],
            shows_steps=False,
        )


def _question(program: Program) -> str:
    source, call = program.source.strip(), (program.call or "").strip()
    return f"[PROGRAM]\n{source}\n[/PROGRAM]\n[CALL]\n{call}\n[/CALL]"
