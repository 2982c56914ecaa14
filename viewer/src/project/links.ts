/** Addresses of the pages of runs, relative to the project page. */
import { encode } from "../route";

/** "sft/checkpoint-100" -> "run/sft%2Fcheckpoint-100/" */
export function runPath(id: string): string {
  return `run/${encode(id)}/`;
}

/** The comparison of two runs. */
export function comparePath(a: string, b: string): string {
  return `compare/${encode(a)}/${encode(b)}/#/compare`;
}
