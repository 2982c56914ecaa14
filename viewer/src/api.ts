/**
 * Types of the JSON documents that Python writes and this page reads.
 *
 * Python builds them in src/worldline/interfaces/viewer (run_documents.py, sample_document.py, sample_table.py), with
 * the same keys. Every string may come from a program, a model or a file of unknown origin: it is text, never markup.
 */

/** Format of all documents; `FORMAT` in run_documents.py. */
export const FORMAT = 6;

/** `correct` out of `of`, with the 95% interval of the share; no interval if `of` is 0. */
export interface Share {
  correct: number;
  of: number;
  low: number | null;
  high: number | null;
}

/** Difference of two paired shares (B − A), from −1 to 1, with its 95% interval. */
export interface Difference {
  of: number;
  value: number | null;
  low: number | null;
  high: number | null;
  p: number;
}

/** Verdicts of a run. Samples with an infrastructure error are in neither share. */
export interface Accuracy {
  questions: number;
  samples: number;
  correct: number;
  incorrect: number;
  no_answer: number;
  truncated: number;
  infra_error: number;
  of_all: Share;
  of_answered: Share;
}

/** Number of samples with an outcome or a cause, the most frequent first. */
export interface Count {
  name: string;
  count: number;
}

export interface CauseCount extends Count {
  /** The cause in a sentence. */
  sentence: string;
  /** Failures with this cause that an intervention confirmed; null if none was tried. */
  confirmed: Share | null;
  /** Failures of which an intervention removed this cause and did not help; null if none was tried. */
  refuted: Share | null;
}

/** A cell of the heat map: samples that first diverge in `where`, in a value of this kind ("-" for no value). */
export interface DivergenceCount {
  where: string;
  kind: string;
  count: number;
}

/** Correct samples in a range of steps, iterations or tokens. */
export interface LengthBin {
  group: string;
  share: Share;
}

/** Accuracy by a measure of length of the actual execution. */
export interface LengthAccuracy {
  /** "steps", "iterations", "tokens" */
  by: string;
  bins: LengthBin[];
}

/** Share of samples without a divergence up to a step. */
export interface SurvivalPoint {
  step: number;
  survival: number;
  at_risk: number;
}

export interface CompletionTokens {
  total: number;
  median: number;
  max: number;
  bins: TokenBin[];
}

/** Samples whose completions have a similar number of tokens. */
export interface TokenBin {
  /** "64–127" */
  group: string;
  samples: number;
  correct: number;
  /** Their tokens together. */
  tokens: number;
}

/** Confidence and accuracy of the most frequent answers, in a run with repeats. */
export interface Calibration {
  questions: number;
  /** Mean distance of confidence and accuracy, from 0 to 1. */
  error: number;
  bins: CalibrationBin[];
}

export interface CalibrationBin {
  low: number;
  high: number;
  /** Mean share of the repeats that give the most frequent answer. */
  confidence: number;
  correct: Share;
}

/** Tokens of the completions, and of the actual traces in other formats. */
export interface TokenUsage {
  max_tokens: number | null;
  truncated: number;
  completion_tokens: CompletionTokens | null;
  /** `fitting`: traces of at most `max_tokens` tokens; null if there is no limit. */
  formats: { codec: string; tokens: number; fitting: number | null; traces: number }[];
  /** The tokenizer that counted the formats: "llama3". */
  tokenizer: string | null;
  /** The formats can be counted on request, which executes all programs. */
  can_count: boolean;
}

/** Share of correct steps, with its value. */
export interface StepShare extends Share {
  value: number | null;
}

/** How often the steps that an operation decides are correct. */
export interface OperationRate {
  /** "str.replace" */
  name: string;
  /** Steps that the operation decides alone. */
  single: StepShare;
  /** Steps that it decides together with others. */
  shared: StepShare;
  programs: number;
}

/** Correct steps in one group, by "arguments", "argument size", "nesting" or "value size". */
export interface OperationGroup extends StepShare {
  by: string;
  group: string;
}

/** Factor of the odds of a correct step, with its 95% interval. */
export interface OddsRatio {
  name: string;
  value: number;
  low: number;
  high: number;
}

export interface OperationModel {
  steps: number;
  wrong: number;
  programs: number;
  /** The steps that the operations are compared with. */
  reference: string;
  alone: OddsRatio[];
  /** At equal size and nesting; also the odds ratios of these. */
  adjusted: OddsRatio[];
  sentences: string[];
}

/** Accuracy by operation, in the correct part of the predictions and at the first divergence. */
export interface Operations {
  /** Unit of sizes: "characters". */
  unit: string;
  predictions: number;
  programs: number;
  diverged: number;
  steps: StepShare;
  operations: OperationRate[];
  groups: OperationGroup[];
  model: OperationModel | null;
  /** Why there is no model. */
  note: string;
}

