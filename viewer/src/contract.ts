/**
 * What the Python side gives to the page: the one place where the two meet.
 *
 * Every string may come from a program, a model or a stranger's file: it is text, never markup. Python writes these
 * documents in src/worldline/viewer/documents.py, with the same names.
 */

/** So many of so many, with the 95% interval of the share; no interval where there is nothing to count. */
export interface Share {
  right: number;
  of: number;
  low: number | null;
  high: number | null;
}

/** A difference in pairs, in shares of 1, with its 95% interval. */
export interface Difference {
  of: number;
  value: number | null;
  low: number | null;
  high: number | null;
  p: number;
}

export interface Accuracy {
  samples: number;
  asked: number;
  right: number;
  wrong: number;
  no_answer: number;
  cut: number;
  failed: number;
  of_all: Share;
  of_answered: Share;
}

/** How often each word occurs, the most frequent first: outcomes, causes. */
export interface Count {
  name: string;
  count: number;
}

export interface CauseCount extends Count {
  /** What the cause says, in a sentence. */
  sentence: string;
  /** Of the failures with this cause; none where nothing was tried. */
  confirmed: Share | null;
}

/** A cell of the heat map: so many samples first differ there, in a value of this kind. By kind, in the order to read. */
export interface Place {
  where: string;
  kind: string;
  count: number;
}

/** Right samples in a range of steps, iterations or tokens. */
export interface Bin {
  group: string;
  share: Share;
}

/** Accuracy against one measure of length. */
export interface Length {
  /** "steps", "iterations", "tokens" */
  by: string;
  bins: Bin[];
}

/** The share of samples that are right up to a step and with it. */
export interface Survival {
  step: number;
  survival: number;
  at_risk: number;
}

/** What the token budget did, and what another format would have needed for the same traces. */
export interface Budget {
  budget: number | null;
  cut: number;
  written_tokens: { total: number; median: number; most: number } | null;
  /** `fit`: how many have room in the budget; none where it is not known. */
  formats: { codec: string; tokens: number; fit: number | null; of: number }[];
  /** What the formats were counted with: "llama3". */
  vocabulary: string | null;
  /** Formats are counted when they are asked for: that takes an execution of all programs. */
  can_count: boolean;
}

export interface Effect {
  intervention: string;
  /** What it changes, in words. */
  changes: string;
  needs_truth: boolean;
  /** None: all of them. */
  cause: string | null;
  recovered: Share;
  /** What the model wrote, as a multiple of before. */
  tokens: number | null;
}

export interface Interventions {
  failures: number;
  effects: Effect[];
  /** What each way to use the model would bring, and last which is the cheapest. */
  fixes: string[];
}

export interface Column {
  name: string;
  /** What the head of the table says. */
  title: string;
  type: "text" | "number";
  /** Values to choose from, where there are few. */
  values: string[] | null;
}

export type Cell = string | number | null;

/** One run: all but its samples. */
export interface RunDocument {
  name: string;
  /** What was asked of whom, as the terminal says it. */
  lines: string[];
  accuracy: Accuracy;
  outcomes: Count[];
  causes: CauseCount[];
  places: Place[];
  lengths: Length[];
  survival: Survival[];
  /** How the model takes single true steps, a line each; none where the mode was not `score`. */
  scored: string[];
  budget: Budget;
  interventions: Interventions | null;
  columns: Column[];
}

export interface Change {
  by: string;
  group: string;
  pairs: number;
  gained: number;
  lost: number;
  difference: Difference;
  adjusted_p: number;
}

export interface Comparison {
  headline: string;
  /** What was asked otherwise in the two runs, a line each. */
  settings: string[];
  /** What else there is to say, a line each. */
  notes: string[];
  a: Share;
  b: Share;
  difference: Difference;
  gained: string[];
  lost: string[];
  /** From A's verdict to B's. */
  verdicts: { a: string; b: string; count: number }[];
  /** Where gains and losses are; `adjusted_p` is adjusted for their number. */
  groups: Change[];
  groups_note: string;
}

