/** Difference of two containers as a tree, and as a list of paths. */
import { diffItems } from "./diff";
import type { Container, PythonValue } from "./pythonValue";

/** A place in one or both containers. */
export interface DiffNode {
  /** "index 2", "key 'a'", "item 'b'"; "" for the whole value. */
  place: string;
  /** Null: the place is in the other container only. */
  actual: PythonValue | null;
  predicted: PythonValue | null;
  isSame: boolean;
  /** The same keys in another order. */
  isReordered: boolean;
  /** Places inside, if both are containers of the same kind. */
  children: DiffNode[] | null;
}

/** A difference at a path: ["key 'a'", "index 2"]. */
export interface Difference {
  path: string[];
  node: DiffNode;
}

/** [1, 2], [1, 3] -> the two lists, with the differing child "index 1" */
export function diffContainers(actual: PythonValue, predicted: PythonValue, place = ""): DiffNode {
  const node = { place, actual, predicted, isSame: actual.text === predicted.text, isReordered: false };
  if (node.isSame || actual.kind === "atom" || predicted.kind === "atom") return { ...node, children: null };
  if (actual.kind !== predicted.kind || actual.open !== predicted.open) return { ...node, children: null };
  const children = hasNamedItems(actual, predicted) ? diffNamed(actual, predicted) : diffIndexed(actual, predicted);
  const isReordered = children.every((child) => child.isSame);
  return { ...node, isReordered, children };
}

/** The innermost differences, in order. */
export function differences(node: DiffNode, path: string[] = []): Difference[] {
  if (node.isSame) return [];
  if (node.children === null || node.isReordered) return [{ path, node }];
  return node.children.flatMap((child) => differences(child, [...path, child.place]));
}

/** Items of dicts and sets are found by their text, those of other containers by their position. */
function hasNamedItems(actual: Container, predicted: Container): boolean {
  const items = [...actual.items, ...predicted.items];
  return actual.kind === "set" || (items.length > 0 && items.every((item) => item.key !== null));
}

function diffNamed(actual: Container, predicted: Container): DiffNode[] {
  const word = actual.kind === "set" ? "item" : actual.kind === "call" ? "argument" : "key";
  const [ours, theirs] = [valuesByName(actual), valuesByName(predicted)];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])];
  return names.flatMap((name) => {
    const [left, right] = [ours.get(name) ?? [], theirs.get(name) ?? []];
    const count = Math.max(left.length, right.length);
    return Array.from({ length: count }, (_, n) =>
      pair(`${word} ${name}${n > 0 ? ", repeated" : ""}`, left[n], right[n]),
    );
  });
}

/** The values of each key or item; a model may write one several times. */
function valuesByName({ items }: Container): Map<string, PythonValue[]> {
  const values = new Map<string, PythonValue[]>();
  for (const { key, value } of items) {
    const name = key ?? value.text;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

/** Pairs the items with the fewest edits, so that one missing item is one difference. */
function diffIndexed(actual: Container, predicted: Container): DiffNode[] {
  const texts = ({ items }: Container) => items.map(({ key, value }) => (key === null ? "" : `${key}=`) + value.text);
  const nodes: DiffNode[] = [];
  let [a, b] = [0, 0];
  for (const chunk of diffItems(texts(actual), texts(predicted))) {
    const [lengthA, lengthB] = [chunk.actual.length, chunk.predicted.length];
    for (let n = 0; n < Math.max(lengthA, lengthB); n++) {
      const index = n < lengthA ? a + n : b + n;
      const ours = n < lengthA ? actual.items[a + n]?.value : undefined;
      const theirs = n < lengthB ? predicted.items[b + n]?.value : undefined;
      nodes.push(pair(`index ${index}`, ours, theirs));
    }
    [a, b] = [a + lengthA, b + lengthB];
  }
  return nodes;
}

function pair(place: string, actual: PythonValue | undefined, predicted: PythonValue | undefined): DiffNode {
  if (actual && predicted) return diffContainers(actual, predicted, place);
  const sides = { actual: actual ?? null, predicted: predicted ?? null };
  return { place, ...sides, isSame: false, isReordered: false, children: null };
}
