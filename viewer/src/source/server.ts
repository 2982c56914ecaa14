/** Documents asked of the server that gave out the page. */
import { encode } from "../address";
import type { Budget, Page, Query, ReportDocument, SampleDocument, Source } from "../contract";
import { checked } from "./file";
import { Problem } from "./problem";

const GONE = "The server does not answer. Start worldline view again, and open the address that it prints.";

/** A source over an address such as "api/". */
export function serverSource(api: string, ask: typeof fetch = (...request) => fetch(...request)): Source {
  async function get<T>(path: string): Promise<T> {
    const response = await ask(api + path).catch(() => {
      throw new Problem(GONE);
    });
    if (!response.ok) throw new Problem(refusal(response.status, await response.text().catch(() => "")));
    return (await response.json().catch(() => {
      throw new Problem(
        "The server's answer is damaged. Start worldline view again, and open the address that it prints.",
      );
    })) as T;
  }
  return {
    report: async () => checked(await get<ReportDocument>("report")),
    rows: (query) => get<Page>(`rows?${rowsQuery(query)}`),
    sample: (run, id) => get<SampleDocument>(`sample?run=${run}&id=${encode(id)}`),
    budget: (run) => get<Budget>(`budget?run=${run}`),
  };
}

/** {run: 0, search: "a", facets: {where: "state"}, …} -> "run=0&search=a&facet=where:state&offset=0&limit=100" */
export function rowsQuery({ run, search, facets, sort, descending, offset, limit }: Query): string {
  const parameters = [`run=${run}`];
  if (search) parameters.push(`search=${encode(search)}`);
  for (const [name, value] of Object.entries(facets)) parameters.push(`facet=${encode(name)}:${encode(value)}`);
  if (sort !== null) parameters.push(`sort=${encode(sort)}`);
  if (descending) parameters.push("descending=1");
  return [...parameters, `offset=${offset}`, `limit=${limit}`].join("&");
}

function refusal(status: number, text: string): string {
  if (status === 404) return "The server does not have this. Look for it in the samples.";
  const said = text.trim().slice(0, 300);
  if (status === 410) return `${said}.`;
  return `The server answered with error ${status}${said ? `: ${said}` : ""}. Its terminal may say more.`;
}
