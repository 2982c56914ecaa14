import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { FORMAT, type Query, type ReportDocument, type SampleDocument } from "../src/api";
import { embeddedSource } from "../src/dataSource/embedded";
import { rowsParameters, serverSource } from "../src/dataSource/server";

const COLUMNS = [
  { name: "id", title: "sample", type: "text", values: null },
  { name: "steps", title: "steps", type: "number", values: null },
];
const REPORT = {
  format: FORMAT,
  worldline: "0",
  labels: {},
  runs: [{ name: "a", columns: COLUMNS }],
  comparison: null,
};
const ROWS = [
  [
    ["one", 3],
    ["two\ud800", 1],
    ["three", 2],
  ],
];
const QUERY: Query = { run: 0, search: "", facets: {}, sort: null, descending: false, offset: 0, limit: 100 };
const compress = (document: unknown) => gzipSync(JSON.stringify(document)).toString("base64");

function page(changes: Record<string, string | null> = {}) {
  const samples = [ROWS[0]!.map(([id]) => compress({ id, summary: `é😀 ${id}` }))];
  const texts: Record<string, string | null> = {
    report: JSON.stringify(REPORT),
    rows: JSON.stringify(ROWS),
    samples: JSON.stringify(samples),
    ...changes,
  };
  return embeddedSource((id) => texts[id] ?? null);
}

test("an embedded source has the report, the rows in sorted pages, and decompressed samples", async () => {
  const source = page();
  expect((await source.report()).runs[0]?.name).toBe("a");
  expect(await source.rows({ ...QUERY, sort: "steps", offset: 1, limit: 1 })).toEqual({
    total: 3,
    rows: [["three", 2]],
  });
  expect(await source.rows({ ...QUERY, search: "t" })).toMatchObject({ total: 2 });
  expect((await source.sample(0, "three")).summary).toBe("é😀 three");
  expect((await source.sample(0, "two\ud800")).id).toBe("two\ud800");
});

test.each([
  ["no data", { report: null }, /has no data/],
  ["damaged data", { report: '{"format": 6, ' }, /damaged/],
  ["a different version", { report: '{"format": 2, "runs": []}' }, /different version/],
  ["no runs", { report: `{"format": ${FORMAT}, "runs": []}` }, /no runs/],
])("a page with %s shows a message", async (_, changes, message) => {
  await expect(page(changes).report()).rejects.toThrow(message);
});

test("a sample that is missing or damaged gives a message", async () => {
  await expect(page().sample(0, "four")).rejects.toThrow(/no sample with this id/);
  await expect(page().sample(7, "one")).rejects.toThrow(/no run 7/);
  const truncated = compress({ id: "one" }).slice(0, 24);
  await expect(page({ samples: JSON.stringify([[truncated, "!", ""]]) }).sample(0, "one")).rejects.toThrow(/damaged/);
  await expect(page({ samples: JSON.stringify([[truncated, "!", ""]]) }).sample(0, "two\ud800")).rejects.toThrow(
    /damaged/,
  );
});

test("the parameters of a request for rows", () => {
  const query = { ...QUERY, search: "a b", facets: { where: "state", kind: "" }, sort: "steps", descending: true };
  expect(rowsParameters(query)).toBe(
    "run=0&search=a%20b&facet=where:state&facet=kind:&sort=steps&descending=1&offset=0&limit=100",
  );
  expect(rowsParameters({ ...QUERY, offset: 100 })).toBe("run=0&offset=100&limit=100");
});

test("a server source returns the responses, and encodes any id", async () => {
  const urls: string[] = [];
  const source = serverSource("api/", async (url) => {
    urls.push(String(url));
    return new Response(JSON.stringify(urls.length === 1 ? REPORT : { id: "x" }));
  });
  expect((await source.report()) as unknown).toEqual(REPORT satisfies unknown as ReportDocument);
  expect((await source.sample(1, "a&b\ud800")) as Partial<SampleDocument>).toEqual({ id: "x" });
  expect(urls).toEqual(["api/report", "api/sample?run=1&id=a%26b%ED%A0%80"]);
});

test("a server that is stopped, refuses or responds with invalid JSON gives a message", async () => {
  const gone = serverSource("api/", () => Promise.reject(new TypeError("failed to fetch")));
  await expect(gone.report()).rejects.toThrow(/does not respond/);
  const broken = serverSource("api/", async () => new Response("a disk is full", { status: 500 }));
  await expect(broken.report()).rejects.toThrow(/error 500: a disk is full/);
  const missing = serverSource("api/", async () => new Response("", { status: 404 }));
  await expect(missing.sample(0, "x")).rejects.toThrow(/Not found/);
  const deleted = serverSource("api/", async () => new Response("runs/a no longer exists", { status: 410 }));
  await expect(deleted.report()).rejects.toThrow(/^runs\/a no longer exists\.$/);
  const nonsense = serverSource("api/", async () => new Response("<html>"));
  await expect(nonsense.report()).rejects.toThrow(/damaged/);
});
