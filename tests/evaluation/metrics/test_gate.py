"""Gate between two runs: it fails and passes as its conditions say."""

import pytest

from tests.support.scored_samples import make_scored_sample, run_of
from worldline.core.errors import InputError
from worldline.evaluation.metrics import GateResult, check_conditions, parse_condition
from worldline.evaluation.runs import ScoredSample


def check(
    condition: str, base: list[ScoredSample], new: list[ScoredSample], **more: object
) -> GateResult:
    return check_conditions([parse_condition(condition)], base, new, **more)  # type: ignore[arg-type]


def pair(gained: int, lost: int, same: int) -> tuple[list[ScoredSample], list[ScoredSample]]:
    """Two runs; half of the unchanged samples are correct in both."""
    half = same // 2
    base = "w" * gained + "r" * lost + "r" * half + "w" * (same - half)
    new = "r" * gained + "w" * lost + "r" * half + "w" * (same - half)
    return run_of(*base), run_of(*new)


# +0, -3 and -10 points of 100; -10 of 20, which chance explains.
SAME, SMALL_LOSS, LOSS, NOISE = pair(2, 2, 96), pair(3, 6, 91), pair(2, 12, 86), pair(1, 3, 16)


@pytest.mark.parametrize(
    ("condition", "runs", "has_failed"),
    [
        ("accuracy<-2", SAME, False),
        ("accuracy<-2", SMALL_LOSS, True),
        ("accuracy<-3", SMALL_LOSS, False),
        ("accuracy<=-3", SMALL_LOSS, True),
        ("accuracy < -2.5", SMALL_LOSS, True),
        ("accuracy>2", SMALL_LOSS, False),
        ("accuracy<-2:significant", SMALL_LOSS, False),
        ("accuracy<-2:significant", LOSS, True),
        ("accuracy<-2:significant", NOISE, False),
        ("accuracy<-2", NOISE, True),
        # The interval of the loss of 10 points ends above -5.
        ("accuracy<-5:certain", LOSS, False),
        ("accuracy<0:certain", LOSS, True),
        ("accuracy<0:certain", SMALL_LOSS, False),
        # A loss of 2 points is within the interval of no change.
        ("accuracy<-2:possible", SAME, True),
        ("accuracy<-20:possible", SAME, False),
        ("samples<101", SAME, True),
        ("samples<100", SAME, False),
    ],
)
def test_conditions(
    condition: str, runs: tuple[list[ScoredSample], list[ScoredSample]], has_failed: bool
) -> None:
    assert check(condition, *runs).has_passed is not has_failed


def test_one_condition_of_several_is_enough() -> None:
    conditions = [parse_condition(text) for text in ("accuracy<-2", "samples<100")]
    result = check_conditions(conditions, *SMALL_LOSS)
    assert [each.has_failed for each in result.results] == [True, False]
    assert not result.has_passed


def test_truncated_samples_are_not_part_of_accuracy() -> None:
    base, new = run_of(*"rrrrwwww"), run_of(*"rrccwwww")
    (result,) = check("accuracy<0", base, new).results
    assert (result.change.value, result.change.of, result.has_failed) == (0.0, 6, False)
    assert check("accuracy<0", base, new).not_answered == 2
    assert not check("correct<0", base, new).has_passed
    assert not check("truncated>20", base, new).has_passed
    assert check("truncated>25", base, new).has_passed
    assert check("no_answer>0", base, new).has_passed
    assert not check("no_answer>0", base, run_of(*"rrrrwwwn")).has_passed


def test_infrastructure_errors_are_in_no_measure() -> None:
    base, new = run_of(*"rrrrwwww"), run_of(*"rrffwwff")
    result = check("accuracy<0", base, new)
    assert result.has_passed
    assert (result.samples, result.infra_errors) == (4, 4)
    for condition in ("correct<0", "truncated>0", "no_answer>0"):
        assert check(condition, base, new).has_passed, condition
    assert not check("samples<8", base, new).has_passed


def test_nothing_to_compare_fails() -> None:
    other = [make_scored_sample("other", "correct")]
    for condition in (
        "accuracy<-50",
        "correct<-50",
        "steps<-50",
        "tokens>50",
        "cause[copy_error]>50",
    ):
        assert not check(condition, run_of(*"rr"), other).has_passed, condition
    # Both have samples, but none that both answered.
    assert not check("accuracy<-50", run_of("r", "c"), run_of("c", "r")).has_passed


