import { expect, test } from "vitest";
import type { ReportDocument } from "../src/api";
import { columnLabel, measureLabel, runLabel, setLabels } from "../src/labels";

test("a run is labelled by the last part of its path, unless two runs share it", () => {
  const report = (...names: string[]) => ({ runs: names.map((name) => ({ name })) }) as ReportDocument;
  expect(runLabel(report("runs/base/", "runs/tuned"), 0)).toBe("base");
  expect(runLabel(report("a/run", "b/run"), 1)).toBe("b/run");
});

test("identifiers of Worldline have labels, a benchmark's words are shown as they are", () => {
  setLabels({ copy_error: "Copy error" });
  expect(columnLabel("cause", "copy_error")).toBe("Copy error");
  expect(columnLabel("program_topic", "copy_error")).toBe("copy_error");
  expect(columnLabel("kind", "-")).toBe("No value");
  setLabels({});
});

test("measures are shown in words", () => {
  expect(["call_depth", "steps"].map(measureLabel)).toEqual(["Call depth", "Steps"]);
  expect(["kind", "kinds"].map(measureLabel)).toEqual(["Kind of value", "Kinds in the program"]);
});

test("a label depends on the column if the report says so", () => {
  setLabels({ correct: "Correct", diverged: "Diverged" }, { outcome: { correct: "Same execution" } });
  expect(columnLabel("verdict", "correct")).toBe("Correct");
  expect(columnLabel("outcome", "correct")).toBe("Same execution");
  expect(columnLabel("outcome", "diverged")).toBe("Diverged");
  expect(columnLabel("program_source", "correct")).toBe("correct");
  expect(measureLabel("outcome")).toBe("Trace");
  setLabels({});
});
