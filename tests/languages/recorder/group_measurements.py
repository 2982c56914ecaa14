"""Measurements of programs that share a process, for `scripts/bench`."""

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.languages.recorder.both_recorders import body
from tests.languages.recorder.methods import find_python, recorder_of
from tests.languages.recorder.recorder_benchmarks import programs
from tests.languages.recorder.test_program_groups import ATTACKS as NEIGHBOUR_ATTACKS
from tests.languages.recorder.test_program_groups import ATTACKS_ON_A_VICTIM
from tests.languages.recorder.test_program_groups import attack as neighbour_attack
from tests.languages.sandbox.attacks import ATTACKS
from tests.languages.sandbox.battery import Battery
from tests.languages.sandbox.endurance import SLOW_ATTACKS
from worldline.core.trace import Limits, Program, Trace, difference
from worldline.evaluation.benchmarks import load_benchmark
from worldline.languages.python.recorder import PythonRecorder

_BATCH = 500
# Limits for attacks and their neighbours.
_LIMITS = Limits(seconds=5, cpu_seconds=1, steps=10_000, memory_mb=512)


def same_in_groups(data: Path, *, cruxeval: int, generated: int) -> Iterator[str]:
    """Record programs in groups and alone, on every installed version, and compare the bytes.

    The groups are recorded in reverse order. Of each problem of HumanEval, the first question is
    recorded.
    """
    named = [pair for pair in programs(data, generated=generated) if pair[0] != "HumanEval"]
    is_first = [number < cruxeval or name != "CRUXEval" for number, (name, _) in enumerate(named)]
    named = [pair for pair, is_wanted in zip(named, is_first, strict=True) if is_wanted]
    options = {"per_problem": "1"}
    humaneval = load_benchmark("humaneval", data=str(data), options=options).questions
    named += [("HumanEval", question.program) for question in humaneval]
    for version in ("3.11", "3.12", "3.13"):
        python = find_python(version)
        if python is None:
            yield f"{version}: not installed"
            continue
        counts: dict[str, list[int]] = {}
        with recorder_of(python, "core", has_threads=False) as recorder:
            grouped = recorder.record_group([each for _, each in reversed(named)])[::-1]
            for (name, program), trace in zip(named, grouped, strict=True):
                count = counts.setdefault(name, [0, 0, 0, 0])
                count[0] += 1
                if trace is not None:
                    count[1] += 1
                    count[2] += len(trace.steps)
                    count[3] += body(trace) != body(recorder.record(program))
        listed = "; ".join(
            f"{name} {shared:,} of {total:,} in groups ({steps:,} steps), {different} different"
            for name, (total, shared, steps, different) in counts.items()
        )
        yield f"{version}: {listed}"


@dataclass(slots=True)
class GroupSoak:
    """Result of programs and attacks that share processes.

    Attributes:
        programs: Programs, and of these attacks.
        kept: Programs with the same trace in two groups.
        alone: Other programs, which were executed alone.
        different: Kept traces that differ from the one of a program that is alone.
        lost: Programs of a benchmark without a result.
        escaped: Attacks that have succeeded.
    """

    programs: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    different: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    escaped: list[str] = field(default_factory=list)


def soak_groups(
    battery: Battery,
    known: Sequence[Program],
    count: int,
    *,
    every: int = 100,
    seed: int = 7,
    tell: Callable[[str], None] = print,
) -> GroupSoak:
    """Record programs in groups, every N-th of them an attack, and compare with alone.

    If an attack is known to have changed a certain program, that program is on both sides of it.

    As in `worldline trace`, programs are recorded in groups twice, the second time in opposite
    order; those with different traces, or without, are recorded alone.
    """
    draws, soak = random.Random(seed), GroupSoak()
    # Without the slow ones, and those that need an extension module.
    suite = [
        each
        for each in ATTACKS
        if each.name not in SLOW_ATTACKS and not each.name.startswith("call: ")
    ]
    victims = {
        neighbour_attack(code): neighbour_attack(victim)
        for code, victim in ATTACKS_ON_A_VICTIM.values()
    }
    neighbours = [*map(neighbour_attack, NEIGHBOUR_ATTACKS.values()), *victims]
    suite_programs = {battery.program(each): each for each in suite}
    hostile = [*neighbours, *suite_programs]
    draws.shuffle(hostile)
    with PythonRecorder() as first, PythonRecorder(hash_seed=1) as second:
        alone: dict[Program, Trace] = {}
        for start in range(0, count, _BATCH):
            numbers = range(start, min(count, start + _BATCH))
            batch = [draws.choice(known) for _ in numbers]
            for place, number in enumerate(numbers):
                if number % every == every // 2:
                    batch[place] = attack = hostile[number // every % len(hostile)]
                    if attack in victims:
                        batch[place - 1] = batch[place + 1] = victims[attack]
            traces = first.record_group(batch, limits=_LIMITS)
            others = second.record_group(batch[::-1], limits=_LIMITS)[::-1]
            for program, trace, other in zip(batch, traces, others, strict=True):
                kind = "attack" if program in neighbours or program in suite_programs else "known"
                soak.programs[kind] += 1
                is_kept = trace is not None and other is not None and not difference(trace, other)
                (soak.kept if is_kept else soak.alone)[kind] += 1
                # Once for a program, and always for an attack.
                if program not in alone or kind == "attack":
                    alone[program] = first.record(program, limits=_LIMITS)
                if is_kept and trace is not None and body(trace) != body(alone[program]):
                    soak.different.append(f"{program}: not {alone[program].ending}")
                if kind == "known" and alone[program].result is None:
                    soak.lost.append(f"{program}: {alone[program].ending}")
                each = suite_programs.get(program)
                if each is not None and each.has_succeeded(alone[program]):
                    soak.escaped.append(each.name)
            tell(f"{numbers.stop:,} of {count:,}: {dict(soak.kept)} kept, {dict(soak.alone)} alone")
    return soak