def test_causes_are_counted_over_all_shared_samples() -> None:
    base = [make_scored_sample(f"s{n}", "incorrect", cause="arithmetic") for n in range(10)]
    new = [
        make_scored_sample(f"s{n}", "incorrect", cause="copy_error" if n < 3 else "arithmetic")
        for n in range(10)
    ]
    (result,) = check("cause[copy_error]>20", base, new).results
    assert result.change.value == pytest.approx(30)
    assert (result.change.of, result.has_failed) == (10, True)
    assert check("cause[copy_error]>30", base, new).has_passed
    assert check("cause[copy_error]>20:significant", base, new).has_passed
    assert check("cause[arithmetic]>0", base, new).has_passed


def test_groups_are_facets_or_difficulty() -> None:
    def run(letters: str) -> list[ScoredSample]:
        verdicts = {"r": "correct", "w": "incorrect"}
        return [
            make_scored_sample(
                f"s{n}",
                verdicts[letter],  # type: ignore[arg-type]
                facets={"depth": n % 2},
                difficulty={"steps": n * 7},
            )
            for n, letter in enumerate(letters)
        ]

    base, new = run("rrrrrrrrrrrr"), run("rwrwrwrwrwrw")
    assert not check("accuracy[depth=1]<-99", base, new).has_passed
    assert check("accuracy[depth=0]<0", base, new).has_passed
    # 14 to 28 steps: samples 3 and 4 of 12.
    (result,) = check("accuracy[steps=16-31]<-40", base, new).results
    assert (result.change.value, result.change.of) == (-50, 2)
    (missing,) = check("accuracy[depth=7]<-40", base, new).results
    assert (missing.change.value, missing.has_failed) == (None, True)


def test_steps_and_tokens() -> None:
    def run(steps: int, tokens: int) -> list[ScoredSample]:
        return [
            make_scored_sample(
                f"s{n}", "incorrect", matched_steps=steps + n, completion_tokens=tokens + n
            )
            for n in range(10)
        ]

    base = run(20, 100)
    assert not check("steps<-4", base, run(15, 100)).has_passed
    assert not check("steps<-4:significant", base, run(15, 100)).has_passed
    assert check("steps<-5", base, run(15, 100)).has_passed
    assert check("steps<0", base, base).has_passed
    assert not check("tokens>40", base, run(20, 150)).has_passed
    assert not check("tokens>40:certain", base, run(20, 150)).has_passed
    assert check("tokens>50", base, run(20, 150)).has_passed


def test_operations_are_paired_by_program() -> None:
    base = {"str.replace": {"p": (4, 4), "q": (2, 2), "only base": (0, 9)}}
    new = {"str.replace": {"p": (1, 2), "q": (2, 2)}}
    runs = run_of(*"rr"), run_of(*"rr")
    (result,) = check("operation[str.replace]<-20", *runs, operations=(base, new)).results
    assert (result.change.value, result.change.of, result.has_failed) == (-25, 2, True)
    assert check("operation[str.replace]<-25", *runs, operations=(base, new)).has_passed
    assert not check("operation[int +]<-25", *runs, operations=(base, new)).has_passed
    with pytest.raises(InputError, match="needs the operations"):
        check("operation[int +]<-25", *runs)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accuracy", "is not a condition"),
        ("accuracy<", "is not a condition"),
        ("accuracy<-2 points", "is not a condition"),
        ("accuracy=2", "is not a condition"),
        ("speed<2", "no measure 'speed'; choose from accuracy"),
        ("accuracy<-2:sure", "no evidence 'sure'; choose from significant"),
        ("cause>1", r"needs a name, as in cause\[copy_error\]"),
        ("cause[typo]>1", "no cause 'typo'"),
        ("operation>1", "needs a name"),
        ("truncated[depth=3]>1", "truncated has no groups"),
        ("accuracy[depth]<-1", "needs a name and a value"),
        ("samples<10:significant", "is exact"),
        ("tokens>10:significant", "use :certain"),
        ("accuracy<2:significant", "use :possible"),
    ],
)
def test_wrong_conditions_say_what_to_write(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse_condition(text)


def test_operations_may_contain_signs() -> None:
    condition = parse_condition("operation[int <]<=-5:certain")
    assert (condition.group, condition.comparison, condition.number) == ("int <", "<=", -5.0)


def test_a_gate_without_conditions_is_an_error() -> None:
    with pytest.raises(InputError, match="at least one condition"):
        check_conditions([], *SAME)
