import { expect, test } from "vitest";
import type { Execution, Frame, SampleDocument, Step } from "../src/api";
import { buildTimeline } from "../src/timeline";
import { legendMarks } from "../src/views/timelineView";

function step(set: Record<string, string>, unset: string[] = [], stack?: Frame[]): Step {
  return { event: "line", line: 1, text: "", changed: [], set, unset, value: null, ...(stack && { stack }) };
}

const execution = (steps: Step[]): Execution => ({ steps, ending: "" });

test("variables are set, kept and unset", () => {
  const { state } = buildTimeline(execution([step({ x: "1" }), step({ y: "2" }), step({ x: "3" }, ["y"])]));
  expect([...state(0)]).toEqual([["x", "1"]]);
  expect([...state(1)]).toEqual([
    ["x", "1"],
    ["y", "2"],
  ]);
  expect([...state(2)]).toEqual([["x", "3"]]);
});

test("a late state is the sum of all steps before it, in any order of access", () => {
  const random = (at: number) => (at * 7919) % 11;
  const steps = Array.from({ length: 1000 }, (_, at) =>
    step({ [`v${random(at)}`]: String(at) }, [`v${random(at + 5)}`]),
  );
  const { state } = buildTimeline(execution(steps));
  const plain = new Map<string, string>();
  const all = steps.map(({ set, unset }) => {
    for (const name of unset) plain.delete(name);
    for (const [name, value] of Object.entries(set)) plain.set(name, value);
    return Object.fromEntries(plain);
  });
  for (const at of [999, 0, 63, 64, 65, 127, 128, 500, 64]) expect(Object.fromEntries(state(at))).toEqual(all[at]);
});

test("changing a returned state does not change the timeline", () => {
  const { state } = buildTimeline(execution([step({ x: "1" })]));
  state(0).set("x", "changed");
  expect(state(0).get("x")).toBe("1");
});

test("the stack is that of the last step that has one", () => {
  const [main, f]: Frame[] = [
    { function: "main", line: 1 },
    { function: "f", line: 2 },
  ];
  const { stack, depth } = buildTimeline(
    execution([step({}, [], [main!]), step({}), step({}, [], [main!, f!]), step({})]),
  );
  expect(stack(1)).toEqual([main]);
  expect(stack(3)).toEqual([main, f]);
  expect([0, 1, 2, 3].map(depth)).toEqual([1, 1, 2, 2]);
});

test("variables may be called __proto__ and constructor", () => {
  const set = JSON.parse('{"__proto__": "1", "constructor": "2"}') as Record<string, string>;
  const { state } = buildTimeline(execution([step(set)]));
  expect([...state(0).keys()]).toEqual(["__proto__", "constructor"]);
});

test("outside of an execution there are no variables and no stack", () => {
  const { state, stack } = buildTimeline(execution([step({ x: "1" })]));
  expect(state(1).size).toBe(0);
  expect(state(-1).size).toBe(0);
  expect(stack(5)).toEqual([]);
  expect(buildTimeline(execution([])).length).toBe(0);
});

test("the marks of the steps are explained, those that occur", () => {
  const sample = (stale: Record<string, string>, gap = false) =>
    ({
      divergence: { step: 1 },
      matches_after_divergence: [false, false, true],
      stale_variables: stale,
      actual: execution([step({}), step({}), step({}), step({})]),
      predicted: execution([step({}), step({}), { ...step({}), is_gap: gap }, step({})]),
    }) as unknown as SampleDocument;
  const marks = (of: SampleDocument) => legendMarks(of, 4).map(([mark]) => mark);
  expect(marks(sample({}))).toEqual(["✗", "≠", "="]);
  expect(marks(sample({ "2": "x" }, true))).toEqual(["✗", "=", "−", "still x="]);
  expect(legendMarks({ ...sample({}), divergence: null }, 4)).toEqual([]);
  expect(legendMarks(sample({}), 2)).toEqual([["✗", "first divergence"]]);
});
