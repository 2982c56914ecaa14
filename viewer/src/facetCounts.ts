/** Counts of a filter in a report file. The server has its own in facet_counts.py. */
import type { Cell, Column, FacetCounts, Query } from "./api";
import { filterRows } from "./query";

/**
 * For each column with a menu, the number of samples that each of its values would show, if it were chosen: the search
 * and the values chosen in other columns apply, and that of the column itself is replaced.
 */
export function countFacets(
  columns: Column[],
  rows: Cell[][],
  query: Pick<Query, "run" | "search" | "facets">,
  matchingTexts: ReadonlySet<Cell> = new Set(),
): Record<string, FacetCounts> {
  const filter = (facets: Query["facets"]) =>
    filterRows(columns, rows, { ...query, facets, sort: null, descending: false }, matchingTexts);
  const matching = filter(query.facets);
  const counts: Record<string, FacetCounts> = {};
  columns.forEach(({ name, values }, index) => {
    if (values === null) return;
    const { [name]: chosen, ...others } = query.facets;
    const shown = chosen === undefined ? matching : filter(others);
    const byValue = new Map<string, number>();
    for (const row of shown) {
      const cell = row[index] ?? null;
      if (cell !== null) byValue.set(String(cell), (byValue.get(String(cell)) ?? 0) + 1);
    }
    counts[name] = { total: shown.length, values: Object.fromEntries(byValue) };
  });
  return counts;
}
