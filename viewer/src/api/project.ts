/** A folder of runs, and where the page gets it from. */

import type { FORMAT } from "./format";
import type { Accuracy, Difference, Share } from "./runDocument";

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
  /** Adjusted for the number of runs that share an answered sample with the baseline. */
  adjusted_p: number;
  /** Samples that only one of the two runs has. */
  not_shared: number;
  /** Whether every shared sample has the same verdict, as if the predictions were the same. */
  has_same_verdicts: boolean;
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
