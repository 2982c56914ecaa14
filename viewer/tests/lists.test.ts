import { expect, test } from "vitest";
import type { DataSource } from "../src/api";
import { pagesOf } from "../src/pagedRows";
import { NO_FILTER } from "../src/route";
import { findPosition, sampleIdAt } from "../src/siblings";
import { visibleRange } from "../src/virtualList";

function listOf(count: number) {
  const offsets: number[] = [];
  const data = {
    rows: async ({ offset, limit }: { offset: number; limit: number }) => {
      offsets.push(offset);
      const rows = Array.from({ length: Math.max(Math.min(limit, count - offset), 0) }, (_, index) => [
        `s${offset + index}`,
      ]);
      return { total: count, rows };
    },
  } as unknown as DataSource;
  return { data, offsets };
}

test("a sample next to the last one opened is found with one request", async () => {
  const { data, offsets } = listOf(100_000);
  expect(await findPosition(data, 0, "s50001", { filter: NO_FILTER, index: 50_000 })).toEqual({
    index: 50_001,
    total: 100_000,
  });
  expect(offsets).toEqual([49_999]);
});

test("another sample is searched from the start, in a limited number of requests", async () => {
  const { data, offsets } = listOf(100_000);
  expect(await findPosition(data, 0, "s250", { filter: NO_FILTER, index: 0 })).toEqual({ index: 250, total: 100_000 });
  expect(await findPosition(data, 0, "nobody", { filter: NO_FILTER, index: 0 })).toBeNull();
  expect(offsets.length).toBeLessThan(120);
});

test("the first and the last sample have one sibling only", async () => {
  const { data } = listOf(2);
  expect(await sampleIdAt(data, 0, NO_FILTER, 1)).toBe("s1");
  expect(await sampleIdAt(data, 0, NO_FILTER, 2)).toBeNull();
  expect(await sampleIdAt(data, 0, NO_FILTER, -1)).toBeNull();
});

test("the rows in view are rendered, and some before and after", () => {
  expect(visibleRange(1000, 20, 400, 100)).toEqual({ from: 12, to: 33 });
  expect(visibleRange(1000, 20, 0, 100)).toEqual({ from: 0, to: 13 });
  expect(visibleRange(1000, 20, 19_900, 100)).toEqual({ from: 987, to: 1000 });
  expect(visibleRange(3, 20, 0, 100)).toEqual({ from: 0, to: 3 });
  expect(visibleRange(0, 20, 500, 100)).toEqual({ from: 0, to: 0 });
});

test("a range of rows to its pages", () => {
  expect(pagesOf({ from: 180, to: 230 })).toEqual([1, 2]);
  expect(pagesOf({ from: 0, to: 100 })).toEqual([0]);
  expect(pagesOf({ from: 0, to: 0 })).toEqual([0]);
});
