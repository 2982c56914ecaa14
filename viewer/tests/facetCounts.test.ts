import { expect, test } from "vitest";
import type { Cell, Column } from "../src/api";
import { countFacets } from "../src/facetCounts";

const menu = (name: string): Column => ({ name, title: name, type: "text", values: [] });
const COLUMNS: Column[] = [{ ...menu("id"), values: null }, menu("where"), menu("verdict")];
const ROWS: Cell[][] = [
  ["b", "state", "incorrect"],
  ["a", null, "correct"],
  ["c", "action", "incorrect"],
  ["d", "state", "correct"],
];
const count = (facets: Record<string, string>, search = "", texts: Cell[] = []) =>
  countFacets(COLUMNS, ROWS, { run: 0, search, facets }, new Set(texts));

test("without a filter, all samples are counted", () => {
  expect(count({})).toEqual({
    where: { total: 4, values: { state: 2, action: 1 } },
    verdict: { total: 4, values: { incorrect: 2, correct: 2 } },
  });
});

test("a chosen value does not hide the others of its column", () => {
  expect(count({ where: "state" })).toEqual({
    where: { total: 4, values: { state: 2, action: 1 } },
    verdict: { total: 2, values: { incorrect: 1, correct: 1 } },
  });
  expect(count({ where: "state", verdict: "incorrect" })["where"]).toEqual({
    total: 2,
    values: { state: 1, action: 1 },
  });
});

test("the search applies to all columns", () => {
  expect(count({}, "action")["verdict"]).toEqual({ total: 1, values: { incorrect: 1 } });
  expect(count({}, "in a program", ["a"])["verdict"]).toEqual({ total: 1, values: { correct: 1 } });
});
