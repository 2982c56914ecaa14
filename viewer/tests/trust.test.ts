import { expect, test } from "vitest";
import { promiseText, trustText } from "../src/views/trust";

test("trust is a probability, its threshold, and what lowers it", () => {
  const trust = { probability: 0.8249, threshold: 0.71, is_trusted: true, reasons: ["14 steps", "a loop"] };
  expect(trustText(trust)).toBe("82.5%, trusted (from 71.0% on); lowered by: 14 steps; a loop");
});

test("without a threshold nothing is trusted", () => {
  const trust = { probability: 0.9, threshold: null, is_trusted: false, reasons: [] };
  expect(trustText(trust)).toBe("90.0%, not trusted");
});

test("the promise of the threshold is named", () => {
  const trust = { results: 69, trusted: 12, threshold: 0.81, max_wrong: 0.35, confidence: 0.9, measured: null };
  const text = promiseText(trust);
  expect(text).toContain("at most 35% wrong among the trusted results, with 90% confidence");
  expect(text).toContain("12 of 69 results are trusted");
  const without = promiseText({ ...trust, threshold: null, trusted: 0 });
  expect(without).toContain("No threshold keeps it");
  expect(without).toContain("still shown; they are estimates");
});
