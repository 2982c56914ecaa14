/** Rows and a query in, the rows that answer it out: for the form of the page that has no server to ask. */
import type { Cell, Column, Query } from "./contract";

/**
 * The rows a query asks for, all of them, in its order (offset and limit are left to the caller).
 *
 * The server does the same, so this is what it means:
 * - search: a row stays if any of its text cells holds the searched text, both in lower case; numbers are not searched.
 * - facets: a row stays if String(cell ?? "") is the value, for every facet.
 * - sort: rows without a value come last, ascending or descending; numbers come before text, numbers by size, text by
 *   code point. Rows that are equal stay in the order they came in, ascending or descending.
 * - a facet or a sort by a column that does not exist does nothing.
 */
export function matching(columns: Column[], rows: Cell[][], query: Omit<Query, "offset" | "limit">): Cell[][] {
  const index = (name: string) => columns.findIndex((column) => column.name === name);
  const search = query.search.toLowerCase();
  const facets = Object.entries(query.facets)
    .map(([name, value]) => [index(name), value] as const)
    .filter(([at]) => at >= 0);
  const found = rows.filter(
    (row) =>
      facets.every(([at, value]) => String(row[at] ?? "") === value) &&
      (search === "" || row.some((cell) => typeof cell === "string" && cell.toLowerCase().includes(search))),
  );
  const by = query.sort === null ? -1 : index(query.sort);
  const sign = query.descending ? -1 : 1;
  return by < 0 ? found : found.sort((a, b) => compare(a[by] ?? null, b[by] ?? null, sign));
}

function compare(a: Cell, b: Cell, sign: number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  if (typeof a === "string" && typeof b === "string") return sign * byCodePoint(a, b);
  return sign * (typeof a === "number" ? -1 : 1);
}

/** As Python compares text. JavaScript's own < takes the two halves of an emoji for less than "\uffff". */
export function byCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one !== other) return isHalf(one) === isHalf(other) ? one - other : wholeAt(a, at) - wholeAt(b, at);
  }
  return a.length - b.length;
}

const isHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;

/** The code point that the unit belongs to. */
function wholeAt(text: string, at: number): number {
  const before = at > 0 ? (text.codePointAt(at - 1) ?? 0) : 0;
  return before > 0xffff ? before : (text.codePointAt(at) ?? 0);
}
