import { expect, test } from "vitest";
import { dotSpaces, escapeHidden, shorten, shortenAround, sliceText, splitText } from "../src/escape";

test("hidden characters become escapes", () => {
  expect(escapeHidden("a\u001b[31mb")).toBe("a\\x1b[31mb");
  expect(escapeHidden("\u0000\u007f\u0085")).toBe("\\x00\\x7f\\x85");
  expect(escapeHidden("\u202eevil\u2066\u200f")).toBe("\\u202eevil\\u2066\\u200f");
  expect(escapeHidden("zero\u200bwidth\ufeff\u00ad")).toBe("zero\\u200bwidth\\ufeff\\xad");
  expect(escapeHidden("no\u00a0break")).toBe("no\\xa0break");
  expect(escapeHidden("\u2028\u{e0041}")).toBe("\\u2028\\U000e0041");
});

test("a lone surrogate is escaped, a pair is not", () => {
  expect(escapeHidden("\ud800")).toBe("\\ud800");
  expect(escapeHidden("a\udc00b")).toBe("a\\udc00b");
  expect(escapeHidden("😀")).toBe("😀");
});

test("line ends stay only with the option lines", () => {
  expect(escapeHidden("a\n\tb\r")).toBe("a\\n\\tb\\r");
  expect(escapeHidden("a\n\tb\r", { lines: true })).toBe("a\n\tb\\r");
});

test("ordinary text of any script is unchanged", () => {
  const text = "x = 'naïve' + \"שלום\" + '日本語' # 100%";
  expect(escapeHidden(text)).toBe(text);
});

test("an escape differs from the same characters in the text", () => {
  expect(splitText("\\x1b\u001b")).toEqual([
    { text: "\\x1b", kind: "plain" },
    { text: "\\x1b", kind: "escape" },
  ]);
});

test("a surrogate pair is not split", () => {
  expect(sliceText("a😀b", 0, 2)).toBe("a😀");
  expect(sliceText("a😀b", 2, 4)).toBe("b");
  expect(shorten("a😀b", 2)).toBe("a😀…");
  expect(shorten("ab", 2)).toBe("ab");
});

const marked = (text: string, kind: string) =>
  splitText(text, { marks: "value" })
    .filter((part) => part.kind === kind)
    .map((part) => part.text);

test("spaces that are easily overlooked are marked", () => {
  expect(marked("'a   b'", "spaces")).toEqual(["   "]);
  expect(marked("' a'", "spaces")).toEqual([" "]);
  expect(marked("['a ', 'b']", "spaces")).toEqual([" "]);
  expect(marked("' '", "spaces")).toEqual([" "]);
  expect(marked("{'k': ' v'}", "spaces")).toEqual([" "]);
});

test("spaces between words and items are not marked", () => {
  expect(marked("'a b c'", "spaces")).toEqual([]);
  expect(marked("['a', 'b', \"c\"]", "spaces")).toEqual([]);
  expect(marked("{'k': 'v', 'l': 1}", "spaces")).toEqual([]);
  expect(marked("x = 'a'", "spaces")).toEqual([]);
});

test("look-alikes are marked, letters of other words are not", () => {
  expect(marked("p\u0430ss", "lookalike")).toEqual(["\u0430"]);
  expect(marked("a\u2013b \u201cc\u201d", "lookalike")).toEqual(["\u2013", "\u201c", "\u201d"]);
  expect(marked("naïve 日本語 - 'x'", "lookalike")).toEqual([]);
});

test("in a sentence, only several spaces in a row are marked", () => {
  const parts = splitText("'  ' instead of ' '", { marks: "sentence" });
  expect(parts.filter((part) => part.kind === "spaces").map((part) => part.text)).toEqual(["  "]);
});

test("marks do not change the text", () => {
  const text = "['a  ', 'p\u0430ss']";
  expect(
    splitText(text, { marks: "value" })
      .map((part) => part.text)
      .join(""),
  ).toBe(text);
});

test("a value is shortened around its difference", () => {
  const [actual, predicted] = ["a".repeat(100) + "x" + "b".repeat(100), "a".repeat(100) + "y" + "b".repeat(100)];
  expect(shortenAround(actual, predicted, 30)).toBe("…" + "a".repeat(10) + "x" + "b".repeat(19) + "…");
  expect(shortenAround("abc", "abd", 30)).toBe("abc");
});

test("in a sentence, the spaces of its strings can be marked", () => {
  const dotted = (text: string) => dotSpaces(text, "quoted");
  expect(dotted("'a b' instead of ' ': slipped in 'c d' (x + y)")).toBe(
    "'a·b' instead of '·': slipped in 'c·d' (x + y)",
  );
  expect(dotted("['a b', 'c'] is wrong")).toBe("['a·b', 'c'] is wrong");
  expect(dotted("…b c… instead of …d e': left out")).toBe("…b·c… instead of …d·e': left out");
  expect(dotted("'a b (the output ends")).toBe("'a·b·(the·output·ends");
  expect(dotted("the loop's end isn't reached")).toBe("the loop's end isn't reached");
});
