import { expect, test } from "vitest";
import { trustText } from "../src/views/trust";

test("trust is a probability, its threshold, and what lowers it", () => {
  const trust = { probability: 0.8249, threshold: 0.71, is_trusted: true, reasons: ["14 steps", "a loop"] };
  expect(trustText(trust)).toBe("82.5%, trusted (from 71.0% on); lowered by: 14 steps; a loop");
});

test("without a threshold nothing is trusted", () => {
  const trust = { probability: 0.9, threshold: null, is_trusted: false, reasons: [] };
  expect(trustText(trust)).toBe("90.0%, not trusted");
});
