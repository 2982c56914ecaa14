/** Where one is in the page, and its hash: every state has an address, and every address a state. */
import type { Query } from "./contract";

export interface Filter {
  search: string;
  facets: Record<string, string>;
  sort: string | null;
  descending: boolean;
}

export type OverviewAddress = { page: "overview"; run: number; by: string | null };
export type SamplesAddress = { page: "samples"; run: number } & Filter;
/** `tokens`: the values that part are shown as a vocabulary cuts them. */
export type SampleAddress = { page: "sample"; run: number; id: string; step: number | null; tokens: boolean };
export type Address = OverviewAddress | SamplesAddress | SampleAddress | { page: "compare" };

export const NO_FILTER: Filter = { search: "", facets: {}, sort: null, descending: false };
const OWN_NAMES = new Set(["search", "sort", "descending"]);

/** {page: "sample", run: 0, id: "a/b", step: 12} -> "#/run/0/sample/a%2Fb?step=12" */
export function toHash(address: Address): string {
  if (address.page === "compare") return "#/compare";
  const start = `#/run/${address.run}`;
  if (address.page === "overview") return start + parameters([["by", address.by]]);
  if (address.page === "samples") return `${start}/samples${parameters(filterPairs(address))}`;
  const { step, tokens } = address;
  const pairs: Pair[] = [
    ["step", step === null ? null : String(step)],
    ["tokens", tokens ? "1" : null],
  ];
  return `${start}/sample/${encode(address.id)}${parameters(pairs)}`;
}

/** The state a hash stands for; the first run's overview where it says nothing we know. */
export function fromHash(hash: string): Address {
  const [path = "", search = ""] = split(hash.replace(/^#/, ""), "?");
  const [, first, run, page, id] = path.split("/");
  if (first === "compare") return { page: "compare" };
  const number = first === "run" && /^\d{1,6}$/.test(run ?? "") ? Number(run) : 0;
  const pairs = readPairs(search);
  const value = (name: string) => pairs.find((pair) => pair[0] === name)?.[1] ?? null;
  if (page === "samples") return { page, run: number, ...readFilter(pairs) };
  if (page === "sample" && id !== undefined) {
    const step = value("step");
    const isStep = step !== null && /^\d{1,9}$/.test(step);
    return { page, run: number, id: decode(id), step: isStep ? Number(step) : null, tokens: value("tokens") === "1" };
  }
  return { page: "overview", run: number, by: value("by") };
}

export function toQuery(run: number, filter: Filter, offset: number, limit: number): Query {
  const { search, facets, sort, descending } = filter;
  return { run, search, facets, sort, descending, offset, limit };
}

/** As encodeURIComponent, but a lone surrogate becomes its three bytes (Python's "surrogatepass") and not an error. */
export function encode(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0xd800 || code > 0xdfff) return encodeURIComponent(character);
    const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
    return bytes.map((byte) => "%" + byte.toString(16).toUpperCase()).join("");
  }).join("");
}

/** Undoes `encode`; a text that is no encoding stands for itself. */
export function decode(text: string): string {
  const parts = text.split(/(%ED%[AB][0-9A-F]%[89AB][0-9A-F])/i);
  try {
    return parts.map((part, at) => (at % 2 ? decodeSurrogate(part) : decodeURIComponent(part))).join("");
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
  const written = pairs.flatMap(([name, value]) => (value === null ? [] : [`${encode(name)}=${encode(value)}`]));
  return written.length ? "?" + written.join("&") : "";
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

// A column that bears one of our own names gets a dot before it.
const facetName = (name: string) => (OWN_NAMES.has(name) || name.startsWith(".") ? "." + name : name);

function filterPairs({ search, facets, sort, descending }: Filter): Pair[] {
  const chosen = Object.entries(facets).map(([name, value]): Pair => [facetName(name), value]);
  return [["search", search || null], ...chosen, ["sort", sort], ["descending", descending ? "1" : null]];
}

function readFilter(pairs: [string, string][]): Filter {
  const own = Object.fromEntries(pairs.filter(([name]) => OWN_NAMES.has(name)));
  const chosen = pairs.filter(([name]) => !OWN_NAMES.has(name));
  return {
    search: own["search"] ?? "",
    facets: Object.fromEntries(chosen.map(([name, value]) => [name.replace(/^\./, ""), value])),
    sort: own["sort"] ?? null,
    descending: own["descending"] === "1",
  };
}

/** "a?b?c", "?" -> ["a", "b?c"] */
function split(text: string, at: string): [string, string] {
  const index = text.indexOf(at);
  return index < 0 ? [text, ""] : [text.slice(0, index), text.slice(index + at.length)];
}
