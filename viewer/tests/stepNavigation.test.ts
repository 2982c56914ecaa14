import { expect, test } from "vitest";
import { stepOut, stepOver } from "../src/stepNavigation";

// main, main, f, f, g, g, f, main
const DEPTHS = [1, 1, 2, 2, 3, 3, 2, 1];
const depth = (step: number) => DEPTHS[step] ?? 0;
const over = (step: number) => stepOver(step, DEPTHS.length, depth);
const out = (step: number) => stepOut(step, DEPTHS.length, depth);

test("step over skips a call, and stays in the same function", () => {
  expect(over(0)).toBe(1);
  expect(over(1)).toBe(7);
  expect(over(3)).toBe(6);
  expect(over(6)).toBe(7);
});

test("step out goes to the caller", () => {
  expect(out(4)).toBe(6);
  expect(out(2)).toBe(7);
});

test("without such a step, the last one", () => {
  expect(out(1)).toBe(7);
  expect(over(7)).toBe(7);
  expect(stepOver(0, 0, () => 0)).toBe(0);
});
