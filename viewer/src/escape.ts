/** Marks for characters that are invisible, change the text around them, or look like others. */

// Control, direction and format characters, line separators, lone surrogates, every space except " ".
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;
const NAMED: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };
// Spaces that are easily overlooked: several in a row, and one next to the quote that begins or ends a string.
const SPACES = / {2,}|(?<=(?:^|[\s[({,:=])['"]) | (?=['"](?:$|[\s\])},:]))(?<!, |: |= )|^ | $/;
// Letters and signs that look like ASCII characters: Cyrillic, Greek, full-width, quotation marks, dashes.
const LOOKALIKES = /[АВЕЅІЈКМНОРСТХаеорсухіјѕΑΒΕΖΗΙΚΜΝΟΡΤΥΧο\uff01-\uff5e‘’‚“”„′″‐‑‒–—−⁄∕]/u;
// A string in quotes; "…" stands for the characters that were left out at its start or end.
const STRINGS = /(?<![^\s([{,:=])(['"])(?:\\.|(?!\1|…).)*(?:\1|…|$)|…(?:\\.|[^'"\\…])*(?:['"](?=$|[\s\])},:;.…])|…)/gsu;
const pattern = (...patterns: RegExp[]) => new RegExp(patterns.map(({ source }) => source).join("|"), "gu");
const MARKED = {
  value: pattern(HIDDEN, SPACES, LOOKALIKES),
  sentence: pattern(HIDDEN, / {2,}/, LOOKALIKES),
  lookalikes: pattern(HIDDEN, LOOKALIKES),
  name: pattern(HIDDEN, LOOKALIKES),
  spaces: pattern(HIDDEN, / +/, LOOKALIKES),
  quoted: pattern(HIDDEN, / +/, LOOKALIKES),
};

/**
 * What is marked besides hidden characters: overlooked spaces and look-alikes in a value or a sentence, look-alikes only
 * (in a value, or in a name), or look-alikes and every space: of a value, or of the strings in a sentence.
 */
export type Marks = keyof typeof MARKED;

/** The same marks with every space, where spaces matter; names have none. */
export const WITH_SPACES: Record<Marks, Marks> = {
  value: "spaces",
  lookalikes: "spaces",
  spaces: "spaces",
  sentence: "quoted",
  quoted: "quoted",
  name: "name",
};

export type PartKind = "plain" | "escape" | "spaces" | "lookalike";

export interface TextPart {
  text: string;
  kind: PartKind;
}

/**
 * The text with every hidden character as an escape; with `lines`, line ends and tabs stay.
 *
 * "a\u001b[31m\u202e" -> "a\\x1b[31m\\u202e"
 */
export function escapeHidden(text: string, { lines = false } = {}): string {
  return splitText(text, { lines })
    .map((part) => part.text)
    .join("");
}

/**
 * The same in parts, to style an escape differently from the same characters in the text. With `marks`, overlooked
 * spaces and look-alikes are parts of their own.
 */
export function splitText(
  text: string,
  { lines = false, marks }: { lines?: boolean; marks?: Marks | undefined } = {},
): TextPart[] {
  const parts: TextPart[] = [];
  const isInString = marks === "quoted" ? stringTest(text) : () => true;
  let end = 0;
  for (const match of text.matchAll(marks ? MARKED[marks] : HIDDEN)) {
    if (lines && (match[0] === "\n" || match[0] === "\t")) continue;
    if (match[0].startsWith(" ") && !isInString(match.index)) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), kind: "plain" });
    parts.push(markedPart(match[0]));
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), kind: "plain" });
  return parts;
}

/** The text with a dot for every space that is easily overlooked: "'a  b'" -> "'a··b'" */
export function dotSpaces(text: string, marks: Marks): string {
  return splitText(text, { marks })
    .map((part) => (part.kind === "spaces" ? "·".repeat(part.text.length) : part.text))
    .join("");
}

function markedPart(text: string): TextPart {
  if (text.startsWith(" ")) return { text, kind: "spaces" };
  return LOOKALIKES.test(text) ? { text, kind: "lookalike" } : { text: escapeCharacter(text), kind: "escape" };
}

/** A function that tells whether an index is inside a string in quotes. */
export function stringTest(text: string): (index: number) => boolean {
  const ranges = [...text.matchAll(STRINGS)].map((match) => [match.index, match.index + match[0].length] as const);
  return (index) => ranges.some(([from, to]) => from < index && index < to);
}

/** A character as Python writes it: \n, \x1b, \u202e, \U000e0001. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number) => code.toString(16).padStart(digits, "0");
  return NAMED[character] ?? (code < 0x100 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`);
}

/** A new pattern of all hidden characters. */
export function hiddenCharacters(): RegExp {
  return new RegExp(HIDDEN.source, HIDDEN.flags);
}

/** Part of a text, without splitting a surrogate pair. */
export function sliceText(text: string, from: number, to: number): string {
  return text.slice(characterEnd(text, from), characterEnd(text, to));
}

function characterEnd(text: string, index: number): number {
  const isInsidePair = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(index - 1, 0), index + 1));
  return isInsidePair ? index + 1 : index;
}

/** The first `length` characters of a text, with … if there are more. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : sliceText(text, 0, length) + "…";
}

/** `length` characters of a text, around the first one that differs from another text. */
export function shortenAround(text: string, other: string, length: number): string {
  const [start, end] = rangeAround(text, other, length);
  return (start > 0 ? "…" : "") + sliceText(text, start, end) + (end < text.length ? "…" : "");
}

/** Where the `length` characters around the first one that differs from another text begin and end. */
export function rangeAround(text: string, other: string, length: number): [start: number, end: number] {
  if (text.length <= length) return [0, text.length];
  let same = 0;
  while (same < text.length && text[same] === other[same]) same++;
  const start = Math.max(0, Math.min(same - Math.floor(length / 3), text.length - length));
  return [start, start + length];
}