export interface ReportDocument {
  format: 1;
  /** The version of Worldline that wrote it. */
  worldline: string;
  runs: RunDocument[];
  comparison: Comparison | null;
}

export interface Query {
  run: number;
  /** Found in any text of a row, whatever the case. */
  search: string;
  /** Column to value: all of them hold. Empty text stands for none. */
  facets: Record<string, string>;
  sort: string | null;
  descending: boolean;
  offset: number;
  limit: number;
}

/** Rows in the order of `RunDocument.columns`; the first column is the sample's id. */
export interface Page {
  total: number;
  rows: Cell[][];
}

export interface Frame {
  function: string;
  line: number | null;
}

/**
 * One step of a lane. What is not said has not changed since the step before: `set` and `unset` turn the variables of
 * the step before into those of this one (a step in another scope sets and unsets whatever differs), and `stack` is
 * there where it is another one, outermost first.
 */
export interface Step {
  event: "call" | "line" | "return" | "exception";
  /** In the source, from 1; none where the line was made up. */
  line: number | null;
  /** The source line as it was executed, or as the model wrote it. */
  text: string;
  /** What the step itself tells that changed: to be marked. */
  changed: string[];
  set: Record<string, string>;
  unset: string[];
  /** What was returned or raised. */
  value: string | null;
  /** That in words, where it is more than the value: "raises KeyError(1)". */
  tells?: string;
  stack?: Frame[];
}

export interface Lane {
  steps: Step[];
  /** Why it ends where it ends. */
  ending: string;
}

export interface Divergence {
  step: number;
  /** "state", "action", "return", "exception", "end" */
  where: string;
  variable: string | null;
  true: string;
  predicted: string;
  differences: { name: string; true: string | null; predicted: string | null }[];
}

/** Where a vocabulary cuts the two values that differ: the pieces, in order. */
export interface Cuts {
  vocabulary: string;
  true: string[];
  predicted: string[];
}

/** In nats; none where the step has no such tokens. */
export interface Surprise {
  action: number | null;
  state: number | null;
  is_action_greedy: boolean;
  is_state_greedy: boolean;
}

export interface Attempt {
  intervention: string;
  /** What it changes, in words. */
  changes: string;
  is_right: boolean;
  /** What came of it, in words. */
  text: string;
}

/** One sample, the heart of it. */
export interface SampleDocument {
  id: string;
  verdict: string;
  outcome: string;
  cause: string | null;
  /** Its one-line story, as the terminal tells it. */
  story: string;
  /** What is known about it: a word and a sentence each. */
  facts: [string, string][];
  source: string;
  real: Lane;
  imagined: Lane;
  /** So many steps are the same. */
  matched: number;
  divergence: Divergence | null;
  /** From the divergence on, for each imagined step: whether the real one is the same again. */
  same_again: boolean[];
  /** Steps where both lanes write the same and are not: the variable that keeps a wrong value. */
  still: Record<string, string>;
  cuts: Cuts | null;
  surprise: Surprise[] | null;
  attempts: Attempt[];
  prompt: string;
  reply: string;
  answer: string | null;
  expected: string | null;
}

/**
 * Where the documents come from. In a file, the page holds
 *   <script type="application/json" id="report">ReportDocument</script>
 *   <script type="application/json" id="rows">Cell[][][]</script>         (a list of rows a run)
 *   <script type="application/json" id="samples">string[][]</script>      (a run: a sample each, in the order of the
 *                                                                         rows: base64 of the gzip of its JSON)
 * with every "<" written as \u003c. Served, it holds
 *   <meta name="worldline-api" content="api/">
 * instead, and asks, relative to the page's own address:
 *   GET api/report                                          -> ReportDocument
 *   GET api/rows?run=0&search=…&facet=name:value&facet=…&sort=…&descending=1&offset=0&limit=100 -> Page
 *   GET api/sample?run=0&id=…                               -> SampleDocument
 *   GET api/budget?run=0                                    -> Budget, with its formats counted
 */
export interface Source {
  report(): Promise<ReportDocument>;
  rows(query: Query): Promise<Page>;
  sample(run: number, id: string): Promise<SampleDocument>;
  budget(run: number): Promise<Budget>;
}
