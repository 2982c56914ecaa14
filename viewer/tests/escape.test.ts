import { expect, test } from "vitest";
import { escapeHidden, shorten, sliceText, splitEscapes } from "../src/escape";

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
  expect(splitEscapes("\\x1b\u001b")).toEqual([
    { text: "\\x1b", isEscape: false },
    { text: "\\x1b", isEscape: true },
  ]);
});

test("a surrogate pair is not split", () => {
  expect(sliceText("a😀b", 0, 2)).toBe("a😀");
  expect(sliceText("a😀b", 2, 4)).toBe("b");
  expect(shorten("a😀b", 2)).toBe("a😀…");
  expect(shorten("ab", 2)).toBe("ab");
});
