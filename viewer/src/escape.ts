/** Escapes for characters that are invisible or change the text around them. */

// Control, direction and format characters, line separators, lone surrogates, every space except " ".
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu;
const NAMED: Record<string, string> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

export interface EscapedPart {
  text: string;
  isEscape: boolean;
}

/**
 * The text with every hidden character as an escape; with `lines`, line ends and tabs stay.
 *
 * "a\u001b[31m\u202e" -> "a\\x1b[31m\\u202e"
 */
export function escapeHidden(text: string, { lines = false } = {}): string {
  return splitEscapes(text, { lines })
    .map((part) => part.text)
    .join("");
}

/** The same in parts, to style an escape differently from the same characters in the text. */
export function splitEscapes(text: string, { lines = false } = {}): EscapedPart[] {
  const parts: EscapedPart[] = [];
  let end = 0;
  for (const match of text.matchAll(HIDDEN)) {
    if (lines && (match[0] === "\n" || match[0] === "\t")) continue;
    if (match.index > end) parts.push({ text: text.slice(end, match.index), isEscape: false });
    parts.push({ text: escapeCharacter(match[0]), isEscape: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isEscape: false });
  return parts;
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
