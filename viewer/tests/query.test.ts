import { expect, test } from "vitest";
import type { Cell, Column, Query } from "../src/contract";
import { byCodePoint, matching } from "../src/query";

const COLUMNS: Column[] = [
  { name: "id", title: "sample", type: "text", values: null },
  { name: "where", title: "where", type: "text", values: ["state"] },
  { name: "steps", title: "steps", type: "number", values: null },
];
const ROWS: Cell[][] = [
  ["b", "state", 10],
  ["A", null, 9],
  ["c", "return", null],
  ["a", "state", 9],
  ["D", "", 100],
];
const ALL: Omit<Query, "offset" | "limit"> = { run: 0, search: "", facets: {}, sort: null, descending: false };

const ids = (query: Partial<typeof ALL>) => matching(COLUMNS, ROWS, { ...ALL, ...query }).map((row) => row[0]);

test("without a question, all rows as they came", () => {
  expect(ids({})).toEqual(["b", "A", "c", "a", "D"]);
});

test("search ignores case, looks into every text and into no number", () => {
  expect(ids({ search: "a" })).toEqual(["b", "A", "a"]);
  expect(ids({ search: "RETURN" })).toEqual(["c"]);
  expect(ids({ search: "10" })).toEqual([]);
});

test("facets hold all at once, and empty stands for none", () => {
  expect(ids({ facets: { where: "state" } })).toEqual(["b", "a"]);
  expect(ids({ facets: { where: "state", steps: "9" } })).toEqual(["a"]);
  expect(ids({ facets: { where: "" } })).toEqual(["A", "D"]);
  expect(ids({ facets: { where: "stat" } })).toEqual([]);
  expect(ids({ facets: { nowhere: "x" } })).toEqual(["b", "A", "c", "a", "D"]);
});

test("numbers sort by size, none comes last, equal rows stay in order; both ways", () => {
  expect(ids({ sort: "steps" })).toEqual(["A", "a", "b", "D", "c"]);
  expect(ids({ sort: "steps", descending: true })).toEqual(["D", "b", "A", "a", "c"]);
});

test("text sorts by code point", () => {
  expect(ids({ sort: "id" })).toEqual(["A", "D", "a", "b", "c"]);
  expect(ids({ sort: "nowhere" })).toEqual(["b", "A", "c", "a", "D"]);
  expect(["😀", "\uffff", "\ud800", "z"].sort(byCodePoint)).toEqual(["z", "\ud800", "\uffff", "😀"]);
  expect(["😁", "😀", "😀a", ""].sort(byCodePoint)).toEqual(["", "😀", "😀a", "😁"]);
});

test("the rows given are left as they are", () => {
  const before = JSON.stringify(ROWS);
  ids({ sort: "id", descending: true });
  expect(JSON.stringify(ROWS)).toBe(before);
});
