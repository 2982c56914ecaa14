/** Comparison of two runs. */

import type { Difference, Share } from "./runDocument";

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
