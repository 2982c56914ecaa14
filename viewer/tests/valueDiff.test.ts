import { expect, test } from "vitest";
import { parseContainer, type PythonValue } from "../src/pythonValue";
import { diffContainers, differences } from "../src/valueDiff";

function value(text: string): PythonValue {
  const container = parseContainer(text);
  if (!container) throw new Error(`not a container: ${text}`);
  return container;
}

/** [["key 'a' → index 2", actual, predicted], …] */
function paths(actual: string, predicted: string) {
  return differences(diffContainers(value(actual), value(predicted))).map(({ path, node }) => [
    path.join(" → "),
    node.actual?.text ?? null,
    node.predicted?.text ?? null,
  ]);
}

test("equal containers have no difference", () => {
  expect(paths("[1, {'a': 2}]", "[1, {'a': 2}]")).toEqual([]);
});

test("a difference is named by its path", () => {
  expect(paths("{'a': [1, 2, 4], 'b': 0}", "{'a': [1, 2, 3], 'b': 0}")).toEqual([["key 'a' → index 2", "4", "3"]]);
  expect(paths("Point(x=1, y=2)", "Point(x=1, y=3)")).toEqual([["argument y", "2", "3"]]);
});

test("a missing item shifts no other", () => {
  expect(paths("[1, 2, 3, 4]", "[1, 3, 4]")).toEqual([["index 1", "2", null]]);
  expect(paths("[1, 2]", "[1, 2, 3]")).toEqual([["index 2", null, "3"]]);
});

test("keys and items of sets are compared by their text", () => {
  expect(paths("{'a': 1, 'b': 2}", "{'b': 2, 'c': 3}")).toEqual([
    ["key 'a'", "1", null],
    ["key 'c'", null, "3"],
  ]);
  expect(paths("{1, 2}", "{2, 3}")).toEqual([
    ["item 1", "1", null],
    ["item 3", null, "3"],
  ]);
});

test("another order of the same keys is one difference", () => {
  const [difference] = differences(diffContainers(value("[{'a': 1, 'b': 2}]"), value("[{'b': 2, 'a': 1}]")));
  expect(difference?.path).toEqual(["index 0"]);
  expect(difference?.node.isReordered).toBe(true);
});

test("a repeated key or item is a difference, not another order", () => {
  expect(paths("{'1': 'b'}", "{'1': 'b', '1': 'c'}")).toEqual([["key '1', repeated", null, "'c'"]]);
  expect(paths("{'1': 'b'}", "{'1': 'a', '1': 'b'}")).toEqual([
    ["key '1'", "'b'", "'a'"],
    ["key '1', repeated", null, "'b'"],
  ]);
  expect(paths("{1, 2}", "{1, 2, 2}")).toEqual([["item 2, repeated", null, "2"]]);
  const [reordered] = differences(diffContainers(value("{'1': 'a', '2': 'b'}"), value("{'2': 'b', '1': 'a'}")));
  expect(reordered?.node.isReordered).toBe(true);
});

test("containers of different kinds differ as a whole", () => {
  expect(paths("[1, 2]", "(1, 2)")).toEqual([["", "[1, 2]", "(1, 2)"]]);
  expect(paths("[[1]]", "[{1: 2}]")).toEqual([["index 0", "[1]", "{1: 2}"]]);
});
