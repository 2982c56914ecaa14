import { expect, test } from "vitest";
import type { CauseCount, DivergenceCount, ExampleFailure, OperationRate } from "../src/api";
import { causesText } from "../src/views/causes";
import { fillBins } from "../src/views/charts";
import { coverageText, testsText } from "../src/views/exampleFailures";
import { sortRates } from "../src/views/operations";
import { fillRows } from "../src/views/overviewPage";
import { knownRuns, linePoints } from "../src/views/svgChart";

const cause = (count: number, tests: Partial<CauseCount> = {}): CauseCount => ({
  name: "copy_error",
  count,
  sentence: "",
  confirmed: null,
  refuted: null,
  ...tests,
});
const share = (correct: number, of: number) => ({ correct, of, low: null, high: null });
const diverged = (count: number): DivergenceCount[] => [{ where: "state", kind: "str", count }];

test("the denominator of the causes is named, and that they are hypotheses", () => {
  const text = causesText({ causes: [cause(17), cause(50)], divergences: diverged(66) });
  expect(text).toContain("Causes of 66 divergences and 1 other failure.");
  expect(text).toContain("a hypothesis");
  expect(text).toContain("no intervention has confirmed any");
  expect(causesText({ causes: [cause(3)], divergences: diverged(3) })).toContain("Causes of 3 divergences.");
  expect(causesText({ causes: [cause(3)], divergences: diverged(5) })).toContain("Causes of 3 of 5 divergences.");
});

test("confirmed and refuted causes are counted", () => {
  const causes = [cause(5, { confirmed: share(4, 5) }), cause(2, { confirmed: share(1, 2), refuted: share(1, 2) })];
  expect(causesText({ causes, divergences: diverged(7) })).toContain("interventions confirmed 5 and refuted 1.");
});

test("a card counts the interventions on its cause, if there are any", () => {
  expect(testsText(cause(5, { confirmed: share(4, 5), refuted: share(1, 5) }))).toBe(
    "Interventions: confirmed 4, refuted 1",
  );
  expect(testsText(cause(5, { refuted: share(2, 5) }))).toBe("Interventions: confirmed 0, refuted 2");
  expect(testsText(cause(5))).toBe("");
});

test("the cards say how many divergences they cover, and that causes are hypotheses", () => {
  const example = (count: number) => ({ count, divergences: 161 }) as ExampleFailure;
  expect(coverageText({ examples: [example(38), example(22), example(18)], causes: [cause(38)] })).toBe(
    "These 3 causes have 78 of the 161 divergences. Each is a hypothesis from the two executions; " +
      "no intervention has confirmed any of them.",
  );
  expect(coverageText({ examples: [example(5)], causes: [cause(5, { confirmed: share(4, 5) })] })).toBe(
    "This cause has 5 of the 161 divergences. Each is a hypothesis from the two executions; " +
      "interventions confirmed 4 and refuted 0.",
  );
});

const rate = (name: string, correct: number, of: number, shared = 0): OperationRate => ({
  name,
  single: { ...share(correct, of), value: null },
  shared: { ...share(shared, shared), value: null },
  programs: 1,
});

test("operations that fail most come first, and those with few executions are folded", () => {
  const rates = [rate("copy", 110, 112), rate("rare", 0, 3), rate("slice", 20, 40), rate("both", 3, 4, 6)];
  const { shown, folded } = sortRates(rates);
  expect(shown.map(({ name }) => name)).toEqual(["slice", "copy", "both"]);
  expect(folded.map(({ name }) => name)).toEqual(["rare"]);
});

test("a run with few executions of every operation shows them all", () => {
  const { shown, folded } = sortRates([rate("a", 3, 3), rate("b", 0, 3)]);
  expect(shown.map(({ name }) => name)).toEqual(["b", "a"]);
  expect(folded).toEqual([]);
});

test("the last of an odd number of small panels takes the row", () => {
  const wide = (sections: { isWide?: boolean }[]) => fillRows(sections).map(({ isWide = false }) => isWide);
  expect(wide([{}, {}, {}])).toEqual([false, false, true]);
  expect(wide([{}, { isWide: true }, {}])).toEqual([false, true, false]);
  expect(wide([{}, { isWide: true }])).toEqual([true, true]);
});

test("a stepped line falls at its points", () => {
  const points = [
    { at: 0, name: "0", y: 1 },
    { at: 0.5, name: "4", y: 0.4 },
    { at: 1, name: "8", y: 0.4 },
  ];
  expect(linePoints(points, true)).toEqual([
    [0, 1],
    [0.5, 1],
    [0.5, 0.4],
    [1, 0.4],
  ]);
  expect(linePoints(points, false)).toEqual([
    [0, 1],
    [0.5, 0.4],
    [1, 0.4],
  ]);
});

test("empty bins between others are kept, and are a gap in the line", () => {
  const bin = (group: string) => ({ group, share: share(1, 2) });
  const filled = fillBins([bin("1"), bin("4–7"), bin("8–15"), bin("32–63")]);
  expect(filled.map(({ group, share: { of } }) => [group, of])).toEqual([
    ["1", 2],
    ["2–3", 0],
    ["4–7", 2],
    ["8–15", 2],
    ["16–31", 0],
    ["32–63", 2],
  ]);
  for (const groups of [["1", "3", "9"], ["below 0", "2–3", "16–31"], ["2–3", "16–30"], []]) {
    const bins = groups.map(bin);
    expect(fillBins(bins)).toBe(bins);
  }
  const points = filled.map(({ group, share: { of } }, at) => ({ at, name: group, y: of ? 0.5 : null }));
  expect(knownRuns(points).map((run) => run.map(({ name }) => name))).toEqual([["1"], ["4–7", "8–15"], ["32–63"]]);
});
