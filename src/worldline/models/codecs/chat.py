"""Codecs for general chat models, which ask for the result of the call."""

from worldline.core.errors import CodecError
from worldline.core.language import get_language
from worldline.core.trace import Program, Trace
from worldline.models.codecs.answer_extraction import parse_text_after_trace
from worldline.models.codecs.decoded import Decoded
from worldline.models.codecs.prompt_language import prompt_text
from worldline.models.codecs.segments import Segments, SpecialToken

INSTRUCTIONS = """\
You are given a Python program and a call of one of its functions. Work out what the call returns \
by following the execution line by line: after each line that runs, note the variables that have \
changed. Then give the returned value, as Python's repr would write it, between [ANSWER] and \
[/ANSWER], as an assertion about the call. Do not run the program, and write nothing after \
[/ANSWER].
"""
ANSWER_INSTRUCTIONS = """\
You are given a Python program and a call of one of its functions. Give the value that the call \
returns, as Python's repr would write it, between [ANSWER] and [/ANSWER]. Do not run the program, \
and write nothing else.
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


EXAMPLES = {
    "python": (EXAMPLE, WORKED),
    **dict.fromkeys(
        ("javascript", "typescript"),
        (
            Program(
                "function f(words, n) {\n    const kept = [];\n    for (const word of words) {\n"
                "        if (word.length > n) {\n            kept.push(word.toUpperCase());\n"
                "        }\n    }\n    return kept;\n}",
                "f(['ab', 'hello'], 2)",
                language="javascript",
            ),
            WORKED.replace("kept = [] makes kept the empty list", "kept becomes the empty array")
            .replace("appended", "pushed")
            .replace(
                "assert f(['ab', 'hello'], 2) == ['HELLO']",
                "assert.deepStrictEqual(f(['ab', 'hello'], 2), ['HELLO']);",
            ),
        ),
    ),
    "java": (
        Program(
            "import java.util.*;\n\nclass Words {\n"
            "    static List<String> f(List<String> words, int n) {\n"
            "        List<String> kept = new ArrayList<>();\n        for (String word : words) {\n"
            "            if (word.length() > n) {\n                kept.add(word.toUpperCase());\n"
            "            }\n        }\n        return kept;\n    }\n}",
            'f(List.of("ab", "hello"), 2)',
            language="java",
        ),
        WORKED.replace("'", '"')
        .replace("kept = [] makes kept the empty list", "kept becomes the empty list")
        .replace("appended", "added")
        .replace(
            'assert f(["ab", "hello"], 2) == ["HELLO"]',
            'assertEquals(["HELLO"], f(List.of("ab", "hello"), 2));',
        ),
    ),
    "rust": (
        Program(
            "fn f(words: Vec<&str>, n: usize) -> Vec<String> {\n"
            "    let mut kept = Vec::new();\n    for word in words {\n"
            "        if word.len() > n {\n            kept.push(word.to_uppercase());\n"
            "        }\n    }\n    kept\n}",
            'f(vec!["ab", "hello"], 2)',
            language="rust",
        ),
        WORKED.replace("'", '"')
        .replace("kept = [] makes kept the empty list", "kept becomes the empty vector")
        .replace("appended", "pushed")
        .replace(
            'assert f(["ab", "hello"], 2) == ["HELLO"]',
            'assert_eq!(f(vec!["ab", "hello"], 2), ["HELLO"]);',
        ),
    ),
    "go": (
        Program(
            "func f(words []string, n int) []string {\n    kept := []string{}\n"
            "    for _, word := range words {\n        if len(word) > n {\n"
            "            kept = append(kept, strings.ToUpper(word))\n        }\n    }\n"
            "    return kept\n}",
            'f([]string{"ab", "hello"}, 2)',
            language="go",
        ),
        WORKED.replace("'", '"')
        .replace("kept = [] makes kept the empty list", "kept becomes the empty slice")
        .replace('["ab", "hello"] and', '[]string{"ab", "hello"} and')
        .replace('kept is ["HELLO"]', 'kept is []string{"HELLO"}')
        .replace(
            'assert f(["ab", "hello"], 2) == ["HELLO"]',
            'assert.Equal(t, []string{"HELLO"}, f([]string{"ab", "hello"}, 2))',
        ),
    ),
    "cpp": (
        Program(
            "std::vector<std::string> f(std::vector<std::string> words, int n) {\n"
            "    std::vector<std::string> kept;\n    for (std::string word : words) {\n"
            "        if (word.size() > n) {\n            word[0] = std::toupper(word[0]);\n"
            "            kept.push_back(word);\n        }\n    }\n    return kept;\n}",
            'f({"ab", "hello"}, 2)',
            language="cpp",
        ),
        WORKED.replace("kept = [] makes kept the empty list", "kept is the empty vector")
        .replace("['ab', 'hello'] and", '{"ab", "hello"} and')
        .replace(
            "'HELLO' is appended and kept is ['HELLO']",
            """\
