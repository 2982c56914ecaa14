import { expect, test } from "vitest";
import type { SampleDocument } from "../src/api";
import { buildMinimap } from "../src/minimap";

const sample = (actual: number, predicted: number, divergence: number | null, matches: boolean[] = []) =>
  ({
    actual: { steps: Array(actual).fill({}) },
    predicted: { steps: Array(predicted).fill({}) },
    divergence: divergence === null ? null : { step: divergence },
    matches_after_divergence: matches,
  }) as unknown as SampleDocument;

test("a correct execution is one segment", () => {
  expect(buildMinimap(sample(4, 4, null), 4)).toEqual([{ kind: "same", from: 0, to: 4 }]);
});

test("steps after the divergence differ or match again", () => {
  expect(buildMinimap(sample(5, 5, 2, [false, false, true]), 5)).toEqual([
    { kind: "same", from: 0, to: 2 },
    { kind: "different", from: 2, to: 4 },
    { kind: "reconverged", from: 4, to: 5 },
  ]);
});

test("steps in a gap are missing on one side", () => {
  const gapped = sample(4, 4, 1, [false, false, true]);
  gapped.predicted.steps[2] = { is_gap: true } as never;
  expect(buildMinimap(gapped, 4).map(({ kind }) => kind)).toEqual(["same", "different", "missing", "reconverged"]);
});

test("steps of one side only are missing on the other", () => {
  expect(buildMinimap(sample(5, 2, null), 5)).toEqual([
    { kind: "same", from: 0, to: 2 },
    { kind: "missing", from: 2, to: 5 },
  ]);
});
