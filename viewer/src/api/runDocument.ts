/** A run without its samples, and the figures of its overview. */
import type { DistributionSummary } from "./distribution";

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

/** Share of samples without a divergence up to a step, itself included; constant until the next point. */
export interface SurvivalPoint {
  /** From 0, as in the list of samples. */
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

/** How far the results of a run can be trusted, by a trust model. */
export interface RunTrust {
  /** Results that were assessed, and those above the threshold. */
  results: number;
  trusted: number;
  /** The lowest trusted probability; null if no result can be trusted. */
  threshold: number | null;
  /** What the threshold promises: the largest share of wrong results among the trusted ones, with this confidence. */
  max_wrong: number;
  confidence: number;
  /** Null if the model was fitted on all programs of the run. */
  measured: MeasuredTrust | null;
}

/** The quality of the trust, on programs that the model was not fitted on. */
export interface MeasuredTrust {
  correct: Share;
  correct_trusted: Share | null;
  /** Null if not both correct and wrong results occur. */
  auroc: Estimate | null;
  /** The risk–coverage curve: share of trusted results, and share of wrong ones among them. */
  curve: [number, number][];
  excluded: number;
  without_answer: number;
}

/** A value with its 95% interval. */
export interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** A failure that is typical of the run. */
export interface ExampleFailure {
  id: string;
  verdict: string;
  /** The call that was predicted: "f('a')". */
  call: string;
  /** The source line that was executed before the divergence. */
  line: string;
  step: number;
  where: string;
  variable: string | null;
  /** Divergences with this cause, of all divergences of the run. */
  count: number;
  divergences: number;
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
  /** What the model was asked for and was given, a sentence each. */
  method: string[];
  /** The most important results in sentences. */
  headline: string;
  /** What the shares of imported predictions are of; "" if the run asked a model itself. */
  import_note: string;
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
  /** Null unless questions expect distributions and were asked repeatedly. */
  distributions: DistributionSummary | null;
  /** Null without a trust model. */
  trust: RunTrust | null;
  token_usage: TokenUsage;
  /** Null if they were not measured. */
  operations: Operations | null;
  /** The operations can be measured on request, which reads all traces. */
  can_measure_operations: boolean;
  interventions: Interventions | null;
  columns: Column[];
}
