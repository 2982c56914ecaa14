import { expect, test } from "vitest";
import { diffItems, diffText, type Stretch } from "../src/diff";

const side = (stretches: Stretch<string>[], name: "real" | "imagined") =>
  stretches.map((stretch) => stretch[name]).join("");
const short = (stretches: Stretch<string>[]) =>
  stretches.map((stretch) => (stretch.isSame ? stretch.real : [stretch.real, stretch.imagined]));

test("what is the same and what differs", () => {
  expect(short(diffText("kitten", "mitten"))).toEqual([["k", "m"], "itten"]);
  expect(short(diffText("'be'", "'be,'"))).toEqual(["'be", ["", ","], "'"]);
  expect(short(diffText("abcxyz", "axyz"))).toEqual(["a", ["bc", ""], "xyz"]);
  expect(short(diffText("one two three", "one 2 three 4"))).toEqual(["one ", ["two", "2"], " three", ["", " 4"]]);
  expect(short(diffText("aa", "aaa"))).toEqual(["aa", ["", "a"]]);
});

test("what is the same by chance, between longer differences, is part of them", () => {
  expect(short(diffText("(append)", "(range)"))).toEqual(["(", ["append", "range"], ")"]);
});

test("nothing, and the same", () => {
  expect(diffText("", "")).toEqual([]);
  expect(short(diffText("", "x"))).toEqual([["", "x"]]);
  expect(short(diffText("same", "same"))).toEqual(["same"]);
});

test("both texts can be read off the stretches, and stretches alternate", () => {
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const text = () => Array.from({ length: random(40) }, () => "ab😀"[random(3)]).join("");
  for (let round = 0; round < 300; round++) {
    const [real, imagined] = [text(), text()];
    const stretches = diffText(real, imagined);
    expect(side(stretches, "real")).toBe(real);
    expect(side(stretches, "imagined")).toBe(imagined);
    for (const stretch of stretches) if (stretch.isSame) expect(stretch.real).toBe(stretch.imagined);
  }
});

test("as few edits as there can be", () => {
  const edits = diffItems([..."abcabba"], [..."cbabac"]).filter((stretch) => !stretch.isSame);
  expect(edits.reduce((sum, stretch) => sum + stretch.real.length + stretch.imagined.length, 0)).toBe(5);
});

test("a character of two units is not cut in half", () => {
  expect(short(diffText("😀", "😁"))).toEqual([["😀", "😁"]]);
  expect(short(diffText("x\u{1f600}y", "x\u{1fa00}y"))).toEqual(["x", ["\u{1f600}", "\u{1fa00}"], "y"]);
});

test("long texts are compared in bounded time", () => {
  const long = "x".repeat(5_000_000);
  const started = performance.now();
  expect(diffText(long + "a" + long, long + "b" + long).map((stretch) => stretch.isSame)).toEqual([true, false, true]);
  const numbers = (by: number) => Array.from({ length: 2_000 }, (_, at) => (at * by) % 97).join(",");
  const stretches = diffText(numbers(31), numbers(57));
  expect(side(stretches, "imagined")).toBe(numbers(57));
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("pieces such as tokens", () => {
  const stretches = diffItems(["'", "be", "'"], ["'", "be", ",", "'"]);
  expect(stretches.filter((stretch) => !stretch.isSame)).toEqual([{ isSame: false, real: [], imagined: [","] }]);
});
