import { expect, test } from "vitest";
import type { Execution, Step } from "../src/api";
import { buildLanes, ownSteps } from "../src/lanes";
import { laneText } from "../src/views/threadLanes";

/** An execution whose steps belong to these threads; thread 1 is interrupted before line 21 after `preempted`. */
const execution = (threads: number[], preempted: number | null = null) =>
  ({
    steps: threads.map((thread, index): Partial<Step> => {
      const end = index === preempted ? { preempted_at: 21 } : {};
      return { event: "line", ...(thread ? { thread } : {}), ...end };
    }),
    ending: "",
  }) as Execution;

test("an execution with one thread has no lanes", () => {
  expect(buildLanes(execution([0, 0]))).toBeNull();
  expect(buildLanes(execution([]))).toBeNull();
});

test("consecutive steps of a thread are a segment", () => {
  const lanes = buildLanes(execution([0, 1, 1, 2, 1, 0], 2));
  expect(lanes?.count).toBe(3);
  expect(lanes?.segments).toEqual([
    { thread: 0, from: 0, to: 1 },
    { thread: 1, from: 1, to: 3 },
    { thread: 2, from: 3, to: 4 },
    { thread: 1, from: 4, to: 5 },
    { thread: 0, from: 5, to: 6 },
  ]);
  expect(lanes?.extent(1)).toEqual([1, 4]);
  expect(lanes?.extent(3)).toBeNull();
});

test("only a switch away from a thread that could continue is a preemption", () => {
  const lanes = buildLanes(execution([0, 1, 1, 2, 1, 0], 2));
  expect(lanes?.preemptions).toEqual([{ step: 2, thread: 1, line: 21, next: 2 }]);
  expect(lanes && [2, 3, 4].map((step) => laneText(lanes, step))).toEqual([
    "thread 1, is interrupted after this step, before line 21",
    "thread 2, interrupts thread 1",
    "thread 1",
  ]);
  expect(buildLanes(execution([0, 1, 0]))?.preemptions).toEqual([]);
});

test("the own steps of a thread are found around any step", () => {
  const lanes = buildLanes(execution([0, 1, 1, 2, 1, 0]));
  if (!lanes) throw new Error("no lanes");
  expect(ownSteps(lanes, 1, 0)).toEqual([null, 1]);
  expect(ownSteps(lanes, 1, 1)).toEqual([1, 2]);
  expect(ownSteps(lanes, 1, 3)).toEqual([2, 4]);
  expect(ownSteps(lanes, 2, 5)).toEqual([3, null]);
});

test("a gap belongs to the thread before it", () => {
  const gapped = execution([0, 1, 0, 1]);
  gapped.steps[2] = { ...gapped.steps[2], is_gap: true } as Step;
  expect(buildLanes(gapped)?.segments).toEqual([
    { thread: 0, from: 0, to: 1 },
    { thread: 1, from: 1, to: 4 },
  ]);
});
