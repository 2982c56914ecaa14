import { expect, test } from "vitest";
import { type Marks, splitText } from "../src/escape";
import { areOtherLines, compareSides, spaceMarks } from "../src/valueSpaces";

test("spaces of two values are marked if the difference contains or touches one", () => {
  for (const [actual, predicted] of [
    ["'a b'", "'a  b'"],
    ["    x = 1", "x = 1"],
    ["'a b'", "'a c'"],
    ["'kph tswp'", "'kphstswp'"],
    ["['a', ' ', 'b']", "['a', '-', 'b']"],
    ["'ab '", "'ac '"],
    ["…b c d…", "…b x d…"],
  ] as const)
    expect([actual, spaceMarks(actual, predicted)]).toEqual([actual, "spaces"]);
  for (const [actual, predicted] of [
    ["'a  b'", "'a  b'"],
    ["    x = 1", "y = 1"],
    ["[1, 2]", "[1, 3]"],
    ["{'a': 1}", "{'b': 1}"],
    ["'one ab'", "'one ac'"],
    ["['a b', 1]", "['a b', 2]"],
  ] as const)
    expect([actual, spaceMarks(actual, predicted)]).toEqual([actual, "lookalikes"]);
  const spaces = (marks: Marks) => splitText("'a b  c'", { marks }).filter(({ kind }) => kind === "spaces").length;
  expect([spaces("spaces"), spaces("value"), spaces("lookalikes")]).toEqual([2, 1, 0]);
});

test("long values are compared in bounded time", () => {
  const started = performance.now();
  const [long, words] = ["x".repeat(10_000_000), "'a b', ".repeat(700)];
  expect(spaceMarks(`'${long}'`, `'${long} '`)).toBe("spaces");
  expect(spaceMarks(`'${long} a'`, `'${long} b'`)).toBe("lookalikes");
  expect(spaceMarks(`[${words}]`, `[${words.replaceAll("a", "c")}]`)).toBe("spaces");
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("a wrong next line is another line, unless only spaces differ", () => {
  expect(areOtherLines("action", "return x", "x = 1")).toBe(true);
  expect(areOtherLines("end", "return x", "")).toBe(true);
  expect(areOtherLines("action", "    return x\n", "return x\n")).toBe(false);
  expect(areOtherLines("state", "'a'", "'b'")).toBe(false);
});

test("different source lines are shown whole, with no space marked", () => {
  const lines = ["    x = 'a b'", "    x = 'a c'"] as const;
  expect(compareSides("state", ...lines).marks).toBe("spaces");
  expect(compareSides("action", ...lines)).toEqual({
    chunks: [{ isSame: true, actual: lines[0], predicted: lines[1] }],
    marks: "lookalikes",
  });
});
