/** State of a project page, kept in the URL's hash, and the list of runs that it selects. */
import type { ProjectRun, RunDifference } from "../api";
import { shareValue } from "../numberFormat";
import { compareByCodePoint } from "../query";
import { decode, encode } from "../route";

export interface ProjectState {
  search: string;
  model: string;
  benchmark: string;
  sort: string;
  descending: boolean;
  /** The run that the others are compared with; "" for the first one. */
  baseline: string;
  /** The runs whose operations are compared; "" if none is chosen. */
  a: string;
  b: string;
  /** The name of the trend that is shown; "" for the first one. */
  trend: string;
  /** "answered" or "all" */
  of: string;
}

export const NO_STATE: ProjectState = {
  search: "",
  model: "",
  benchmark: "",
  sort: "run",
  descending: false,
  baseline: "",
  a: "",
  b: "",
  trend: "",
  of: "answered",
};

/** {search: "a", descending: true} -> "#search=a&descending=1" */
export function toProjectHash(state: ProjectState): string {
  const pairs = Object.entries(state).flatMap(([name, value]) => {
    if (value === NO_STATE[name as keyof ProjectState]) return [];
    return [`${name}=${encode(typeof value === "boolean" ? "1" : value)}`];
  });
  return "#" + pairs.join("&");
}

export function fromProjectHash(hash: string): ProjectState {
  const state: ProjectState = { ...NO_STATE };
  for (const pair of hash.replace(/^#/, "").split("&")) {
    const end = pair.indexOf("=");
    const [name, value] = [pair.slice(0, end), decode(pair.slice(end + 1))];
    if (name === "descending") state.descending = value === "1";
    else if (end > 0 && Object.hasOwn(NO_STATE, name)) state[name as Exclude<keyof ProjectState, "descending">] = value;
  }
  return state;
}

/** Orders "checkpoint-200" before "checkpoint-1000". */
export const compareNames = new Intl.Collator("en", { numeric: true }).compare;

/** The number or text that a column sorts by. */
const SORT_KEYS: Record<string, (run: ProjectRun, difference: RunDifference | undefined) => string | number | null> = {
  run: (run) => run.id,
  step: (run) => run.step,
  model: (run) => run.model,
  answered: (run) => shareValue(run.accuracy.of_answered),
  difference: (_, difference) => difference?.answered.value ?? null,
  all: (run) => shareValue(run.accuracy.of_all),
  truncated: (run) => run.accuracy.truncated,
  no_answer: (run) => run.accuracy.no_answer,
  infra_error: (run) => run.accuracy.infra_error,
  samples: (run) => run.accuracy.samples,
  evaluated: (run) => run.evaluated_at,
};

/** The runs that match the filters, sorted; runs without the value that is sorted by are last. */
export function selectRuns(
  runs: ProjectRun[],
  state: ProjectState,
  differences: ReadonlyMap<string, RunDifference>,
): ProjectRun[] {
  const search = state.search.toLowerCase();
  const matches = runs.filter(
    (run) =>
      (state.model === "" || run.model === state.model) &&
      (state.benchmark === "" || run.benchmark === state.benchmark) &&
      [run.id, run.model, run.benchmark, run.settings].some((text) => text.toLowerCase().includes(search)),
  );
  const key = SORT_KEYS[state.sort] ?? ((run: ProjectRun) => run.id);
  const sign = state.descending ? -1 : 1;
  return matches.sort((one, other) => {
    const [a, b] = [key(one, differences.get(one.id)), key(other, differences.get(other.id))];
    if (a === null || b === null) return Number(a === null) - Number(b === null) || compareNames(one.id, other.id);
    const order = typeof a === "number" && typeof b === "number" ? a - b : compareNames(String(a), String(b));
    return sign * order || compareNames(one.id, other.id) || compareByCodePoint(one.id, other.id);
  });
}

/** "s3://bucket/runs/" -> "runs": the last part of a folder or address. */
export function projectTitle(name: string): string {
  return name.split(/[/\\]/).findLast((part) => part !== "" && part !== ".") ?? name;
}

/** The runs with the largest share of correct answers, the best first. */
export function bestRuns(runs: ProjectRun[]): ProjectRun[] {
  const share = (run: ProjectRun) => shareValue(run.accuracy.of_answered) ?? -1;
  return [...runs].sort((a, b) => share(b) - share(a) || compareNames(a.id, b.id));
}
