/** Runs as people call them. */
import type { ReportDocument } from "./contract";
import { clip } from "./visible";

/** The end of a run's path, where it tells the runs apart. */
export function nameOf({ runs }: ReportDocument, index: number): string {
  const ends = runs.map((run) => run.name.split("/").findLast((part) => part !== "") ?? run.name);
  const isClear = new Set(ends).size === ends.length;
  return clip((isClear ? ends[index] : runs[index]?.name) ?? "", 60);
}
