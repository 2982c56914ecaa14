"""An example's tokens are those that a model is asked with, each an action or a state."""

import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

from tests.training.exporting import LOOP, PROGRAMS, exported, stored
from worldline.codecs import STEP_CODECS, StepCodec
from worldline.engines import Reply, Request, ScriptedEngine, Usage
from worldline.errors import TokenizerError
from worldline.predict import Mode, Question, Settings, predict
from worldline.recorders import PythonRecorder
from worldline.tokens import load_tokenizer, make_tokenizer
from worldline.trace import Limits, Program
from worldline.training import (
    LOSSES,
    Example,
    Spelling,
    load_spelling,
    trace_to_example,
    why_left_out,
)

tokenizers = pytest.importorskip("tokenizers")
CWM = STEP_CODECS["cwm"]
SPECIALS = [str(special) for special in sorted(CWM.specials, key=CWM.specials.__getitem__)]


@pytest.fixture(scope="module", params=[None, 400], ids=["bytes", "bpe"])
def vocabulary(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A vocabulary that was made, of bytes or of pairs."""
    folder = tmp_path_factory.mktemp("vocabulary")
    texts = [LOOP * 3, '{"s": "0", "i": ".."}' * 5]
    return make_tokenizer(texts, folder, size=request.param, specials=SPECIALS)


@pytest.fixture
def spelling(vocabulary: Path) -> Spelling:
    return load_spelling(str(vocabulary), CWM)


@pytest.mark.parametrize("codec", STEP_CODECS.values(), ids=STEP_CODECS)
def test_each_token_of_a_completion_is_an_action_or_a_state(
    codec: StepCodec, recorder: PythonRecorder, spelling: Spelling
) -> None:
    for trace in stored(recorder):
        example = trace_to_example(trace, codec, spelling)
        lists = (example.labels, example.action_mask, example.state_mask)
        assert {len(found) for found in lists} == {len(example.input_ids)}
        pairs = list(zip(example.action_mask, example.state_mask, strict=True))
        given = example.prompt_tokens
        assert set(pairs[:given]) == {(0, 0)}
        assert set(pairs[given:]) == {(1, 0), (0, 1)}
        assert example.labels == [-100] * given + example.input_ids[given:]
        assert example.completion == "".join(codec.encode(trace.trace))
        assert example.prompt == "".join(codec.prompt(trace.trace.program))
        assert example.steps == len(trace.trace.steps)


def test_the_masks_spell_actions_and_states(recorder: PythonRecorder, vocabulary: Path) -> None:
    """By hand: what the two masks choose of the simplest trace."""
    program = Program("def f(x):\n    return x\n", "f(1)")
    (trace,) = stored(recorder, [program])
    example = trace_to_example(trace, CWM, load_spelling(str(vocabulary), CWM))
    whole = tokenizers.Tokenizer.from_file(str(vocabulary))

    def chosen(mask: list[int]) -> str:
        ids = [token for token, bit in zip(example.input_ids, mask, strict=True) if bit]
        return str(whole.decode(ids, skip_special_tokens=False))

    assert chosen(example.state_mask) == (
        "{}<|action_sep|>{}<|action_sep|>"
        '{"x": "1"}<|action_sep|>{"x": ".."}<|action_sep|>"1"<|frame_sep|>"1"<|frame_sep|>'
    )
    main = "def main(): # << START_OF_TRACE\n"
    assert chosen(example.action_mask) == (
        f"<|call_sep|>{main}<|frame_sep|>"
        "<|line_sep|>    return f(1)\n<|frame_sep|>"
        "<|call_sep|>def f(x):\n<|frame_sep|>"
        "<|line_sep|>    return x\n<|frame_sep|>"
        "<|return_sep|><|action_sep|>    return x\n<|arg_sep|>"
        "<|return_sep|><|action_sep|>    return f(1)\n<|arg_sep|>"
        "<|end_of_text|>"
    )


def test_the_masks_of_a_format_of_changes(recorder: PythonRecorder, vocabulary: Path) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    (trace,) = stored(recorder, [program])
    numbers = STEP_CODECS["numbers"]
    example = trace_to_example(trace, numbers, load_spelling(str(vocabulary), numbers))
    whole = tokenizers.Tokenizer.from_file(str(vocabulary))

    def chosen(mask: list[int]) -> str:
        ids = [token for token, bit in zip(example.input_ids, mask, strict=True) if bit]
        return str(whole.decode(ids, skip_special_tokens=False))

    action, frame = "<|action_sep|>", "<|frame_sep|>"
    assert chosen(example.state_mask) == f"{action}{action}x=1{action}{action}1{frame}1{frame}"
    assert chosen(example.action_mask) == (
        "<|call_sep|>4<|line_sep|>5<|call_sep|>1<|line_sep|>2<|return_sep|><|return_sep|>"
        "<|end_of_text|>"
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_the_loss_is_where_it_was_asked_for(
    recorder: PythonRecorder, spelling: Spelling, loss: Any
) -> None:
    for trace in stored(recorder):
        example = trace_to_example(trace, CWM, spelling, loss=loss)
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


class Served(ScriptedEngine):
    """A server with a vocabulary of its own, which splits text as Hugging Face does."""

    def __init__(self, path: Path, example: Example) -> None:
        super().__init__(lambda _: "")
        self._plain = tokenizers.Tokenizer.from_file(str(path))
        self._plain.encode_special_tokens = True
        self._whole = tokenizers.Tokenizer.from_file(str(path))
        self._example = example

    async def tokenize(self, text: str, *, has_specials: bool = False) -> tuple[int, ...]:
        chosen = self._whole if has_specials else self._plain
        return tuple(chosen.encode(text, add_special_tokens=False).ids)

    async def spell(self, ids: Any) -> str:
        return str(self._whole.decode(list(ids), skip_special_tokens=False))

    async def generate(self, request: Request) -> Reply:
        """What a model says that has learned the example by heart, token for token."""
        self.requests.append(request)
        prompt, known = list(request.prompt), self._example.input_ids
        assert prompt == known[: len(prompt)]
        ids: list[int] = []
        for token in known[len(prompt) : len(prompt) + request.max_tokens]:
            ids.append(token)
            if token in request.stop_ids:
                break
        usage = Usage(prompt=len(prompt), written=len(ids), requests=1)
        return Reply(text=await self.spell(ids), finish="stop", ids=tuple(ids), usage=usage)


@pytest.mark.parametrize("mode", ["free", "force-actions", "force-state"])
@pytest.mark.parametrize("has_tokenizer", [False, True], ids=["server", "here"])
def test_the_ids_are_those_that_a_model_is_asked_with(
    recorder: PythonRecorder,
    spelling: Spelling,
    vocabulary: Path,
    mode: Mode,
    has_tokenizer: bool,
) -> None:
    """Prompts, and in the forced modes all that is given behind them, id for id: an engine that
    knows the example by heart refuses any other."""
    for trace in stored(recorder):
        example = trace_to_example(trace, CWM, spelling)
        engine = Served(vocabulary, example)

        def same(engine: Served = engine) -> Served:
            return engine

        (found,) = predict(
            [Question("asked", trace.trace.program)],
            same,
            recorder,
            settings=Settings(mode=mode, budget=100_000),
            tokenizer=load_tokenizer(str(vocabulary)) if has_tokenizer else None,
        )
        assert found.error is None
        assert (
            list(engine.requests[0].prompt)[: example.prompt_tokens]
            == (example.input_ids[: example.prompt_tokens])
        )
        assert found.text == example.completion
        assert len(found.decoded.steps) == example.steps


def test_hugging_face_splits_the_texts_alike(
    recorder: PythonRecorder, spelling: Spelling, vocabulary: Path
) -> None:
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(vocabulary.parent)
    for trace in stored(recorder):
        example = trace_to_example(trace, CWM, spelling)
        text = example.prompt + example.completion
        assert tokenizer(text, add_special_tokens=False).input_ids == example.input_ids
        assert tokenizer.decode(example.input_ids) == text


def test_llama3_has_the_ids_of_the_format(recorder: PythonRecorder) -> None:
    if importlib.util.find_spec("llama_models") is None:
        pytest.skip("llama-models is not installed: pip install --no-deps llama-models==0.3.0")
    (trace,) = stored(recorder, [Program(LOOP, "f(1)")])
    example = trace_to_example(trace, CWM, load_spelling("llama3", CWM))
    plain = load_tokenizer("llama3")
    assert example.input_ids[:2] == [128000, 128107]
    text = trace.trace.program.text
    assert example.input_ids[2 : example.prompt_tokens] == [*plain.encode(text), 128100]
    assert example.input_ids[-1] == 128001


def test_a_program_that_speaks_of_special_tokens_writes_none(
    recorder: PythonRecorder, spelling: Spelling
) -> None:
    program = Program("def f():\n    return '<|frame_sep|>'\n", "f()")
    (trace,) = stored(recorder, [program])
    example = trace_to_example(trace, CWM, spelling)
    frame = spelling.ids(next(s for s in CWM.specials if s == "<|frame_sep|>"))[0]
    assert example.input_ids.count(frame) == 1 + len(trace.trace.steps)


@pytest.mark.parametrize(
    ("source", "limits", "reason"),
    [
        ("def f():\n    while True:\n        pass\n", Limits(steps=50), "not whole: step limit"),
        ("def f(:\n", Limits(), "not whole: not loaded"),
        ("import os\ndef f():\n    os._exit(0)\n", Limits(), "not whole: killed"),
        ("def f():\n    s = 'x' * 99\n    return 1\n", Limits(value_chars=50), "a value was cut"),
        ("def f():\n    return 'x' * 99\n", Limits(value_chars=50), "a value was cut"),
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
def test_what_is_left_out(
    recorder: PythonRecorder, source: str, limits: Limits, reason: str | None
) -> None:
    assert why_left_out(recorder.record(Program(source, "f()"), limits=limits)) == reason


def test_what_no_prompt_shows_is_not_learned(recorder: PythonRecorder) -> None:
    program = Program("def f():\n    return input()\n", "f()", "seen by nobody\n")
    trace = recorder.record(program)
    assert trace.result == "'seen by nobody'"
    assert why_left_out(trace) == "it reads input that a prompt does not show"


def test_a_vocabulary_without_the_special_tokens_is_refused(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    path = make_tokenizer((), tmp_path / "few", size=None, specials=SPECIALS[:4])
    with pytest.raises(TokenizerError, match=r"lacks .*sep\|>.* and 3 more; add them with"):
        exported(tmp_path, stored(recorder), tokenizer=str(path))
    assert not (tmp_path / "export").exists()


@pytest.mark.parametrize("kind", ["stripping", "prefixing"])
def test_a_vocabulary_that_changes_text_is_refused(
    tmp_path: Path, recorder: PythonRecorder, kind: str
) -> None:
    path = make_tokenizer((), tmp_path / "odd", size=None, specials=SPECIALS)
    odd = tokenizers.Tokenizer.from_file(str(path))
    level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    if kind == "stripping":
        odd.normalizer = tokenizers.normalizers.Strip()
        message = "gives other text back than it was given"
    else:
        first = tokenizers.pre_tokenizers.Metaspace(replacement="_", prepend_scheme="first")
        odd.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([first, level])
        message = "splits text otherwise by itself than between special tokens"
    odd.save(str(path))
    with pytest.raises(TokenizerError, match=re.escape(f"{path} {message}")):
        exported(tmp_path, stored(recorder), tokenizer=str(path))


def test_programs_are_all_different() -> None:
    assert len({program.hash for program in PROGRAMS}) == len(PROGRAMS)
