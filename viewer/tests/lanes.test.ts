import { expect, test } from "vitest";
import type { Frame, Lane, Step } from "../src/contract";
import { timeline } from "../src/lanes";

function step(set: Record<string, string>, unset: string[] = [], stack?: Frame[]): Step {
  return { event: "line", line: 1, text: "", changed: [], set, unset, value: null, ...(stack && { stack }) };
}

const lane = (steps: Step[]): Lane => ({ steps, ending: "" });

test("variables are set, kept and unset", () => {
  const { state } = timeline(lane([step({ x: "1" }), step({ y: "2" }), step({ x: "3" }, ["y"])]));
  expect([...state(0)]).toEqual([["x", "1"]]);
  expect([...state(1)]).toEqual([
    ["x", "1"],
    ["y", "2"],
  ]);
  expect([...state(2)]).toEqual([["x", "3"]]);
});

test("a state far along is the one that all steps before make, whichever way one comes to it", () => {
  const random = (at: number) => (at * 7919) % 11;
  const steps = Array.from({ length: 1000 }, (_, at) =>
    step({ [`v${random(at)}`]: String(at) }, [`v${random(at + 5)}`]),
  );
  const { state } = timeline(lane(steps));
  const plain = new Map<string, string>();
  const all = steps.map(({ set, unset }) => {
    for (const name of unset) plain.delete(name);
    for (const [name, value] of Object.entries(set)) plain.set(name, value);
    return Object.fromEntries(plain);
  });
  for (const at of [999, 0, 63, 64, 65, 127, 128, 500, 64]) expect(Object.fromEntries(state(at))).toEqual(all[at]);
});

test("what was looked at can be changed without harm", () => {
  const { state } = timeline(lane([step({ x: "1" })]));
  state(0).set("x", "changed");
  expect(state(0).get("x")).toBe("1");
});

test("the stack is the last one told", () => {
  const [main, f]: Frame[] = [
    { function: "main", line: 1 },
    { function: "f", line: 2 },
  ];
  const { stack, depth } = timeline(lane([step({}, [], [main!]), step({}), step({}, [], [main!, f!]), step({})]));
  expect(stack(1)).toEqual([main]);
  expect(stack(3)).toEqual([main, f]);
  expect([0, 1, 2, 3].map(depth)).toEqual([1, 1, 2, 2]);
});

test("names such as __proto__ are names", () => {
  const set = JSON.parse('{"__proto__": "1", "constructor": "2"}') as Record<string, string>;
  const { state } = timeline(lane([step(set)]));
  expect([...state(0).keys()]).toEqual(["__proto__", "constructor"]);
});

test("outside of a lane there is nothing", () => {
  const { state, stack } = timeline(lane([step({ x: "1" })]));
  expect(state(1).size).toBe(0);
  expect(state(-1).size).toBe(0);
  expect(stack(5)).toEqual([]);
  expect(timeline(lane([])).length).toBe(0);
});
