/** Documents that stand in the page itself: nothing is asked of anyone. */
import type { Cell, Page, Query, ReportDocument, SampleDocument, Source } from "../contract";
import { matching } from "../query";
import { DAMAGED, Problem } from "./problem";

/** A source over the texts of the page's data scripts, found by their ids. Each is parsed when first needed. */
export function fileSource(textOf: (id: string) => string | null): Source {
  const report = once(() => parse<ReportDocument>(textOf("report")));
  const rows = once(() => parse<Cell[][][]>(textOf("rows")));
  const samples = once(() => parse<string[][]>(textOf("samples")));
  let last: { key: string; rows: Cell[][] } | null = null;

  function answered(query: Query): Cell[][] {
    const { offset, limit, ...asked } = query;
    const key = JSON.stringify(asked);
    if (last?.key !== key)
      last = { key, rows: matching(report().runs[query.run]?.columns ?? [], ofRun(query.run), asked) };
    return last.rows;
  }

  function ofRun(run: number): Cell[][] {
    const found = rows()[run];
    if (!found) throw new Problem(`There is no run ${run} in this report.`);
    return found;
  }

  return {
    report: async () => checked(report()),
    async rows(query): Promise<Page> {
      const found = answered(query);
      return { total: found.length, rows: found.slice(query.offset, query.offset + query.limit) };
    },
    async sample(run, id) {
      const at = ofRun(run).findIndex((row) => row[0] === id);
      const packed = samples()[run]?.[at];
      if (packed === undefined)
        throw new Problem("There is no sample with this id in this run. Look for it in the samples.");
      return unpack(packed);
    },
    async budget(run) {
      const found = report().runs[run];
      if (!found) throw new Problem(`There is no run ${run} in this report.`);
      return found.budget;
    },
  };
}

/** base64 of the gzip of a sample's JSON -> the sample */
export async function unpack(packed: string): Promise<SampleDocument> {
  try {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text()) as SampleDocument;
  } catch {
    throw new Problem(DAMAGED);
  }
}

/** The report, if it is one that this page can read. */
export function checked(report: ReportDocument): ReportDocument {
  if (report?.format !== 1 || !Array.isArray(report.runs))
    throw new Problem("This report was written by another version of Worldline. Make it again with this one.");
  if (report.runs.length === 0) throw new Problem("This report holds no run. Make it again with at least one.");
  return report;
}

function parse<T>(text: string | null): T {
  if (text === null) throw new Problem("There is no data in this page. Open one that Worldline made.");
  try {
    return JSON.parse(text) as T;
  } catch {
    throw new Problem(DAMAGED);
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
