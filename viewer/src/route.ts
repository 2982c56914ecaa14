/** Routes: every view of the page has a URL hash, and every hash stands for a view. */
import type { Query } from "./api";

export interface Filter {
  search: string;
  facets: Record<string, string>;
  sort: string | null;
  descending: boolean;
}

export type OverviewRoute = { page: "overview"; run: number; by: string | null };
export type SamplesRoute = { page: "samples"; run: number } & Filter;
/** How the two values that differ are compared. */
export type ValueView = "tokens" | "characters" | "structure";
/** `view`: without it, by token if a tokenizer is known. */
export type SampleRoute = { page: "sample"; run: number; id: string; step: number | null; view?: ValueView | null };
export type Route = OverviewRoute | SamplesRoute | SampleRoute | { page: "compare" };

export const NO_FILTER: Filter = { search: "", facets: {}, sort: null, descending: false };
const VALUE_VIEWS: ValueView[] = ["tokens", "characters", "structure"];
/** Parameters of the list itself; all others are facets. */
const OWN_PARAMETERS = new Set(["search", "sort", "descending"]);

/** {page: "sample", run: 0, id: "a/b", step: 12} -> "#/run/0/sample/a%2Fb?step=12" */
export function toHash(route: Route): string {
  if (route.page === "compare") return "#/compare";
  const start = `#/run/${route.run}`;
  if (route.page === "overview") return start + parameters([["by", route.by]]);
  if (route.page === "samples") return `${start}/samples${parameters(filterPairs(route))}`;
  const { step, view } = route;
  const pairs: Pair[] = [
    ["step", step === null ? null : String(step)],
    ["view", view ?? null],
  ];
  return `${start}/sample/${encode(route.id)}${parameters(pairs)}`;
}

/** The route of a hash; the overview of the first run if the hash is unknown. */
export function fromHash(hash: string): Route {
  const [path = "", search = ""] = split(hash.replace(/^#/, ""), "?");
  const [, first, run, page, id] = path.split("/");
  if (first === "compare") return { page: "compare" };
  const runIndex = first === "run" && /^\d{1,6}$/.test(run ?? "") ? Number(run) : 0;
  const pairs = readPairs(search);
  const value = (name: string) => pairs.find((pair) => pair[0] === name)?.[1] ?? null;
  if (page === "samples") return { page, run: runIndex, ...readFilter(pairs) };
  if (page === "sample" && id !== undefined) {
    const step = value("step");
    const isStep = step !== null && /^\d{1,9}$/.test(step);
    const view = VALUE_VIEWS.find((each) => each === value("view")) ?? null;
    return { page, run: runIndex, id: decode(id), step: isStep ? Number(step) : null, view };
  }
  return { page: "overview", run: runIndex, by: value("by") };
}

export function toQuery(run: number, filter: Filter, offset: number, limit: number): Query {
  const { search, facets, sort, descending } = filter;
  return { run, search, facets, sort, descending, offset, limit };
}

/** encodeURIComponent that encodes a lone surrogate as three bytes, like Python's "surrogatepass". */
export function encode(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(character);
    const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    return bytes.map((byte) => "%" + byte.toString(16).toUpperCase()).join("");
  }).join("");
}

/** The inverse of `encode`; invalid input is returned as it is. */
export function decode(text: string): string {
  const parts = text.split(/(%ED%[AB][0-9A-F]%[89AB][0-9A-F])/i);
  try {
    return parts.map((part, index) => (index % 2 ? decodeSurrogate(part) : decodeURIComponent(part))).join("");
  } catch {
    return text;
  }
}

function decodeSurrogate(bytes: string): string {
  const [second = 0, third = 0] = [bytes.slice(4, 6), bytes.slice(7, 9)].map((hex) => parseInt(hex, 16));
  return String.fromCharCode(0xd000 | ((second & 0x3f) << 6) | (third & 0x3f));
}

type Pair = [string, string | null];

function parameters(pairs: Pair[]): string {
  const encoded = pairs.flatMap(([name, value]) => (value === null ? [] : [`${encode(name)}=${encode(value)}`]));
  return encoded.length ? "?" + encoded.join("&") : "";
}

function readPairs(search: string): [string, string][] {
  return search
    .split("&")
    .filter((pair) => pair !== "")
    .map((pair) => {
      const [name = "", value = ""] = split(pair, "=");
      return [decode(name), decode(value)];
    });
}

// A column with the name of one of our parameters is prefixed with a dot.
const facetName = (name: string) => (OWN_PARAMETERS.has(name) || name.startsWith(".") ? "." + name : name);

function filterPairs({ search, facets, sort, descending }: Filter): Pair[] {
  const chosen = Object.entries(facets).map(([name, value]): Pair => [facetName(name), value]);
  return [["search", search || null], ...chosen, ["sort", sort], ["descending", descending ? "1" : null]];
}

function readFilter(pairs: [string, string][]): Filter {
  const own = Object.fromEntries(pairs.filter(([name]) => OWN_PARAMETERS.has(name)));
  const chosen = pairs.filter(([name]) => !OWN_PARAMETERS.has(name));
  return {
    search: own["search"] ?? "",
    facets: Object.fromEntries(chosen.map(([name, value]) => [name.replace(/^\./, ""), value])),
    sort: own["sort"] ?? null,
    descending: own["descending"] === "1",
  };
}

/** "a?b?c", "?" -> ["a", "b?c"] */
function split(text: string, separator: string): [string, string] {
  const index = text.indexOf(separator);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + separator.length)];
}
