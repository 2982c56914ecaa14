import { expect, test } from "vitest";
import { type DiffChunk, diffItems, diffText } from "../src/diff";

const side = (chunks: DiffChunk<string>[], name: "actual" | "predicted") => chunks.map((chunk) => chunk[name]).join("");
const short = (chunks: DiffChunk<string>[]) =>
  chunks.map((chunk) => (chunk.isSame ? chunk.actual : [chunk.actual, chunk.predicted]));

test("equal and different characters", () => {
  expect(short(diffText("kitten", "mitten"))).toEqual([["k", "m"], "itten"]);
  expect(short(diffText("'be'", "'be,'"))).toEqual(["'be", ["", ","], "'"]);
  expect(short(diffText("abcxyz", "axyz"))).toEqual(["a", ["bc", ""], "xyz"]);
  expect(short(diffText("one two three", "one 2 three 4"))).toEqual(["one ", ["two", "2"], " three", ["", " 4"]]);
  expect(short(diffText("aa", "aaa"))).toEqual(["aa", ["", "a"]]);
});

test("a short match between longer differences is part of the difference", () => {
  expect(short(diffText("(append)", "(range)"))).toEqual(["(", ["append", "range"], ")"]);
});

test("empty texts and equal texts", () => {
  expect(diffText("", "")).toEqual([]);
  expect(short(diffText("", "x"))).toEqual([["", "x"]]);
  expect(short(diffText("same", "same"))).toEqual(["same"]);
});

test("the chunks add up to both texts", () => {
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const text = () => Array.from({ length: random(40) }, () => "ab😀"[random(3)]).join("");
  for (let round = 0; round < 300; round++) {
    const [actual, predicted] = [text(), text()];
    const chunks = diffText(actual, predicted);
    expect(side(chunks, "actual")).toBe(actual);
    expect(side(chunks, "predicted")).toBe(predicted);
    for (const chunk of chunks) if (chunk.isSame) expect(chunk.actual).toBe(chunk.predicted);
  }
});

test("the number of edits is minimal", () => {
  const edits = diffItems([..."abcabba"], [..."cbabac"]).filter((chunk) => !chunk.isSame);
  expect(edits.reduce((sum, chunk) => sum + chunk.actual.length + chunk.predicted.length, 0)).toBe(5);
});

test("a surrogate pair is not split", () => {
  expect(short(diffText("😀", "😁"))).toEqual([["😀", "😁"]]);
  expect(short(diffText("x\u{1f600}y", "x\u{1fa00}y"))).toEqual(["x", ["\u{1f600}", "\u{1fa00}"], "y"]);
});

test("long texts are compared in bounded time", () => {
  const long = "x".repeat(5_000_000);
  const started = performance.now();
  expect(diffText(long + "a" + long, long + "b" + long).map((chunk) => chunk.isSame)).toEqual([true, false, true]);
  const numbers = (by: number) => Array.from({ length: 2_000 }, (_, at) => (at * by) % 97).join(",");
  const chunks = diffText(numbers(31), numbers(57));
  expect(side(chunks, "predicted")).toBe(numbers(57));
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("lists of tokens", () => {
  const chunks = diffItems(["'", "be", "'"], ["'", "be", ",", "'"]);
  expect(chunks.filter((chunk) => !chunk.isSame)).toEqual([{ isSame: false, actual: [], predicted: [","] }]);
});
