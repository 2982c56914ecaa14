/** Rows of a long table, requested in pages when they scroll into view. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Cell, DataSource } from "./api";
import { errorMessage } from "./dataSource/errors";
import { type Filter, toQuery } from "./route";
import type { RowRange } from "./virtualList";

export const PAGE_SIZE = 100;
/** Milliseconds without scrolling before rows are requested. */
const SCROLL_DELAY = 60;

export interface PagedRows {
  /** Null until the first response. */
  total: number | null;
  row(index: number): Cell[] | undefined;
  /** The rows are those of the previous query. */
  isStale: boolean;
  error: string | null;
  retry(): void;
}

interface LoadedPages {
  key: string;
  total: number | null;
  pages: Map<number, Cell[][]>;
  error: string | null;
}

/** {from: 180, to: 230} -> [1, 2] */
export function pagesOf({ from, to }: RowRange): number[] {
  const first = Math.floor(from / PAGE_SIZE);
  const last = Math.floor(Math.max(to - 1, from) / PAGE_SIZE);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

export function usePagedRows(data: DataSource, run: number, filter: Filter, range: RowRange): PagedRows {
  const key = JSON.stringify([run, filter]);
  const [loaded, setLoaded] = useState<LoadedPages>({ key: "", total: null, pages: new Map(), error: null });
  const currentKey = useRef(key);
  currentKey.current = key;
  const pending = useRef(new Set<string>());
  const isStale = loaded.key !== key;
  const missing = pagesOf(range).filter((page) => isStale || !loaded.pages.has(page));
  const retry = () => setLoaded({ ...loaded, error: null });

  useEffect(() => {
    const request = (page: number) => {
      const name = `${page} ${key}`;
      if (pending.current.has(name)) return;
      pending.current.add(name);
      const update = (change: (last: LoadedPages) => LoadedPages) => {
        pending.current.delete(name);
        if (currentKey.current === key) setLoaded(change);
      };
      data.rows(toQuery(run, filter, page * PAGE_SIZE, PAGE_SIZE)).then(
        ({ total, rows }) =>
          update((last) => {
            const pages = new Map(last.key === key ? last.pages : []).set(page, rows);
            return { key, total, pages, error: null };
          }),
        (error: unknown) => update((last) => ({ ...last, key, error: errorMessage(error) })),
      );
    };
    if (loaded.error !== null && !isStale) return;
    const timer = setTimeout(() => missing.forEach(request), loaded.total === null || isStale ? 0 : SCROLL_DELAY);
    return () => clearTimeout(timer);
  }, [key, missing.join(), loaded.error]);

  return {
    total: loaded.total,
    row: (index) => loaded.pages.get(Math.floor(index / PAGE_SIZE))?.[index % PAGE_SIZE],
    isStale,
    error: isStale ? null : loaded.error,
    retry,
  };
}
