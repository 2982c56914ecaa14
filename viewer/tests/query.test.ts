import { expect, test } from "vitest";
import type { Cell, Column, Query } from "../src/api";
import { setLabels } from "../src/labels";
import { compareByCodePoint, compareNaturally, filterRows } from "../src/query";

const COLUMNS: Column[] = [
  { name: "id", title: "sample", type: "text", values: null },
  { name: "where", title: "where", type: "text", values: [["state", 1]] },
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

const ids = (query: Partial<typeof ALL>) => filterRows(COLUMNS, ROWS, { ...ALL, ...query }).map((row) => row[0]);

test("an empty query returns all rows in their order", () => {
  expect(ids({})).toEqual(["b", "A", "c", "a", "D"]);
});

test("search ignores case, and searches every text but no number", () => {
  expect(ids({ search: "a" })).toEqual(["b", "A", "a"]);
  expect(ids({ search: "RETURN" })).toEqual(["c"]);
  expect(ids({ search: "10" })).toEqual([]);
});

test("search finds labels too", () => {
  setLabels({ return: "Value returned" });
  expect(ids({ search: "value ret" })).toEqual(["c"]);
  setLabels({});
  expect(ids({ search: "value ret" })).toEqual([]);
});

test('all facets must match, and "" matches an empty cell', () => {
  expect(ids({ facets: { where: "state" } })).toEqual(["b", "a"]);
  expect(ids({ facets: { where: "state", steps: "9" } })).toEqual(["a"]);
  expect(ids({ facets: { where: "" } })).toEqual(["A", "D"]);
  expect(ids({ facets: { where: "stat" } })).toEqual([]);
  expect(ids({ facets: { nowhere: "x" } })).toEqual(["b", "A", "c", "a", "D"]);
});

test("numbers sort by size, empty cells come last, and the sort is stable, in both directions", () => {
  expect(ids({ sort: "steps" })).toEqual(["A", "a", "b", "D", "c"]);
  expect(ids({ sort: "steps", descending: true })).toEqual(["D", "b", "A", "a", "c"]);
});

test("names sort by the numbers in them", () => {
  const names = ["s26", "s3", "s03", "t1", "s", "s99999999999999999999", "s100000000000000000000"];
  expect([...names].sort(compareNaturally)).toEqual([
    "s",
    "s3",
    "s03",
    "s26",
    "s99999999999999999999",
    "s100000000000000000000",
    "t1",
  ]);
  const rows = names.map((name) => [name, null, null]);
  const sorted = filterRows(COLUMNS, rows, { ...ALL, sort: "id", descending: true }).map((row) => row[0]);
  expect(sorted.slice(0, 2)).toEqual(["t1", "s100000000000000000000"]);
});

test("the label that the column shows is searched", () => {
  setLabels({ return: "Value returned" }, { where: { return: "Result" } });
  expect(ids({ search: "result" })).toEqual(["c"]);
  expect(ids({ search: "value ret" })).toEqual([]);
  setLabels({});
});

test("text sorts by code point", () => {
  expect(ids({ sort: "id" })).toEqual(["A", "D", "a", "b", "c"]);
  expect(ids({ sort: "nowhere" })).toEqual(["b", "A", "c", "a", "D"]);
  expect(["😀", "\uffff", "\ud800", "z"].sort(compareByCodePoint)).toEqual(["z", "\ud800", "\uffff", "😀"]);
  expect(["😁", "😀", "😀a", ""].sort(compareByCodePoint)).toEqual(["", "😀", "😀a", "😁"]);
});

test("the rows passed in are not changed", () => {
  const before = JSON.stringify(ROWS);
  ids({ sort: "id", descending: true });
  expect(JSON.stringify(ROWS)).toBe(before);
});
