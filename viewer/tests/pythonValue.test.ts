import { expect, test } from "vitest";
import { parseContainer } from "../src/pythonValue";

const keys = (text: string) => parseContainer(text)?.items.map(({ key, value }) => [key, value.text]);

test("containers are parsed with their items", () => {
  expect(parseContainer("[1, 'a, b', (2,)]")).toMatchObject({ kind: "list", open: "[" });
  expect(keys("[1, 'a, b', (2,)]")).toEqual([
    [null, "1"],
    [null, "'a, b'"],
    [null, "(2,)"],
  ]);
  expect(keys("{'a': [1], (1, 2): {}}")).toEqual([
    ["'a'", "[1]"],
    ["(1, 2)", "{}"],
  ]);
  expect(parseContainer("{'a', 'b'}")?.kind).toBe("set");
  expect(parseContainer("{}")?.kind).toBe("dict");
  expect(parseContainer("()")).toMatchObject({ kind: "tuple", items: [] });
});

test("calls and objects are parsed", () => {
  expect(keys("Counter({'a': 2})")).toEqual([[null, "{'a': 2}"]]);
  expect(keys("Point(x=1, y=[2])")).toEqual([
    ["x", "1"],
    ["y", "[2]"],
  ]);
  expect(keys("defaultdict(<class 'list'>, {'a': []})")).toEqual([
    [null, "<class 'list'>"],
    [null, "{'a': []}"],
  ]);
  expect(keys("[b'\\x00', -1, 1e-05, None, (1+2j), <A object at 0x7f>]")?.map(([, value]) => value)).toEqual([
    "b'\\x00'",
    "-1",
    "1e-05",
    "None",
    "(1+2j)",
    "<A object at 0x7f>",
  ]);
});

test("quotes and escapes do not end a string", () => {
  expect(keys(`['a\\'b', "it's", ']']`)?.map(([, value]) => value)).toEqual(["'a\\'b'", `"it's"`, "']'"]);
});

test("what is not a complete container is not parsed", () => {
  for (const text of ["", "1", "'[1]'", "[1, 2", "[1] [2]", "[1, 2, …", "]", "[,]", "<A [1]>", "[1 2]", "(1)"])
    expect(parseContainer(text), text).toBeNull();
  expect(parseContainer("[".repeat(5_000) + "]".repeat(5_000))).toBeNull();
});
