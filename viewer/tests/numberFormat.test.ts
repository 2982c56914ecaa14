import { expect, test } from "vitest";
import { formatDifferenceInterval, formatPercent, formatPoints, formatPValue, pluralize } from "../src/numberFormat";

test("a p-value is formatted as in the terminal", () => {
  expect([0.0004, 0.0123, 0.375, 0.999].map(formatPValue)).toEqual(["< 0.001", "0.012", "0.38", "1"]);
});

test("a half is rounded to the even digit, as in Python", () => {
  // Python: [f"{100 * value:.1f}" for value in …]
  const shares = [282 / 800, 0.3575, 0.1234, 2 / 3, 1, 0, 1 / 800, 3 / 800, 0.0005, 0.0035];
  const expected = ["35.2%", "35.8%", "12.3%", "66.7%", "100.0%", "0.0%", "0.1%", "0.4%", "0.1%", "0.4%"];
  expect(shares.map(formatPercent)).toEqual(expected);
  expect(formatPoints(-282 / 800)).toBe("−35.2");
});

test("points have a sign, and zero has none", () => {
  expect([0.032, -0.0123, -0.0001, null].map(formatPoints)).toEqual(["+3.2", "−1.2", "0.0", "–"]);
  expect(formatDifferenceInterval({ of: 4, value: 0, low: -0.01, high: 0.074, p: 1 })).toBe("−1.0 to +7.4");
  expect(formatDifferenceInterval({ of: 0, value: null, low: null, high: null, p: 1 })).toBe("none");
});

test("a noun is plural unless there is one", () => {
  expect([0, 1, 1200].map((value) => pluralize(value, "token"))).toEqual(["0 tokens", "1 token", "1,200 tokens"]);
});
