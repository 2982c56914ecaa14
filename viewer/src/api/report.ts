/** A report of runs, and where the page gets it from. */

import type { Comparison } from "./comparison";
import type { FORMAT } from "./format";
import type { Cell, Operations, RunDocument, TokenUsage } from "./runDocument";
import type { SampleDocument } from "./sampleDocument";

export interface ReportDocument {
  format: typeof FORMAT;
  /** The version of Worldline that wrote the report. */
  worldline: string;
  /** The project's address; null if the package does not name it. */
  homepage: string | null;
  /** Labels of identifiers: "copy_error" to "Copy error". */
  labels: Record<string, string>;
  /** Labels that depend on the column: "outcome", "correct" to "Same execution". */
  column_labels: Record<string, Record<string, string>>;
  runs: RunDocument[];
  comparison: Comparison | null;
}

export interface Query {
  run: number;
  /** Text that a cell contains, in any case. */
  search: string;
  /** Column to value, all of which must match; "" stands for an empty cell. */
  facets: Record<string, string>;
  sort: string | null;
  descending: boolean;
  offset: number;
  limit: number;
}

/** Rows with the cells in the order of `RunDocument.columns`; the first cell is the sample's id. */
export interface RowsPage {
  total: number;
  rows: Cell[][];
}

/** Number of samples that a column shows without a choice, and with each of its values. */
export interface FacetCounts {
  total: number;
  values: Record<string, number>;
}

/**
 * Access to the documents. A report file embeds them:
 *   <script type="application/json" id="report">ReportDocument</script>
 *   <script type="application/json" id="rows">Cell[][][]</script>      the rows of each run
 *   <script type="application/json" id="samples">string[][]</script>   for each run and row, the SampleDocument as
 *                                                                      base64 of gzipped JSON
 * with every "<" written as \u003c. A served page contains
 *   <meta name="worldline-api" content="api/">
 * instead, and requests, relative to its own URL:
 *   GET api/report                                          -> ReportDocument
 *   GET api/rows?run=0&search=…&facet=name:value&facet=…&sort=…&descending=1&offset=0&limit=100 -> RowsPage
 *   GET api/counts, with the parameters of rows             -> FacetCounts of each column with a menu, by its name
 *   GET api/sample?run=0&id=…                               -> SampleDocument
 *   GET api/tokens?run=0                                    -> TokenUsage, with its formats counted
 *   GET api/operations?run=0                                -> Operations
 */
export interface DataSource {
  /** Whether the page is served, not a file: then the reader is who started the server. */
  isServed: boolean;
  report(): Promise<ReportDocument>;
  rows(query: Query): Promise<RowsPage>;
  /** What each value of each menu would show: the search and the other columns' values apply. */
  facetCounts(query: Query): Promise<Record<string, FacetCounts>>;
  sample(run: number, id: string): Promise<SampleDocument>;
  tokenUsage(run: number): Promise<TokenUsage>;
  operations(run: number): Promise<Operations>;
}
