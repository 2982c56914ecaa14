/** Position of a sample in the last list that was shown, and the samples before and after it. */
import type { DataSource } from "./api";
import { type Filter, NO_FILTER, toQuery } from "./route";

const PAGE_SIZE = 100;
/** Rows that are searched for a sample that was not opened from the list. */
const MAX_SEARCHED_ROWS = 10_000;

export interface ListPosition {
  index: number;
  total: number;
}

interface SampleList {
  filter: Filter;
  /** Index of the sample that was opened last. */
  index: number;
}

const lists = new Map<number, SampleList>();

/** Store the filter or the position of a run's list. */
export function rememberList(run: number, list: Partial<SampleList>): void {
  lists.set(run, { ...lastList(run), ...list });
}

export function lastList(run: number): SampleList {
  return lists.get(run) ?? { filter: NO_FILTER, index: 0 };
}

/** Find a sample in a list: next to `index`, or else from the start. */
export async function findPosition(
  data: DataSource,
  run: number,
  id: string,
  { filter, index }: SampleList,
): Promise<ListPosition | null> {
  const first = Math.max(index - 1, 0);
  const nearby = await data.rows(toQuery(run, filter, first, 3));
  const match = nearby.rows.findIndex((row) => row[0] === id);
  if (match >= 0) return { index: first + match, total: nearby.total };
  for (let offset = 0; offset < Math.min(nearby.total, MAX_SEARCHED_ROWS); offset += PAGE_SIZE) {
    const page = await data.rows(toQuery(run, filter, offset, PAGE_SIZE));
    const match = page.rows.findIndex((row) => row[0] === id);
    if (match >= 0) return { index: offset + match, total: page.total };
  }
  return null;
}

/** The id of the sample at an index of the list. */
export async function sampleIdAt(data: DataSource, run: number, filter: Filter, index: number): Promise<string | null> {
  if (index < 0) return null;
  const id = (await data.rows(toQuery(run, filter, index, 1))).rows[0]?.[0];
  return id === undefined || id === null ? null : String(id);
}
