import { expect, test } from "vitest";
import { type Address, decode, encode, fromHash, toHash } from "../src/address";

const ADDRESSES: Address[] = [
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
  { page: "sample", run: 0, id: "sample_1", step: null, tokens: false },
  { page: "sample", run: 0, id: "", step: 0, tokens: true },
];

test.each(ADDRESSES)("an address survives its hash: %o", (address) => {
  expect(fromHash(toHash(address))).toEqual(address);
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
])("an id survives whatever it is: %j", (id) => {
  const hash = toHash({ page: "sample", run: 3, id, step: 12, tokens: false });
  expect(hash).toMatch(/^#\/run\/3\/sample\/[\w.%!~*'()-]*\?step=12$/);
  expect(fromHash(hash)).toEqual({ page: "sample", run: 3, id, step: 12, tokens: false });
});

test("the documented form", () => {
  const facets = { where: "state", kind: "str" };
  const address: Address = { page: "samples", run: 0, search: "", facets, sort: "steps", descending: false };
  expect(toHash(address)).toBe("#/run/0/samples?where=state&kind=str&sort=steps");
});

test("a lone surrogate is written as Python's surrogatepass writes it", () => {
  expect(encode("\ud800")).toBe("%ED%A0%80");
  expect(encode("\udfff")).toBe("%ED%BF%BF");
  expect(encode("é😀")).toBe(encodeURIComponent("é😀"));
});

test("what is no encoding stands for itself", () => {
  expect(decode("100%")).toBe("100%");
  expect(decode("%FF")).toBe("%FF");
});

test.each(["", "#", "#/", "#/nowhere", "#/run/x", "#/run/0/what", "#/run/99999999999"])(
  "an unknown hash is the first overview: %s",
  (hash) => {
    expect(fromHash(hash)).toEqual({ page: "overview", run: 0, by: null });
  },
);

test("a step that is no number is none", () => {
  expect(fromHash("#/run/0/sample/a?step=-1")).toMatchObject({ step: null });
  expect(fromHash("#/run/0/sample/a?step=1e3")).toMatchObject({ step: null });
});
