"""HumanEval-X: the assertions that are questions, those that are not, and correct answers."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import data_file
from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.benchmark import Benchmark
from worldline.evaluation.benchmarks.humaneval_x import humaneval_x

FILES = {"javascript": "js", "java": "java", "cpp": "cpp"}
DECLARATIONS = {
    "javascript": "const f = (x) => {\n",
    "java": "import java.util.*;\n\nclass Solution {\n    public List<Integer> f(int x) {\n",
    "cpp": "#include<vector>\nusing namespace std;\nvector<float> f(int x){\n",
}
TESTS = {
    "javascript": "const testF = () => {\n%s\n}\ntestF()\n",
    "java": "public class Main {\n    public static void main(String[] args) {\n"
    "        Solution s = new Solution();\n        List<Boolean> correct = Arrays.asList(\n%s\n"
    "        );\n        if (correct.contains(false)) {\n            throw new AssertionError();\n"
    "        }\n    }\n}\n",
    "cpp": "bool issame(vector<float> a,vector<float>b){\n"
    "    if (abs(a[i]-b[i])>1e-4) return false;\n}\nint main(){\n%s\n}\n",
}


def load(folder: Path, language: str, assertions: str, *, per_problem: int = 0) -> Benchmark:
    row = {
        "task_id": "X/3",
        "declaration": DECLARATIONS[language],
        "canonical_solution": "    return x;\n}\n",
        "test": TESTS[language] % assertions,
    }
    (folder / f"{FILES[language]}.jsonl").write_text(json.dumps(row) + "\n")
    return humaneval_x(folder, language=language, per_problem=per_problem)


@pytest.mark.parametrize(
    ("language", "assertion", "call", "expected"),
    [
        ("javascript", "console.assert(f(1) === 2)", "f(1)", "2"),
        ("javascript", "console.assert('a,b' == f(')'))", "f(')')", "'a,b'"),
        ("javascript", "console.assert(!f(1))", "f(1)", "false"),
        (
            "javascript",
            "console.assert(\n  JSON.stringify(f([1,\n  2])) ===\n JSON.stringify([3])\n)",
            "f([1, 2])",
            "[3]",
        ),
        ("java", "s.f(1) == 2", "f(1)", "2"),
        ("java", "(int) s.f(1) == -1", "f(1)", "-1"),
        ("java", 's.f(1).get().equals(Arrays.asList("s."))', "f(1).get()", 'Arrays.asList("s.")'),
        ("java", 'Objects.equals(s.f(1), "a")', "f(1)", '"a"'),
        ("java", "s.f(1).isEmpty()", "f(1).isEmpty()", "true"),
        ("cpp", "assert (f({1}) == true);", "f({1})", "true"),
        ("cpp", "assert (not (f(1)));", "f(1)", "false"),
        ("cpp", "assert (issame(f({1, 2}, 3) , {4, 5}));", "f({1, 2}, 3)", "{4, 5}"),
        ("cpp", "assert (abs(f(1) +1)<0.01);", "f(1)", "-1"),
    ],
)
def test_assertions_that_are_questions(
    tmp_path: Path, language: str, assertion: str, call: str, expected: str
) -> None:
    benchmark = load(tmp_path, language, assertion)
    (question,) = benchmark.questions
    assert (question.id, question.program.call, question.expected) == ("X_3_tc0", call, expected)
    assert (question.program.language, benchmark.skipped) == (language, ())
    assert benchmark.is_correct(question, expected)
    assert not benchmark.is_correct(question, "99")


@pytest.mark.parametrize(
    ("language", "assertion", "reason"),
    [
        ("javascript", "for (;;) {\nconsole.assert(f(1) === 2)\n}", "a loop or a branch"),
        ("javascript", "console.assert(f(1) === f(2))", "compares two calls"),
        ("javascript", "console.assert(1 === 1)", "does not call the function"),
        ("javascript", "console.assert(f(1) === 1 + 1)", "not a literal"),
        ("javascript", "console.assert(f(1) < 2)", "not a plain comparison"),
        ("javascript", "console.assert(f(1).x === 2)", "not a plain comparison"),
        ("javascript", "const a = 1; console.assert(f(a) === 2)", "only the test knows"),
        ("java", "s.f(1) + 1 == 2", "not a plain comparison"),
        ("java", "s.f(1).equals(Optional.of(x()))", "not a literal"),
        ("cpp", "vector<int> a={1}; assert (f(a) == 2);", "only the test knows"),
        ("cpp", "assert (any_cast<int>(f(1)) == 2);", "not a plain comparison"),
    ],
)
def test_assertions_that_are_left_out(
    tmp_path: Path, language: str, assertion: str, reason: str
) -> None:
    benchmark = load(tmp_path, language, assertion)
    (item,) = benchmark.skipped
    assert benchmark.questions == ()
    assert reason in item.reason


def test_a_tolerance_accepts_values_within_it(tmp_path: Path) -> None:
    benchmark = load(tmp_path, "javascript", "console.assert(Math.abs(f(1) - 0.5) < 1e-3)")
    (question,) = benchmark.questions
    assert benchmark.is_correct(question, "0.5004")
    assert not benchmark.is_correct(question, "0.502")
    assert not benchmark.is_correct(question, "true")
    benchmark = load(tmp_path, "cpp", "assert (issame(f(1), {0.5, 1}));\nassert (f(2) == 0.5);")
    lists, number = benchmark.questions
    assert benchmark.is_correct(lists, "{0.50001, 1}")
    assert not benchmark.is_correct(lists, "{0.51, 1}")
    assert not benchmark.is_correct(lists, "{0.5}")
    # The tolerance belongs to issame.
    assert not benchmark.is_correct(number, "0.50001")


def test_limit_per_problem_and_wrong_options(tmp_path: Path) -> None:
    calls = "\n".join(f"console.assert(f({n}) === {n})" for n in range(4))
    benchmark = load(tmp_path, "javascript", calls, per_problem=3)
    assert [question.id for question in benchmark.questions] == ["X_3_tc0", "X_3_tc1", "X_3_tc2"]
    assert [item.reason for item in benchmark.skipped] == [
        "it is not among the first 3 of its problem"
    ]
    with pytest.raises(InputError, match="the language can be javascript or"):
        humaneval_x(tmp_path, language="cobol")
    with pytest.raises(InputError, match=r"needs its file java\.jsonl\.gz"):
        humaneval_x(tmp_path, language="java")
    (tmp_path / "cpp.jsonl").write_text('{"task_id": "X/1", "declaration": ""}\n')
    with pytest.raises(InputError, match="no text for canonical_solution, test"):
        humaneval_x(tmp_path, language="cpp")


@pytest.mark.data
@pytest.mark.parametrize(
    ("language", "questions", "problems", "skipped"),
    [("javascript", 1127, 161, 14), ("java", 1096, 158, 34), ("cpp", 1118, 160, 22)],
)
def test_published_problems(language: str, questions: int, problems: int, skipped: int) -> None:
    folder = data_file("humaneval_x/js.jsonl.gz").parent
    benchmark = humaneval_x(folder, language=language, per_problem=0)
    by_problem = Counter(str(question.facets["problem"]) for question in benchmark.questions)
    assert (len(benchmark.questions), len(by_problem)) == (questions, problems)
    assert len(benchmark.skipped) == skipped
    assert len({question.id for question in benchmark.questions}) == questions
