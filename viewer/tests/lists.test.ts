import { expect, test } from "vitest";
import { NO_FILTER } from "../src/address";
import type { Source } from "../src/contract";
import { idAt, spotOf } from "../src/neighbours";
import { pagesOf } from "../src/rows";
import { span } from "../src/window";

function listOf(count: number) {
  const asked: number[] = [];
  const source = {
    rows: async ({ offset, limit }: { offset: number; limit: number }) => {
      asked.push(offset);
      const rows = Array.from({ length: Math.max(Math.min(limit, count - offset), 0) }, (_, at) => [`s${offset + at}`]);
      return { total: count, rows };
    },
  } as unknown as Source;
  return { source, asked };
}

test("a sample near the last one looked at is found with one question", async () => {
  const { source, asked } = listOf(100_000);
  expect(await spotOf(source, 0, "s50001", { filter: NO_FILTER, index: 50_000 })).toEqual({
    index: 50_001,
    total: 100_000,
  });
  expect(asked).toEqual([49_999]);
});

test("a sample elsewhere is looked for from the start, and not without end", async () => {
  const { source, asked } = listOf(100_000);
  expect(await spotOf(source, 0, "s250", { filter: NO_FILTER, index: 0 })).toEqual({ index: 250, total: 100_000 });
  expect(await spotOf(source, 0, "nobody", { filter: NO_FILTER, index: 0 })).toBeNull();
  expect(asked.length).toBeLessThan(120);
});

test("the neighbours at the ends are none", async () => {
  const { source } = listOf(2);
  expect(await idAt(source, 0, NO_FILTER, 1)).toBe("s1");
  expect(await idAt(source, 0, NO_FILTER, 2)).toBeNull();
  expect(await idAt(source, 0, NO_FILTER, -1)).toBeNull();
});

test("only the rows in sight are drawn, and some beyond", () => {
  expect(span(1000, 20, 400, 100)).toEqual({ from: 12, to: 33 });
  expect(span(1000, 20, 0, 100)).toEqual({ from: 0, to: 13 });
  expect(span(1000, 20, 19_900, 100)).toEqual({ from: 987, to: 1000 });
  expect(span(3, 20, 0, 100)).toEqual({ from: 0, to: 3 });
  expect(span(0, 20, 500, 100)).toEqual({ from: 0, to: 0 });
});

test("rows in sight to pages", () => {
  expect(pagesOf({ from: 180, to: 230 })).toEqual([1, 2]);
  expect(pagesOf({ from: 0, to: 100 })).toEqual([0]);
  expect(pagesOf({ from: 0, to: 0 })).toEqual([0]);
});
