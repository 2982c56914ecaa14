/** What each value of each filter would show, under the current search and filters. */
import { useEffect, useState } from "preact/hooks";
import type { DataSource, FacetCounts } from "./api";
import { type Filter, toQuery } from "./route";

/** The counts by column; null without a filter, when those of the whole run apply, and until the first response. */
export function useFacetCounts(data: DataSource, run: number, filter: Filter): Record<string, FacetCounts> | null {
  const { search, facets } = filter;
  const isFiltered = search !== "" || Object.keys(facets).length > 0;
  const key = isFiltered ? JSON.stringify([run, search, facets]) : "";
  const [counts, setCounts] = useState<Record<string, FacetCounts> | null>(null);
  useEffect(() => {
    let isCurrent = true;
    if (key === "") setCounts(null);
    // If the server is gone, the list itself shows the error.
    else
      data.facetCounts(toQuery(run, filter, 0, 0)).then(
        (loaded) => isCurrent && setCounts(loaded),
        () => isCurrent && setCounts(null),
      );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  return key === "" ? null : counts;
}