export interface Effect {
  intervention: string;
  /** What the intervention changes, in words. */
  description: string;
  needs_actual: boolean;
  /** Null: failures of all causes. */
  cause: string | null;
  recovered: Share;
  /** Completion tokens, as a multiple of those without the intervention. */
  tokens: number | null;
}

export interface Interventions {
  failures: number;
  effects: Effect[];
  /** The gain of each way to use the model, and the cheapest one in the last line. */
  fixes: string[];
}

/** A failure that is typical of the run. */
export interface ExampleFailure {
  id: string;
  /** The call that was predicted: "f('a')". */
  call: string;
  /** The source line that was executed before the divergence. */
  line: string;
  step: number;
  where: string;
  variable: string | null;
  /** The values that differ, shortened around the difference. */
  actual: string;
  predicted: string;
  cause: string;
  /** The cause in a sentence. */
  sentence: string;
}

export interface Column {
  name: string;
  /** Heading of the column. */
  title: string;
  type: "text" | "number";
  /** Values to choose from in a menu, with the number of samples of each; null if there are too many. */
  values: [string, number][] | null;
}

export type Cell = string | number | null;

/** One run without its samples. */
export interface RunDocument {
  name: string;
  /** Benchmark, model and settings, as in the terminal. */
  header: string[];
  /** The most important results in sentences. */
  headline: string;
  /** One failure for each of the most frequent causes. */
  examples: ExampleFailure[];
  accuracy: Accuracy;
  outcomes: Count[];
  causes: CauseCount[];
  divergences: DivergenceCount[];
  lengths: LengthAccuracy[];
  survival: SurvivalPoint[];
  /** Title and lines of the one-step accuracy; empty unless the mode was `score`. */
  one_step_accuracy: string[];
  /** Null without repeats. */
  calibration: Calibration | null;
  token_usage: TokenUsage;
  /** Null if they were not measured. */
  operations: Operations | null;
  /** The operations can be measured on request, which reads all traces. */
  can_measure_operations: boolean;
  interventions: Interventions | null;
  columns: Column[];
}

/** Gains and losses in one group of the shared samples. */
export interface GroupChange {
  by: string;
  group: string;
  pairs: number;
  gained: number;
  lost: number;
  difference: Difference;
  /** Adjusted for the number of groups. */
  adjusted_p: number;
}

/** A sample that is correct in one of two runs. */
export interface ChangedSample {
  id: string;
  /** The cause of the failure in the run that fails. */
  cause: string | null;
  /** The results in both runs, a line each. */
  a: string;
  b: string;
}

export interface Comparison {
  headline: string;
  /** A line for each setting that differs between the runs. */
  settings: string[];
  notes: string[];
  a: Share;
  b: Share;
  difference: Difference;
  gained: ChangedSample[];
  lost: ChangedSample[];
  /** Pairs by their verdicts in A and in B. */
  verdicts: { a: string; b: string; count: number }[];
  groups: GroupChange[];
  groups_note: string;
}

