/** Labels: the words shown for identifiers, columns and runs. The report contains those of the identifiers. */
import type { ReportDocument } from "./api";
import { shorten } from "./escape";

/** Columns whose values are Worldline's own identifiers; the others contain a benchmark's words. */
const IDENTIFIER_COLUMNS = new Set(["verdict", "outcome", "where", "differs_in", "cause", "action_error"]);

const labels = new Map<string, string>();

export function setLabels(all: Record<string, string>): void {
  labels.clear();
  for (const [identifier, text] of Object.entries(all)) labels.set(identifier, text);
}

/** "copy_error" -> "Copy error"; an identifier without a label is returned as it is. */
export function label(identifier: string): string {
  return labels.get(identifier) ?? identifier;
}

/** The value of a column as shown: its label if it is an identifier, "No value" for the kind "-". */
export function columnLabel(column: string, value: string): string {
  if (column === "kind" && value === "-") return "No value";
  return IDENTIFIER_COLUMNS.has(column) ? label(value) : value;
}

/** "call_depth" -> "Call depth": the name of a measure or a facet as shown. */
export function measureLabel(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The last part of a run's path; the whole path if two runs have the same last part. */
export function runLabel({ runs }: ReportDocument, index: number): string {
  const lastParts = runs.map((run) => run.name.split("/").findLast((part) => part !== "") ?? run.name);
  const isUnique = new Set(lastParts).size === lastParts.length;
  return shorten((isUnique ? lastParts[index] : runs[index]?.name) ?? "", 60);
}
