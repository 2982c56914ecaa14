"""A benchmark and a way of asking go in; what a run of them is of comes out."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from worldline.benchmarks.benchmark import Benchmark
from worldline.benchmarks.options import option_to_text
from worldline.predict import Question, Settings
from worldline.runs import Manifest, without_secrets
from worldline.trace import Limits


def make_manifest(
    benchmark: Benchmark,
    settings: Settings,
    *,
    engine: str = "",
    tokenizer: str | None = None,
    repeats: int = 1,
    limits: Limits | None = None,
) -> Manifest:
    """What a run is of, as far as it is known before the engine has been asked.

    ask_into(
        run, benchmark.questions, engine, recorder, make_manifest(benchmark, Settings()),
        is_right=benchmark.is_right,
    )
    """
    return Manifest(
        benchmark=benchmark.name,
        options=dict(benchmark.options),
        questions=len(benchmark.questions),
        questions_hash=benchmark.hash,
        facets=facet_kinds(benchmark.questions),
        left_out=dict(Counter(item.reason for item in benchmark.left_out)),
        repeats=repeats,
        engine=without_secrets(engine),
        settings=settings,
        tokenizer=tokenizer,
        limits=limits or Limits(),
    )


def facet_kinds(questions: Sequence[Question]) -> dict[str, str]:
    """The names of the questions' facets, with "int" where all values are numbers that a column
    holds, else "text".

    {"depth": 3}, {"depth": 4, "form": "flat"} -> {"depth": "int", "form": "text"}
    """
    kinds: dict[str, str] = {}
    for question in questions:
        for name, value in question.facets.items():
            is_number = isinstance(value, int) and -(2**63) <= value < 2**63
            kinds[name] = "int" if is_number and kinds.get(name) != "text" else "text"
    return kinds


def as_typed(manifest: Manifest) -> Manifest:
    """The same with the benchmark's options as one would type them.

    {"lengths": [1, 2, 3]} -> {"lengths": "1-3"}
    """
    typed = {name: option_to_text(value) for name, value in manifest.options.items()}
    return replace(manifest, options=typed)
