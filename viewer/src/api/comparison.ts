/** Comparison of two runs. */

import type { Difference, Share } from "./runDocument";

/** Gains and losses in one group of the shared samples. */
export interface GroupChange {
  by: string;
  /** By the diagnosis of samples whose answer is not correct in one of the runs, not by a property of the question. */
  is_of_failures: boolean;
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

/** A quantity that is compared, as text; "" for what there is not. */
export interface Quantity {
  /** "Correct, of 200 shared samples" */
  name: string;
  a: string;
  b: string;
  /** From A to B. */
  change: string;
  /** The 95% interval of the change. */
  interval: string;
  p: string;
}

export interface Comparison {
  headline: string;
  /** A line for each setting that differs between the runs. */
  settings: string[];
  /** What a difference in the mode means; "" if the modes are the same. */
  mode_note: string;
  quantities: Quantity[];
  /** Which samples are not compared, and how repeats count. */
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
