import { expect, test } from "vitest";
import type { Accuracy, ProjectRun } from "../src/api";
import { comparePath, runPath } from "../src/project/links";
import { embeddedProject, servedProject } from "../src/project/source";
import { fromProjectHash, NO_STATE, selectRuns, toProjectHash, bestRuns, projectTitle } from "../src/project/state";

function run(id: string, correct: number, more: Partial<ProjectRun> = {}): ProjectRun {
  const share = { correct, of: 10, low: 0, high: 1 };
  const counts = { questions: 10, samples: 10, correct, incorrect: 10 - correct, no_answer: 0, truncated: 0 };
  const accuracy: Accuracy = { ...counts, infra_error: 0, of_all: share, of_answered: share };
  const names = { model: "m", benchmark: "b", settings: "free", evaluated_at: "" };
  return { id, ...names, step: null, expected: 10, accuracy, ...more };
}

const RUNS = [run("checkpoint-1000", 3), run("checkpoint-200", 7, { model: "other" }), run("base", 5, { step: 1 })];
const ids = (runs: ProjectRun[]) => runs.map(({ id }) => id);

test("the state survives its hash", () => {
  const state = { ...NO_STATE, search: "a&b=c#", descending: true, baseline: "x/y", of: "all" };
  expect(fromProjectHash(toProjectHash(state))).toEqual(state);
  expect(fromProjectHash("")).toEqual(NO_STATE);
  expect(fromProjectHash("#constructor=1&nonsense")).toEqual(NO_STATE);
});

test("names are sorted by their numbers", () => {
  expect(ids(selectRuns(RUNS, NO_STATE, new Map()))).toEqual(["base", "checkpoint-200", "checkpoint-1000"]);
});

test("runs are sorted by accuracy, and runs without a value are last", () => {
  const sorted = (sort: string, descending: boolean) =>
    ids(selectRuns(RUNS, { ...NO_STATE, sort, descending }, new Map()));
  expect(sorted("answered", true)).toEqual(["checkpoint-200", "base", "checkpoint-1000"]);
  expect(sorted("answered", false)).toEqual(["checkpoint-1000", "base", "checkpoint-200"]);
  expect(sorted("step", true)[0]).toBe("base");
  expect(sorted("step", false)[0]).toBe("base");
});

test("runs are filtered by text and by model", () => {
  expect(ids(selectRuns(RUNS, { ...NO_STATE, search: "CHECK" }, new Map()))).toHaveLength(2);
  expect(ids(selectRuns(RUNS, { ...NO_STATE, model: "other" }, new Map()))).toEqual(["checkpoint-200"]);
  expect(ids(selectRuns(RUNS, { ...NO_STATE, search: "none" }, new Map()))).toEqual([]);
});

test("paths encode the names of runs", () => {
  expect(runPath("sft/a b")).toBe("run/sft%2Fa%20b/");
  expect(comparePath("a", "<x>")).toBe("compare/a/%3Cx%3E/#/compare");
});

test("a document of another version is refused", async () => {
  await expect(embeddedProject('{"format":4}').project()).rejects.toThrow("different version");
  const respond = async () => new Response('{"format":4}');
  await expect(servedProject("api/", respond).project()).rejects.toThrow("different version");
});

test("the title of a project is the name of its folder", () => {
  expect(projectTitle("/home/me/runs/")).toBe("runs");
  expect(projectTitle("s3://bucket/all")).toBe("all");
  expect(projectTitle("runs")).toBe("runs");
});

test("the best run is first", () => {
  const unanswered = run("none", 0);
  unanswered.accuracy.of_answered = { correct: 0, of: 0, low: null, high: null };
  expect(ids(bestRuns([unanswered, ...RUNS]))).toEqual(["checkpoint-200", "base", "checkpoint-1000", "none"]);
});
