/** The rows of a list that can be very long: asked for in pages, when they come in sight. */
import { useEffect, useRef, useState } from "preact/hooks";
import { type Filter, toQuery } from "./address";
import type { Cell, Source } from "./contract";
import { sentence } from "./source/problem";
import type { Span } from "./window";

export const PAGE = 100;
/** While someone scrolls on, nothing is asked for. */
const STILL = 60;

export interface Rows {
  /** None until the first answer. */
  total: number | null;
  row(index: number): Cell[] | undefined;
  /** Still showing the answer to the query before. */
  isOld: boolean;
  why: string | null;
  again(): void;
}

interface Held {
  key: string;
  total: number | null;
  pages: Map<number, Cell[][]>;
  why: string | null;
}

/** [from 180, to 230] -> pages 1 and 2 */
export function pagesOf({ from, to }: Span): number[] {
  const first = Math.floor(from / PAGE);
  const last = Math.floor(Math.max(to - 1, from) / PAGE);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

export function useRows(source: Source, run: number, filter: Filter, span: Span): Rows {
  const key = JSON.stringify([run, filter]);
  const [held, setHeld] = useState<Held>({ key: "", total: null, pages: new Map(), why: null });
  const wanted = useRef(key);
  wanted.current = key;
  const asked = useRef(new Set<string>());
  const isOld = held.key !== key;
  const needed = pagesOf(span).filter((page) => isOld || !held.pages.has(page));
  const again = () => setHeld({ ...held, why: null });

  useEffect(() => {
    const ask = (page: number) => {
      const name = `${page} ${key}`;
      if (asked.current.has(name)) return;
      asked.current.add(name);
      const take = (change: (held: Held) => Held) => {
        asked.current.delete(name);
        if (wanted.current === key) setHeld(change);
      };
      source.rows(toQuery(run, filter, page * PAGE, PAGE)).then(
        ({ total, rows }) =>
          take((last) => {
            const pages = new Map(last.key === key ? last.pages : []).set(page, rows);
            return { key, total, pages, why: null };
          }),
        (error: unknown) => take((last) => ({ ...last, key, why: sentence(error) })),
      );
    };
    if (held.why !== null && !isOld) return;
    const timer = setTimeout(() => needed.forEach(ask), held.total === null || isOld ? 0 : STILL);
    return () => clearTimeout(timer);
  }, [key, needed.join(), held.why]);

  return {
    total: held.total,
    row: (index) => held.pages.get(Math.floor(index / PAGE))?.[index % PAGE],
    isOld,
    why: isOld ? null : held.why,
    again,
  };
}
