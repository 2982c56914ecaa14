import { expect, test } from "vitest";
import type { ReportDocument } from "../src/contract";
import { nameOf } from "../src/names";
import { differenceInterval, pText, pointsText } from "../src/numbers";

test("a p value is written as the terminal writes it", () => {
  expect([0.0004, 0.0123, 0.375, 0.999].map(pText)).toEqual(["< 0.001", "0.012", "0.38", "1"]);
});

test("points have their sign, and nothing has none", () => {
  expect([0.032, -0.0123, -0.0001, null].map(pointsText)).toEqual(["+3.2", "−1.2", "0.0", "–"]);
  expect(differenceInterval({ of: 4, value: 0, low: -0.01, high: 0.074, p: 1 })).toBe("−1.0 to +7.4");
  expect(differenceInterval({ of: 0, value: null, low: null, high: null, p: 1 })).toBe("none");
});

test("a run is called by the end of its path, unless two would be called the same", () => {
  const named = (...names: string[]) => ({ runs: names.map((name) => ({ name })) }) as ReportDocument;
  expect(nameOf(named("runs/base/", "runs/tuned"), 0)).toBe("base");
  expect(nameOf(named("a/run", "b/run"), 1)).toBe("b/run");
});
