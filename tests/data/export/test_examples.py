"""Examples: token ids as they are sent to a model, each an action or a state token."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from tests.data.export.small_exports import LOOP, PROGRAMS, exported, stored
from worldline.core.errors import TokenizerError
from worldline.core.trace import Limits, Program
from worldline.data.export import (
    LOSSES,
    Example,
    exclusion_reason,
    trace_to_example,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import STEP_CODECS, StepCodec
from worldline.models.engines import Reply, Request, ScriptedEngine, Usage
from worldline.models.prediction import (
    CodecTokenizer,
    Mode,
    PredictionSettings,
    Question,
    predict_questions,
)
from worldline.models.tokenizers import load_tokenizer, train_tokenizer

tokenizers = pytest.importorskip("tokenizers")
CWM = STEP_CODECS["cwm"]
SPECIALS = [
    str(special) for special in sorted(CWM.special_tokens, key=CWM.special_tokens.__getitem__)
]


@pytest.fixture(scope="module", params=[None, 400], ids=["bytes", "bpe"])
def tokenizer_file(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A trained tokenizer, of bytes or with byte pairs."""
    folder = tmp_path_factory.mktemp("tokenizer")
    texts = [LOOP * 3, '{"s": "0", "i": ".."}' * 5]
    return train_tokenizer(texts, folder, size=request.param, special_tokens=SPECIALS)


@pytest.fixture
def codec_tokenizer(tokenizer_file: Path) -> CodecTokenizer:
    return CodecTokenizer.load(str(tokenizer_file), CWM)


@pytest.mark.parametrize("codec", STEP_CODECS.values(), ids=STEP_CODECS)
def test_each_token_of_a_completion_is_an_action_or_a_state(
    codec: StepCodec, recorder: PythonRecorder, codec_tokenizer: CodecTokenizer
) -> None:
    for trace in stored(recorder):
        example = trace_to_example(trace, codec, codec_tokenizer)
        lists = (example.labels, example.action_mask, example.state_mask)
        assert {len(values) for values in lists} == {len(example.input_ids)}
        pairs = list(zip(example.action_mask, example.state_mask, strict=True))
        start = example.prompt_tokens
        assert set(pairs[:start]) == {(0, 0)}
        assert set(pairs[start:]) == {(1, 0), (0, 1)}
        assert example.labels == [-100] * start + example.input_ids[start:]
        assert example.completion == "".join(codec.encode(trace.trace))
        assert example.prompt == "".join(codec.prompt(trace.trace.program))
        assert example.steps == len(trace.trace.steps)


def test_masks_select_the_texts_of_actions_and_states(
    recorder: PythonRecorder, tokenizer_file: Path
) -> None:
    """Texts that the two masks select from the simplest trace, written by hand."""
    program = Program("def f(x):\n    return x\n", "f(1)")
    (trace,) = stored(recorder, [program])
    example = trace_to_example(trace, CWM, CodecTokenizer.load(str(tokenizer_file), CWM))
    whole = tokenizers.Tokenizer.from_file(str(tokenizer_file))

    def selected_text(mask: list[int]) -> str:
        ids = [token for token, bit in zip(example.input_ids, mask, strict=True) if bit]
        return str(whole.decode(ids, skip_special_tokens=False))

    assert selected_text(example.state_mask) == (
        "{}<|action_sep|>{}<|action_sep|>"
        '{"x": "1"}<|action_sep|>{"x": ".."}<|action_sep|>"1"<|frame_sep|>"1"<|frame_sep|>'
    )
    main = "def main(): # << START_OF_TRACE\n"
    assert selected_text(example.action_mask) == (
        f"<|call_sep|>{main}<|frame_sep|>"
        "<|line_sep|>    return f(1)\n<|frame_sep|>"
        "<|call_sep|>def f(x):\n<|frame_sep|>"
        "<|line_sep|>    return x\n<|frame_sep|>"
        "<|return_sep|><|action_sep|>    return x\n<|arg_sep|>"
        "<|return_sep|><|action_sep|>    return f(1)\n<|arg_sep|>"
        "<|end_of_text|>"
    )


