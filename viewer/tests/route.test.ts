import { expect, test } from "vitest";
import { decode, encode, fromHash, type Route, toHash } from "../src/route";

const ROUTES: Route[] = [
  { page: "compare" },
  { page: "overview", run: 1, by: null },
  { page: "overview", run: 0, by: "iterations" },
  { page: "samples", run: 0, search: "", facets: {}, sort: null, descending: false },
  {
    page: "samples",
    run: 2,
    search: "a&b=c?#%",
    facets: { where: "state", kind: "", sort: "x", ".dotted": "y" },
    sort: "steps",
    descending: true,
  },
  { page: "sample", run: 0, id: "sample_1", step: null, view: null },
  { page: "sample", run: 0, id: "", step: 0, view: "structure" },
];

test.each(ROUTES)("a route survives its hash: %o", (route) => {
  expect(fromHash(toHash(route))).toEqual(route);
});

test.each([
  "a/b?c#d%41&e",
  "../..",
  "\ud800",
  "x\udfffy",
  "\udc00\ud800",
  "😀\ud83d",
  "</script>",
  "%ED%A0%80",
  "日本",
])("any id survives the hash: %j", (id) => {
  const hash = toHash({ page: "sample", run: 3, id, step: 12, view: null });
  expect(hash).toMatch(/^#\/run\/3\/sample\/[\w.%!~*'()-]*\?step=12$/);
  expect(fromHash(hash)).toEqual({ page: "sample", run: 3, id, step: 12, view: null });
});

test("the hash of a filtered list is readable", () => {
  const facets = { where: "state", kind: "str" };
  const route: Route = { page: "samples", run: 0, search: "", facets, sort: "steps", descending: false };
  expect(toHash(route)).toBe("#/run/0/samples?where=state&kind=str&sort=steps");
});

test("a lone surrogate is encoded as by Python's surrogatepass", () => {
  expect(encode("\ud800")).toBe("%ED%A0%80");
  expect(encode("\udfff")).toBe("%ED%BF%BF");
  expect(encode("é😀")).toBe(encodeURIComponent("é😀"));
});

test("an invalid encoding is returned as it is", () => {
  expect(decode("100%")).toBe("100%");
  expect(decode("%FF")).toBe("%FF");
});

test.each(["", "#", "#/", "#/nowhere", "#/run/x", "#/run/0/what", "#/run/99999999999"])(
  "an unknown hash is the overview of the first run: %s",
  (hash) => {
    expect(fromHash(hash)).toEqual({ page: "overview", run: 0, by: null });
  },
);

test("a step that is not a number is ignored", () => {
  expect(fromHash("#/run/0/sample/a?step=-1")).toMatchObject({ step: null });
  expect(fromHash("#/run/0/sample/a?step=1e3")).toMatchObject({ step: null });
});
