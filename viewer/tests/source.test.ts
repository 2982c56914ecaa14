import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import type { Query, ReportDocument, SampleDocument } from "../src/contract";
import { fileSource } from "../src/source/file";
import { rowsQuery, serverSource } from "../src/source/server";

const COLUMNS = [
  { name: "id", title: "sample", type: "text", values: null },
  { name: "steps", title: "steps", type: "number", values: null },
];
const REPORT = { format: 1, worldline: "0", runs: [{ name: "a", columns: COLUMNS }], comparison: null };
const ROWS = [
  [
    ["one", 3],
    ["two\ud800", 1],
    ["three", 2],
  ],
];
const QUERY: Query = { run: 0, search: "", facets: {}, sort: null, descending: false, offset: 0, limit: 100 };
const packed = (document: unknown) => gzipSync(JSON.stringify(document)).toString("base64");

function page(changes: Record<string, string | null> = {}) {
  const samples = [ROWS[0]!.map(([id]) => packed({ id, story: `é😀 ${id}` }))];
  const texts: Record<string, string | null> = {
    report: JSON.stringify(REPORT),
    rows: JSON.stringify(ROWS),
    samples: JSON.stringify(samples),
    ...changes,
  };
  return fileSource((id) => texts[id] ?? null);
}

test("a file gives its report, its rows in pages and in order, and its samples unpacked", async () => {
  const source = page();
  expect((await source.report()).runs[0]?.name).toBe("a");
  expect(await source.rows({ ...QUERY, sort: "steps", offset: 1, limit: 1 })).toEqual({
    total: 3,
    rows: [["three", 2]],
  });
  expect(await source.rows({ ...QUERY, search: "t" })).toMatchObject({ total: 2 });
  expect((await source.sample(0, "three")).story).toBe("é😀 three");
  expect((await source.sample(0, "two\ud800")).id).toBe("two\ud800");
});

test.each([
  ["no data", { report: null }, /no data in this page/],
  ["damaged data", { report: '{"format": 1, ' }, /damaged/],
  ["another version", { report: '{"format": 2, "runs": []}' }, /another version/],
  ["no runs", { report: '{"format": 1, "runs": []}' }, /no run/],
])("%s: a sentence", async (_, changes, sentence) => {
  await expect(page(changes).report()).rejects.toThrow(sentence);
});

test("a sample that is not there, or is damaged: a sentence", async () => {
  await expect(page().sample(0, "four")).rejects.toThrow(/no sample with this id/);
  await expect(page().sample(7, "one")).rejects.toThrow(/no run 7/);
  const cut = packed({ id: "one" }).slice(0, 24);
  await expect(page({ samples: JSON.stringify([[cut, "!", ""]]) }).sample(0, "one")).rejects.toThrow(/damaged/);
  await expect(page({ samples: JSON.stringify([[cut, "!", ""]]) }).sample(0, "two\ud800")).rejects.toThrow(/damaged/);
});

test("what a server is asked", () => {
  const query = { ...QUERY, search: "a b", facets: { where: "state", kind: "" }, sort: "steps", descending: true };
  expect(rowsQuery(query)).toBe(
    "run=0&search=a%20b&facet=where:state&facet=kind:&sort=steps&descending=1&offset=0&limit=100",
  );
  expect(rowsQuery({ ...QUERY, offset: 100 })).toBe("run=0&offset=100&limit=100");
});

test("a server gives what it answers, and ids reach it whatever they are", async () => {
  const asked: string[] = [];
  const source = serverSource("api/", async (url) => {
    asked.push(String(url));
    return new Response(JSON.stringify(asked.length === 1 ? REPORT : { id: "x" }));
  });
  expect((await source.report()) as unknown).toEqual(REPORT satisfies unknown as ReportDocument);
  expect((await source.sample(1, "a&b\ud800")) as Partial<SampleDocument>).toEqual({ id: "x" });
  expect(asked).toEqual(["api/report", "api/sample?run=1&id=a%26b%ED%A0%80"]);
});

test("a server that is gone, refuses or talks nonsense: a sentence", async () => {
  const gone = serverSource("api/", () => Promise.reject(new TypeError("failed to fetch")));
  await expect(gone.report()).rejects.toThrow(/does not answer/);
  const broken = serverSource("api/", async () => new Response("a disk is full", { status: 500 }));
  await expect(broken.report()).rejects.toThrow(/error 500: a disk is full/);
  const missing = serverSource("api/", async () => new Response("", { status: 404 }));
  await expect(missing.sample(0, "x")).rejects.toThrow(/does not have this/);
  const deleted = serverSource("api/", async () => new Response("runs/a is no longer there", { status: 410 }));
  await expect(deleted.report()).rejects.toThrow(/^runs\/a is no longer there\.$/);
  const nonsense = serverSource("api/", async () => new Response("<html>"));
  await expect(nonsense.report()).rejects.toThrow(/damaged/);
});
