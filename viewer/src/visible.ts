/** Text from anywhere, made fit to look at: what would not be seen, or would move what stands around it, is escaped. */

// Controls, direction and format marks, line separators, lone surrogates, every space but " ".
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;
const NAMED: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export interface Part {
  text: string;
  isEscape: boolean;
}

/**
 * The text with every hidden character as an escape; with `lines`, line ends and tabs stay.
 *
 * "a\u001b[31m\u202e" -> "a\\x1b[31m\\u202e"
 */
export function visible(text: string, { lines = false } = {}): string {
  return parts(text, { lines })
    .map((part) => part.text)
    .join("");
}

/** The same in parts, so that an escape can be told from the same characters in the text. */
export function parts(text: string, { lines = false } = {}): Part[] {
  const found: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (lines && (match[0] === "\n" || match[0] === "\t")) continue;
    if (match.index > end) found.push({ text: text.slice(end, match.index), isEscape: false });
    found.push({ text: escape(match[0]), isEscape: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), isEscape: false });
  return found;
}

/** One character as Python writes it: \n, \x1b, \u202e, \U000e0001. */
export function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = (digits: number) => code.toString(16).padStart(digits, "0");
  return NAMED[character] ?? (code < 0x100 ? `\\x${hex(2)}` : code < 0x10000 ? `\\u${hex(4)}` : `\\U${hex(8)}`);
}

/** All that is hidden, for those who look for it themselves. */
export function hidden(): RegExp {
  return new RegExp(HIDDEN.source, HIDDEN.flags);
}

/** Part of a text, without cutting a character of two units in half. */
export function slice(text: string, from: number, to: number): string {
  return text.slice(edge(text, from), edge(text, to));
}

function edge(text: string, at: number): number {
  const isCut = /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(at - 1, 0), at + 1));
  return isCut ? at + 1 : at;
}

/** At most so many characters of a text, with … where there is more. */
export function clip(text: string, length: number): string {
  return text.length <= length ? text : slice(text, 0, length) + "…";
}
