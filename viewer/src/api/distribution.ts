/** Exact distributions of results next to the predicted ones; built by distribution_document.py. */
import type { Share } from "./runDocument";

/** A distance with its 95% interval, and what 95% of as many draws from the exact distribution do not exceed. */
export interface Distance {
  value: number;
  low: number;
  high: number;
  chance: number;
}

/** A result of the program, or one that it cannot have. */
export interface OutcomeShare {
  value: string;
  /** The exact probability as a fraction: "1/6"; null if the result is impossible. */
  exact: string | null;
  probability: number;
  /** Number of answers that give it. */
  predicted: number;
}

/** How well the answers agree with the exact distribution. */
export interface DistributionScore {
  predictions: number;
  impossible: number;
  total_variation: Distance;
  jensen_shannon: Distance;
  log_score: number;
  best_log_score: number;
}

/** The results of one question: their probabilities, and how often each was answered. */
export interface ResultDistribution {
  /** Possible results first. */
  outcomes: OutcomeShare[];
  /** Possible results, with those left out. */
  possible: number;
  /** Outcomes that are left out. */
  omitted: number;
  /** Answers of all repeats. */
  predictions: number;
  /** The outcome that the shown sample answers. */
  own: string | null;
  /** Null with fewer than two answers. */
  score: DistributionScore | null;
}

export interface QuestionDistance {
  question: string;
  /** The sample to open. */
  sample: string | null;
  /** Possible results. */
  possible: number;
  predictions: number;
  /** Answers that no execution gives. */
  impossible: number;
  /** Possible results that no answer gives. */
  never_predicted: number;
  total_variation: Distance;
  jensen_shannon: Distance;
}

/** The repeated answers of a run next to the exact distributions. */
export interface DistributionSummary {
  questions: number;
  impossible: Share;
  /** Means over the questions. */
  total_variation: number;
  jensen_shannon: number;
  /** Questions whose total variation is more than sampling noise. */
  beyond_chance: Share;
  log_score: number;
  best_log_score: number;
  /** The largest total variation first. */
  by_question: QuestionDistance[];
}