word becomes "Hello" and is appended, and kept is {"Hello"}""",
        )
        .replace("'ab'", '"ab"')
        .replace("'hello'", '"hello"')
        .replace(
            'assert f(["ab", "hello"], 2) == [\'HELLO\']',
            'assert(f({"ab", "hello"}, 2) == std::vector<std::string>{"Hello"});',
        ),
    ),
}
# The answer as an assertion.
ASSERTIONS = {
    "python": "assert {call} == {result}",
    "cpp": "assert({call} == {result});",
    "java": "assertEquals({result}, {call});",
    "rust": "assert_eq!({call}, {result});",
    "go": "assert.Equal(t, {result}, {call})",
}
_ASSERTION = "assert.deepStrictEqual({call}, {result});"


def _example(language: str) -> tuple[Program, str]:
    """The example of a language: one of those above, or that of its package."""
    if language in EXAMPLES:
        return EXAMPLES[language]
    example = get_language(language).chat_example
    if example is None:
        raise CodecError(
            f"the chat format has no example in {language}; use another codec, or give the "
            "language a chat_example"
        )
    return Program(example.source, example.call, language=language), example.answer


def _assertion(language: str) -> str:
    example = get_language(language).chat_example
    return ASSERTIONS.get(language, example.assertion if example else _ASSERTION)


class ChatCodec:
    """Conversation of instructions, an example with its answer, and the program.

    The model reasons, and its answer is an assertion. It contains no steps, so only the result can
    be compared.
    """

    name = "chat"
    special_tokens: dict[SpecialToken, int] = {}  # noqa: RUF012
    end_token = None
    is_chat = True
    _instructions = INSTRUCTIONS

    def prompt(self, program: Program) -> Segments:
        """Messages of the user and the assistant in turn: the example, its answer, the question."""
        if program.split_entry() is None:
            raise CodecError("the chat format needs a call to ask about; give --call 'f(1)'")
        example, worked = self._worked_example(program.language)
        instructions = prompt_text(self._instructions, program.language)
        return (f"{instructions}\n{_question(example)}", worked, _question(program))

    def encode(self, trace: Trace) -> Segments:
        """Answer that a perfect model would give."""
        _, call = trace.program.split_entry() or ("", "")
        template = _assertion(trace.program.language)
        assertion = template.replace("{call}", call).replace("{result}", str(trace.result))
        return (f"[ANSWER]\n{assertion}\n[/ANSWER]",)

    def decode(self, text: str, program: Program) -> Decoded:
        """Decode no steps; the text from the last answer on is the text after the trace.

        A model may mention [ANSWER] and [/ANSWER] before it gives its answer.
        """
        closed = text.rfind("[/ANSWER]")
        start = max(0, text.rfind("[ANSWER]", 0, closed)) if closed >= 0 else 0
        return Decoded(
            steps=(),
            step_texts=(),
            stop="complete",
            reason="only the result was asked for",
            position=start,
            after=text[start:],
            shows_steps=False,
        )

    def _worked_example(self, language: str) -> tuple[Program, str]:
        return _example(language)


class ChatAnswerCodec(ChatCodec):
    """The same conversation without reasoning: the model is asked for the value and nothing else.

    An answer takes a few tokens, where `ChatCodec` takes a hundred or more.
    """

    name = "chat-answer"
    _instructions = ANSWER_INSTRUCTIONS

    def encode(self, trace: Trace) -> Segments:
        """Answer that a perfect model would give."""
        return (_answer(str(trace.result)),)

    def _worked_example(self, language: str) -> tuple[Program, str]:
        example, worked = _example(language)
        value = parse_text_after_trace(worked, language).answer
        assert value is not None, worked
        return example, _answer(value)


def _answer(value: str) -> str:
    return f"[ANSWER]\n{value}\n[/ANSWER]"


def _question(program: Program) -> str:
    source, call = program.split_entry() or (program.source, "")
    return f"[PROGRAM]\n{source.strip()}\n[/PROGRAM]\n[CALL]\n{call.strip()}\n[/CALL]"
