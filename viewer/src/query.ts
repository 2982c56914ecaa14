/** Search, filters and sorting of the samples in a report file. The server has its own in sample_table.py. */
import type { Cell, Column, Query } from "./api";
import { columnLabel, label } from "./labels";

/**
 * All rows that match a query, sorted; the caller applies offset and limit.
 *
 * - search: a text cell or its label contains the searched text, in any case, or the sample is one whose program or output
 *   contains it; numbers are not searched.
 * - facets: String(cell ?? "") is the value, for every facet.
 * - sort: empty cells come last in both directions, numbers before text, names by their numbers, text by code point. The sort is stable in both
 *   directions.
 * - Facets and sorting by a column that does not exist are ignored.
 */
export function filterRows(
  columns: Column[],
  rows: Cell[][],
  query: Omit<Query, "offset" | "limit">,
  matchingTexts: ReadonlySet<Cell> = new Set(),
): Cell[][] {
  const index = (name: string) => columns.findIndex((column) => column.name === name);
  const search = query.search.toLowerCase();
  const facets = Object.entries(query.facets)
    .map(([name, value]) => [index(name), value] as const)
    .filter(([column]) => column >= 0);
  const matches = rows.filter(
    (row) =>
      facets.every(([column, value]) => String(row[column] ?? "") === value) &&
      (search === "" ||
        matchingTexts.has(row[0] ?? null) ||
        row.some((cell, index) => typeof cell === "string" && contains(columns[index]?.name ?? "", cell, search))),
  );
  const by = query.sort === null ? -1 : index(query.sort);
  const sign = query.descending ? -1 : 1;
  const compareText = query.sort === "id" ? compareNaturally : compareByCodePoint;
  return by < 0 ? matches : matches.sort((a, b) => compare(a[by] ?? null, b[by] ?? null, sign, compareText));
}

/** Whether a cell, or the label shown for it, contains the searched text. */
function contains(column: string, cell: string, search: string): boolean {
  const words = columnLabel(column, cell);
  const shown = words === cell ? label(cell) : words;
  return cell.toLowerCase().includes(search) || shown.toLowerCase().includes(search);
}

function compare(a: Cell, b: Cell, sign: number, compareText: typeof compareByCodePoint): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === "number" && typeof b === "number") return sign * (a - b);
  if (typeof a === "string" && typeof b === "string") return sign * compareText(a, b);
  return sign * (typeof a === "number" ? -1 : 1);
}

/** Compares names by the numbers in them: "sample_3" before "sample_26"; natural_key in number_format.py. */
export function compareNaturally(a: string, b: string): number {
  const [ours, theirs] = [a.split(/([0-9]+)/), b.split(/([0-9]+)/)];
  for (let index = 0; index < Math.min(ours.length, theirs.length); index++) {
    const [one, other] = [ours[index] ?? "", theirs[index] ?? ""];
    // Numbers are at odd positions; they may be too large for a number.
    const order = index % 2 ? Number(BigInt(one) - BigInt(other)) : compareByCodePoint(one, other);
    if (order !== 0) return order;
  }
  return ours.length - theirs.length;
}

/** Compares text as Python does. JavaScript's < compares UTF-16 units, so that an emoji is less than "\uffff". */
export function compareByCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  for (let index = 0; index < shorter; index++) {
    const [one, other] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (one !== other)
      return isSurrogate(one) === isSurrogate(other)
        ? one - other
        : codePointAround(a, index) - codePointAround(b, index);
  }
  return a.length - b.length;
}

const isSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdfff;

/** The code point that a UTF-16 unit belongs to. */
function codePointAround(text: string, index: number): number {
  const before = index > 0 ? (text.codePointAt(index - 1) ?? 0) : 0;
  return before > 0xffff ? before : (text.codePointAt(index) ?? 0);
}
