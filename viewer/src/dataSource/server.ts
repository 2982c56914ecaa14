/** Data source of a served page: the documents are requested from `worldline view`. */
import type {
  DataSource,
  FacetCounts,
  Operations,
  Query,
  ReportDocument,
  RowsPage,
  SampleDocument,
  TokenUsage,
} from "../api";
import { encode } from "../route";
import { checkReport } from "./embedded";
import { ViewerError } from "./errors";

const RESTART = "Start worldline view again and open the URL that it prints.";

/** A data source for a base URL such as "api/". */
export function serverSource(api: string, request: typeof fetch = (...args) => fetch(...args)): DataSource {
  const get = <T>(path: string) => requestJson<T>(request, api + path);
  return {
    isServed: true,
    report: async () => checkReport(await get<ReportDocument>("report")),
    rows: (query) => get<RowsPage>(`rows?${rowsParameters(query)}`),
    facetCounts: (query) => get<Record<string, FacetCounts>>(`counts?${rowsParameters(query)}`),
    sample: (run, id) => get<SampleDocument>(`sample?run=${run}&id=${encode(id)}`),
    tokenUsage: (run) => get<TokenUsage>(`tokens?run=${run}`),
    operations: (run) => get<Operations>(`operations?run=${run}`),
  };
}

/** Requests a document; an error says what to do. */
export async function requestJson<T>(request: typeof fetch, url: string): Promise<T> {
  const response = await request(url).catch(() => {
    throw new ViewerError(`The server does not respond. ${RESTART}`);
  });
  if (!response.ok) throw new ViewerError(statusMessage(response.status, await response.text().catch(() => "")));
  return (await response.json().catch(() => {
    throw new ViewerError(`The server's response is damaged. ${RESTART}`);
  })) as T;
}

/** {run: 0, search: "a", facets: {where: "state"}, …} -> "run=0&search=a&facet=where:state&offset=0&limit=100" */
export function rowsParameters({ run, search, facets, sort, descending, offset, limit }: Query): string {
  const parameters = [`run=${run}`];
  if (search) parameters.push(`search=${encode(search)}`);
  for (const [name, value] of Object.entries(facets)) parameters.push(`facet=${encode(name)}:${encode(value)}`);
  if (sort !== null) parameters.push(`sort=${encode(sort)}`);
  if (descending) parameters.push("descending=1");
  return [...parameters, `offset=${offset}`, `limit=${limit}`].join("&");
}

function statusMessage(status: number, text: string): string {
  if (status === 404) return "Not found on the server. Search for it in the samples.";
  const detail = text.trim().slice(0, 300);
  if (status === 410) return `${detail}.`;
  return `The server responded with error ${status}${detail ? `: ${detail}` : ""}. Its terminal may show more.`;
}