export interface ReportDocument {
  format: typeof FORMAT;
  /** The version of Worldline that wrote the report. */
  worldline: string;
  /** The project's address; null if the package does not name it. */
  homepage: string | null;
  /** Labels of identifiers: "copy_error" to "Copy error". */
  labels: Record<string, string>;
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

export interface Frame {
  function: string;
  line: number | null;
}

/**
 * One step of an execution, as changes since the step before: `set` and `unset` change the variables (a step in another
 * scope sets and unsets whatever differs), and `stack` is given if it is different, outermost call first.
 */
export interface Step {
  event: "call" | "line" | "return" | "exception";
  /** Line of the source, from 1; null if the model hallucinated the line. */
  line: number | null;
  /** The source line as executed, or as the model wrote it. */
  text: string;
  /** Variables that the step itself lists as changed. */
  changed: string[];
  set: Record<string, string>;
  unset: string[];
  /** The value returned or raised. */
  value: string | null;
  /** The same in words, if it is more than a value: "raises KeyError(1)". */
  description?: string;
  stack?: Frame[];
  /** Calls of the line that were not executed, with the values that a model provided. */
  assumed?: string[];
  /** Only the other execution has a step here: the prediction skips or inserts it. */
  is_gap?: boolean;
}

export interface Execution {
  steps: Step[];
  /** Why the execution ends there. */
  ending: string;
}

export interface Divergence {
  step: number;
  /** "argument", "state", "action", "return", "exception", "end" */
  where: string;
  variable: string | null;
  actual: string;
  predicted: string;
  differences: { name: string; actual: string | null; predicted: string | null }[];
}

/** The two values that differ, split into tokens. */
export interface ValueTokens {
  tokenizer: string;
  actual: string[];
  predicted: string[];
}

/** Negative log-likelihood of a step, in nats; null if the step has no such tokens. */
export interface StepNll {
  action: number | null;
  state: number | null;
  is_action_greedy: boolean;
  is_state_greedy: boolean;
}

/** An intervention on one sample. */
export interface Attempt {
  intervention: string;
  /** What the intervention changes, in words. */
  description: string;
  is_correct: boolean;
  /** "turned correct", "1 of 4 draws correct", "not correct: +3 steps" */
  result: string;
}

/** Why the cause was chosen. */
export interface Reason {
  /** Number of the rule, from 1; null if no rule matches. */
  rule: number | null;
  /** Number of rules. */
  rules: number;
  /** The cause in a sentence. */
  sentence: string;
  /** The facts that the rule matched, a sentence each. */
  facts: string[];
  /** Causes of later rules that match as well. */
  also_matching: string[];
  /** "fact": the executions show the cause, nothing has to be tested. */
  status: "confirmed" | "refuted" | "hypothesis" | "fact";
  /** The intervention that confirmed or refuted the cause. */
  tested_by: string | null;
}

export interface SampleDocument {
  id: string;
  verdict: string;
  outcome: string;
  cause: string | null;
  /** The diagnosis in one line, as in the terminal. */
  summary: string;
  /** Names and texts of the facts of the diagnosis. */
  facts: [string, string][];
  /** Null without a cause. */
  reason: Reason | null;
  /** The program's text. */
  source: string;
  /** The language of the program; missing in older reports, which have Python programs only. */
  language?: string;
  actual: Execution;
  predicted: Execution;
  matched_steps: number;
  divergence: Divergence | null;
  /** For each predicted step from the divergence on, gaps included: whether it matches the actual one. */
  matches_after_divergence: boolean[];
  /** Steps whose text matches although the state does not: the variable that keeps a wrong value. */
  stale_variables: Record<string, string>;
  value_tokens: ValueTokens | null;
  nll: StepNll[] | null;
  attempts: Attempt[];
  prompt: string;
  output: string;
  answer: string | null;
  expected: string | null;
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
  report(): Promise<ReportDocument>;
  rows(query: Query): Promise<RowsPage>;
  /** What each value of each menu would show: the search and the other columns' values apply. */
  facetCounts(query: Query): Promise<Record<string, FacetCounts>>;
  sample(run: number, id: string): Promise<SampleDocument>;
  tokenUsage(run: number): Promise<TokenUsage>;
  operations(run: number): Promise<Operations>;
}

/** A run of a project or of a leaderboard. */
export interface ProjectRun {
  /** Path within the project. */
  id: string;
  model: string;
  benchmark: string;
  /** Mode and codec: "free · chat-trace". */
  settings: string;
  /** The training step, if the run evaluates a checkpoint. */
  step: number | null;
  /** When it was last begun or resumed: "2026-01-31T12:00:00+00:00". */
  evaluated_at: string;
  /** Number of samples of the complete run. */
  expected: number;
  accuracy: Accuracy;
}

/** A checkpoint of a trend. */
export interface TrendPoint {
  run: string;
  step: number;
  of_answered: Share;
  of_all: Share;
  /** Paired difference to the checkpoint before, over the samples that both answered. */
  change: Difference | null;
}

/** The checkpoints of one model, by step. */
export interface Trend {
  name: string;
  points: TrendPoint[];
}

/** Paired difference of a run to the baseline. */
export interface RunDifference {
  run: string;
  /** Over the samples that both runs answered. */
  answered: Difference;
  /** Over all shared samples; a sample without an answer is not correct. */
  all: Difference;
  /** Adjusted for the number of runs. */
  adjusted_p: number;
  /** Samples that only one of the two runs has. */
  not_shared: number;
}

export interface Differences {
  baseline: string;
  runs: RunDifference[];
}

/** Change of the share of correct steps of an operation, from run A to run B. */
export interface OperationChange {
  name: string;
  a: { correct: number; of: number };
  b: { correct: number; of: number };
  /** Mean over the programs with such steps in both runs. */
  difference: Difference;
  /** Adjusted for the number of operations; null without a change. */
  adjusted_p: number | null;
}

export interface ProjectDocument {
  format: typeof FORMAT;
  worldline: string;
  homepage: string | null;
  /** The folder or address of the project. */
  name: string;
  runs: ProjectRun[];
  trends: Trend[];
  /** Folders that look like runs and cannot be read. */
  unreadable: { run: string; error: string }[];
  /** Differences to the baseline of a leaderboard; a served page requests them. */
  differences: Differences | null;
}

/**
 * Access to a project. A leaderboard file embeds <script type="application/json" id="project">. A served page contains
 * <meta name="worldline-project" content="api/"> and requests project, differences?baseline=ID and operations?a=ID&b=ID.
 * The pages of runs are run/ID/ and compare/ID/ID/.
 */
export interface ProjectSource {
  /** Whether runs and comparisons can be opened. */
  isServed: boolean;
  project(): Promise<ProjectDocument>;
  differences(baseline: string): Promise<Differences>;
  operationChanges(a: string, b: string): Promise<OperationChange[]>;
}
