"""`worldline predict` run again: the same command resumes, a different one is refused."""

import json
from pathlib import Path

from tests.interfaces.cli.commands import run
from tests.support.fake_server import FaultyServer, imitate_vllm, running


def test_different_settings_or_programs_are_refused_in_a_finished_file(tmp_path: Path) -> None:
    path, output = tmp_path / "next.py", tmp_path / "p.jsonl"
    path.write_text("def f(x):\n    return x + 1\n", encoding="utf-8")
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        command = ["predict", str(path), "--engine", server.url, "-o", str(output)]
        command += ["--max-tokens", "9", "--call"]
        assert run(*command, "f(1)").exit_code == 0
        assert "1 of 1 predictions are already in" in run(*command, "f(1)").stderr
        asked = server.seen["fine"]
        other = run(*command, "f(2)")
        assert (other.exit_code, "of a different program" in other.stderr) == (2, True)
        guided = run(*command, "f(1)", "--mode", "guided")
        assert (guided.exit_code, "with mode 'free', not 'guided'" in guided.stderr) == (2, True)
        assert server.seen["fine"] == asked


def test_an_input_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "programs.jsonl"
    row = json.dumps({"id": "a", "code": "def f(): return 1", "call": "f()", "output": "said"})
    path.write_text(row + "\n", encoding="utf-8")
    other = tmp_path / "other.jsonl"
    other.write_text(row + "\n", encoding="utf-8")
    for programs in (path, other):
        engine = f"recorded:{path}"
        result = run("predict", str(programs), "--engine", engine, "-o", str(path), "--restart")
        assert result.exit_code == 2
        assert "read and written at the same time" in result.stderr
        assert path.read_text(encoding="utf-8") == row + "\n"