def test_masks_of_the_numbers_codec(recorder: PythonRecorder, tokenizer_file: Path) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    (trace,) = stored(recorder, [program])
    numbers = STEP_CODECS["numbers"]
    example = trace_to_example(trace, numbers, CodecTokenizer.load(str(tokenizer_file), numbers))
    whole = tokenizers.Tokenizer.from_file(str(tokenizer_file))

    def selected_text(mask: list[int]) -> str:
        ids = [token for token, bit in zip(example.input_ids, mask, strict=True) if bit]
        return str(whole.decode(ids, skip_special_tokens=False))

    action, frame = "<|action_sep|>", "<|frame_sep|>"
    assert (
        selected_text(example.state_mask) == f"{action}{action}x=1{action}{action}1{frame}1{frame}"
    )
    assert selected_text(example.action_mask) == (
        "<|call_sep|>4<|line_sep|>5<|call_sep|>1<|line_sep|>2<|return_sep|><|return_sep|>"
        "<|end_of_text|>"
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_labels_follow_the_chosen_loss(
    recorder: PythonRecorder, codec_tokenizer: CodecTokenizer, loss: Any
) -> None:
    for trace in stored(recorder):
        example = trace_to_example(trace, CWM, codec_tokenizer, loss=loss)
        masks = {
            "all": [a + s for a, s in zip(example.action_mask, example.state_mask, strict=True)],
            "actions": example.action_mask,
            "states": example.state_mask,
        }
        expected = [
            token if bit else -100
            for token, bit in zip(example.input_ids, masks[loss], strict=True)
        ]
        assert example.labels == expected
        assert any(label != -100 for label in example.labels)


class MemorizingEngine(ScriptedEngine):
    """A server whose model knows one example by heart, with a Hugging Face tokenizer."""

    def __init__(self, path: Path, example: Example) -> None:
        super().__init__(lambda _: "")
        self._plain = tokenizers.Tokenizer.from_file(str(path))
        self._plain.encode_special_tokens = True
        self._whole = tokenizers.Tokenizer.from_file(str(path))
        self._example = example

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        chosen = self._whole if parse_special_tokens else self._plain
        return tuple(chosen.encode(text, add_special_tokens=False).ids)

    async def detokenize(self, ids: Any) -> str:
        return str(self._whole.decode(list(ids), skip_special_tokens=False))

    async def generate(self, request: Request) -> Reply:
        """Continue the example, token for token."""
        self.requests.append(request)
        prompt, known = list(request.prompt), self._example.input_ids
        assert prompt == known[: len(prompt)]
        ids: list[int] = []
        for token in known[len(prompt) : len(prompt) + request.max_tokens]:
            ids.append(token)
            if token in request.stop_ids:
                break
        usage = Usage(prompt=len(prompt), completion=len(ids), requests=1)
        return Reply(text=await self.detokenize(ids), finish="stop", ids=tuple(ids), usage=usage)


@pytest.mark.parametrize("mode", ["free", "force-actions", "force-state"])
@pytest.mark.parametrize("has_tokenizer", [False, True], ids=["server", "here"])
def test_example_ids_equal_the_ids_sent_to_a_model(
    recorder: PythonRecorder,
    codec_tokenizer: CodecTokenizer,
    tokenizer_file: Path,
    mode: Mode,
    has_tokenizer: bool,
) -> None:
    """The engine refuses any prompt with forced tokens that is not a prefix of the example."""
    for trace in stored(recorder):
        example = trace_to_example(trace, CWM, codec_tokenizer)
        engine = MemorizingEngine(tokenizer_file, example)

        def same(engine: MemorizingEngine = engine) -> MemorizingEngine:
            return engine

        (result,) = predict_questions(
            [Question("asked", trace.trace.program)],
            same,
            recorder,
            settings=PredictionSettings(mode=mode, max_tokens=100_000),
            tokenizer=load_tokenizer(str(tokenizer_file)) if has_tokenizer else None,
        )
        assert result.error is None
        assert (
            list(engine.requests[0].prompt)[: example.prompt_tokens]
            == (example.input_ids[: example.prompt_tokens])
        )
        assert result.text == example.completion
        assert len(result.decoded.steps) == example.steps


def test_hugging_face_tokenizes_the_texts_to_the_same_ids(
    recorder: PythonRecorder, codec_tokenizer: CodecTokenizer, tokenizer_file: Path
) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(tokenizer_file.parent)
    for trace in stored(recorder):
        example = trace_to_example(trace, CWM, codec_tokenizer)
        text = example.prompt + example.completion
        assert tokenizer(text, add_special_tokens=False).input_ids == example.input_ids
        assert tokenizer.decode(example.input_ids) == text


def test_llama3_uses_the_special_token_ids_of_cwm(recorder: PythonRecorder) -> None:
    if importlib.util.find_spec("llama_models") is None:
        pytest.skip("llama-models is not installed: pip install --no-deps llama-models==0.3.0")
    (trace,) = stored(recorder, [Program(LOOP, "f(1)")])
    example = trace_to_example(trace, CWM, CodecTokenizer.load("llama3", CWM))
    plain = load_tokenizer("llama3")
    assert example.input_ids[:2] == [128000, 128107]
    text = trace.trace.program.text
    assert example.input_ids[2 : example.prompt_tokens] == [*plain.encode(text), 128100]
    assert example.input_ids[-1] == 128001


def test_special_token_text_in_a_program_is_ordinary_text(
    recorder: PythonRecorder, codec_tokenizer: CodecTokenizer
) -> None:
    program = Program("def f():\n    return '<|frame_sep|>'\n", "f()")
    (trace,) = stored(recorder, [program])
    example = trace_to_example(trace, CWM, codec_tokenizer)
    frame = codec_tokenizer.encode_segment(
        next(s for s in CWM.special_tokens if s == "<|frame_sep|>")
    )[0]
    assert example.input_ids.count(frame) == 1 + len(trace.trace.steps)


@pytest.mark.parametrize(
    ("source", "limits", "reason"),
    [
        ("def f():\n    while True:\n        pass\n", Limits(steps=50), "incomplete: step limit"),
        ("def f(:\n", Limits(), "incomplete: not loaded"),
        ("import os\ndef f():\n    os._exit(0)\n", Limits(), "incomplete: killed"),
        (
            "def f():\n    s = 'x' * 99\n    return 1\n",
            Limits(value_chars=50),
            "a value was shortened",
        ),
        ("def f():\n    return 'x' * 99\n", Limits(value_chars=50), "a value was shortened"),
        (
            "import threading\ndef f():\n    t = threading.Thread(target=print)\n    t.start()\n"
            "    t.join()\n",
            Limits(),
            "something in it was not recorded (it has notes)",
        ),
        ("def f():\n    return 1 // 0\n", Limits(), None),
        ("def f():\n    return 1\n", Limits(), None),
    ],
)
def test_exclusion_reasons(
    recorder: PythonRecorder, source: str, limits: Limits, reason: str | None
) -> None:
    assert exclusion_reason(recorder.record(Program(source, "f()"), limits=limits)) == reason


def test_program_that_reads_stdin_is_excluded(recorder: PythonRecorder) -> None:
    program = Program("def f():\n    return input()\n", "f()", "seen by nobody\n")
    trace = recorder.record(program)
    assert trace.result == "'seen by nobody'"
    assert exclusion_reason(trace) == "it reads input that a prompt does not show"


def test_tokenizer_without_the_special_tokens_is_refused(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    path = train_tokenizer((), tmp_path / "few", size=None, special_tokens=SPECIALS[:4])
    with pytest.raises(TokenizerError, match=r"lacks .*sep\|>.* and 3 more; add them with"):
        exported(tmp_path, stored(recorder), tokenizer=str(path))
    assert not (tmp_path / "export").exists()


@pytest.mark.parametrize("kind", ["stripping", "prefixing"])
def test_tokenizer_that_changes_text_is_refused(
    tmp_path: Path, recorder: PythonRecorder, kind: str
) -> None:
    path = train_tokenizer((), tmp_path / "odd", size=None, special_tokens=SPECIALS)
    odd = tokenizers.Tokenizer.from_file(str(path))
    level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if kind == "stripping":
        odd.normalizer = tokenizers.normalizers.Strip()
        message = "decodes to a different text than it encoded"
    else:
        first = tokenizers.pre_tokenizers.Metaspace(replacement="_", prepend_scheme="first")
        odd.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([first, level])
        message = "encodes a whole text differently from its segments one by one"
    odd.save(str(path))
    with pytest.raises(TokenizerError, match=re.escape(f"{path} {message}")):
        exported(tmp_path, stored(recorder), tokenizer=str(path))


def test_programs_are_all_different() -> None:
    assert len({program.hash for program in PROGRAMS}) == len(PROGRAMS)
