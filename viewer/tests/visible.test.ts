import { expect, test } from "vitest";
import { clip, parts, slice, visible } from "../src/visible";

test("what is hidden becomes an escape", () => {
  expect(visible("a\u001b[31mb")).toBe("a\\x1b[31mb");
  expect(visible("\u0000\u007f\u0085")).toBe("\\x00\\x7f\\x85");
  expect(visible("\u202eevil\u2066\u200f")).toBe("\\u202eevil\\u2066\\u200f");
  expect(visible("zero\u200bwidth\ufeff\u00ad")).toBe("zero\\u200bwidth\\ufeff\\xad");
  expect(visible("no\u00a0break")).toBe("no\\xa0break");
  expect(visible("\u2028\u{e0041}")).toBe("\\u2028\\U000e0041");
});

test("a lone surrogate is an escape, a pair is not", () => {
  expect(visible("\ud800")).toBe("\\ud800");
  expect(visible("a\udc00b")).toBe("a\\udc00b");
  expect(visible("😀")).toBe("😀");
});

test("lines stay only where they are asked for", () => {
  expect(visible("a\n\tb\r")).toBe("a\\n\\tb\\r");
  expect(visible("a\n\tb\r", { lines: true })).toBe("a\n\tb\\r");
});

test("ordinary text of any script stays", () => {
  const text = "x = 'naïve' + \"שלום\" + '日本語' # 100%";
  expect(visible(text)).toBe(text);
});

test("an escape made here is told from the same characters in the text", () => {
  expect(parts("\\x1b\u001b")).toEqual([
    { text: "\\x1b", isEscape: false },
    { text: "\\x1b", isEscape: true },
  ]);
});

test("no character of two units is cut in half", () => {
  expect(slice("a😀b", 0, 2)).toBe("a😀");
  expect(slice("a😀b", 2, 4)).toBe("b");
  expect(clip("a😀b", 2)).toBe("a😀…");
  expect(clip("ab", 2)).toBe("ab");
});
