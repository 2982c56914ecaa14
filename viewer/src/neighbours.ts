/** A sample's place in the last list of samples, and the samples before and after it. */
import { type Filter, NO_FILTER, toQuery } from "./address";
import type { Source } from "./contract";

const PAGE = 100;
/** So many rows are looked through for a sample that was not come to from the list. */
const MOST = 10_000;

export interface Spot {
  index: number;
  total: number;
}

interface List {
  filter: Filter;
  /** Where the last sample looked at was. */
  index: number;
}

const lists = new Map<number, List>();

/** Keeps what was last looked at in a run's list of samples. */
export function remember(run: number, list: Partial<List>): void {
  lists.set(run, { ...lastList(run), ...list });
}

export function lastList(run: number): List {
  return lists.get(run) ?? { filter: NO_FILTER, index: 0 };
}

/** Where a sample is in a list: near `hint`, or else found from its start. */
export async function spotOf(source: Source, run: number, id: string, { filter, index }: List): Promise<Spot | null> {
  const first = Math.max(index - 1, 0);
  const near = await source.rows(toQuery(run, filter, first, 3));
  const at = near.rows.findIndex((row) => row[0] === id);
  if (at >= 0) return { index: first + at, total: near.total };
  for (let offset = 0; offset < Math.min(near.total, MOST); offset += PAGE) {
    const page = await source.rows(toQuery(run, filter, offset, PAGE));
    const found = page.rows.findIndex((row) => row[0] === id);
    if (found >= 0) return { index: offset + found, total: page.total };
  }
  return null;
}

/** The id of the sample at a place of the list. */
export async function idAt(source: Source, run: number, filter: Filter, index: number): Promise<string | null> {
  if (index < 0) return null;
  const id = (await source.rows(toQuery(run, filter, index, 1))).rows[0]?.[0];
  return id === undefined || id === null ? null : String(id);
}
