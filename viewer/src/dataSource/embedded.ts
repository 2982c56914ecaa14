/** Data source of a report file: the documents are embedded in the page. */
import { FORMAT } from "../api";
import type { Cell, DataSource, Query, ReportDocument, RowsPage, SampleDocument } from "../api";
import { countFacets } from "../facetCounts";
import { filterRows } from "../query";
import { DAMAGED_DATA, ViewerError } from "./errors";

/** A data source that reads the page's data scripts by their ids, each when it is first needed. */
export function embeddedSource(scriptText: (id: string) => string | null): DataSource {
  const report = once(() => parse<ReportDocument>(scriptText("report")));
  const rows = once(() => parse<Cell[][][]>(scriptText("rows")));
  const samples = once(() => parse<string[][]>(scriptText("samples")));
  let last: { key: string; rows: Cell[][] } | null = null;

  const texts = new Map<number, Promise<[Cell, string][]>>();

  async function matchingRows(query: Query): Promise<Cell[][]> {
    const { offset, limit, ...criteria } = query;
    const key = JSON.stringify(criteria);
    if (last?.key !== key) {
      const matchingTexts = await samplesWith(query.run, query.search);
      last = {
        key,
        rows: filterRows(report().runs[query.run]?.columns ?? [], rowsOf(query.run), criteria, matchingTexts),
      };
    }
    return last.rows;
  }

  /** The samples whose program, output or answer contains a text, in any case. */
  async function samplesWith(run: number, search: string): Promise<Set<Cell>> {
    if (search === "") return new Set();
    const searched = search.toLowerCase();
    if (!texts.has(run)) texts.set(run, readTexts(run));
    const all = (await texts.get(run)) ?? [];
    return new Set(all.filter(([, text]) => text.includes(searched)).map(([id]) => id));
  }

  function readTexts(run: number): Promise<[Cell, string][]> {
    const ids = rowsOf(run).map((row) => row[0] ?? null);
    const compressed = samples()[run] ?? [];
    return Promise.all(
      compressed.map(async (text, index): Promise<[Cell, string]> => {
        const { source, output, answer } = await decompress(text);
        return [ids[index] ?? null, [source, output, answer ?? ""].join("\n").toLowerCase()];
      }),
    );
  }

  function rowsOf(run: number): Cell[][] {
    const runRows = rows()[run];
    if (!runRows) throw new ViewerError(noRun(run));
    return runRows;
  }

  return {
    isServed: false,
    report: async () => checkReport(report()),
    async rows(query): Promise<RowsPage> {
      const matches = await matchingRows(query);
      return { total: matches.length, rows: matches.slice(query.offset, query.offset + query.limit) };
    },
    async facetCounts(query) {
      const matchingTexts = await samplesWith(query.run, query.search);
      return countFacets(report().runs[query.run]?.columns ?? [], rowsOf(query.run), query, matchingTexts);
    },
    async sample(run, id) {
      const index = rowsOf(run).findIndex((row) => row[0] === id);
      const compressed = samples()[run]?.[index];
      if (compressed === undefined)
        throw new ViewerError("This run has no sample with this id. Search for it in the samples.");
      return decompress(compressed);
    },
    async tokenUsage(run) {
      const document = report().runs[run];
      if (!document) throw new ViewerError(noRun(run));
      return document.token_usage;
    },
    async operations(run) {
      const document = report().runs[run];
      if (!document?.operations) throw new ViewerError(noRun(run));
      return document.operations;
    },
  };
}

const noRun = (run: number) => `This report has no run ${run}.`;

/** base64 of the gzipped JSON of a sample -> the sample */
export async function decompress(compressed: string): Promise<SampleDocument> {
  try {
    const bytes = Uint8Array.from(atob(compressed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text()) as SampleDocument;
  } catch {
    throw new ViewerError(DAMAGED_DATA);
  }
}

/** Returns the report if this page can read it. */
export function checkReport(report: ReportDocument): ReportDocument {
  if (report?.format !== FORMAT || !Array.isArray(report.runs))
    throw new ViewerError(
      "This report was written by a different version of Worldline. Create it again with this one.",
    );
  if (report.runs.length === 0) throw new ViewerError("This report has no runs. Create it again with one or two runs.");
  return report;
}

function parse<T>(text: string | null): T {
  if (text === null) throw new ViewerError("This page has no data. Open a file that worldline report wrote.");
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new ViewerError(DAMAGED_DATA);
  }
}

function once<T>(compute: () => T): () => T {
  let result: { value: T } | null = null;
  return () => (result ??= { value: compute() }).value;
}
