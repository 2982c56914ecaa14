/** One sample: its program, both executions and where they differ. */
import type { ResultDistribution } from "./distribution";

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
  /** The number of the thread; missing for the main thread, 0. */
  thread?: number;
  /** After the step, another thread runs although this one could continue; the line that it would execute next. */
  preempted_at?: number;
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
  /** The line whose execution led to the divergence. */
  executed_line: number | null;
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

/** How far a result can be trusted, by a trust model. */
export interface Trust {
  /** The probability that it is correct. */
  probability: number;
  /** The lowest trusted probability; null if no result can be trusted. */
  threshold: number | null;
  is_trusted: boolean;
  /** What lowers the probability most. */
  reasons: string[];
}

/** Whether some values of the program's choices, or some schedule of its threads, give the prediction. */
export interface Possibility {
  /** "possible", "impossible", "undecided" */
  outcome: string;
  sentence: string;
  /** Why it is impossible, or not decided; "" if it is possible. */
  reason: string;
}

/** The order of the threads of the actual execution. */
export interface Schedule {
  /** "0*5 1*2 2" */
  text: string;
  /** Switches away from a thread that could continue. */
  preemptions: number;
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
  /** Null without a trust model or an answer. */
  trust: Trust | null;
  /** Null for a program without choices. */
  possibility: Possibility | null;
  /** Null for an execution with one thread. */
  schedule: Schedule | null;
  /** Null unless the question expects a distribution of results. */
  distribution: ResultDistribution | null;
}
