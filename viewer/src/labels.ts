/** Labels: the words shown for identifiers, columns and runs. The report contains those of the identifiers. */
import type { ReportDocument } from "./api";
import { shorten } from "./escape";

/** Columns whose values are Worldline's own identifiers; the others contain a benchmark's words. */
const IDENTIFIER_COLUMNS = new Set([
  "verdict",
  "outcome",
  "where",
  "differs_in",
  "cause",
  "action_error",
  "possibility",
]);

const labels = new Map<string, string>();
/** Labels that depend on the column, by column and identifier. */
let columnLabels: ReportDocument["column_labels"] = {};

export function setLabels(all: Record<string, string>, byColumn: ReportDocument["column_labels"] = {}): void {
  labels.clear();
  for (const [identifier, text] of Object.entries(all)) labels.set(identifier, text);
  columnLabels = byColumn;
}

/** "copy_error" -> "Copy error"; an identifier without a label is returned as it is. */
export function label(identifier: string): string {
  return labels.get(identifier) ?? identifier;
}

/**
 * The value of a column as shown: its label if it is an identifier, "No value" for the kind "-".
 *
 * "verdict", "correct" -> "Correct"; "outcome", "correct" -> "Same execution"
 */
export function columnLabel(column: string, value: string): string {
  if (column === "kind" && value === "-") return "No value";
  const byColumn = columnLabels[column];
  if (byColumn && Object.hasOwn(byColumn, value)) return byColumn[value] ?? value;
  return IDENTIFIER_COLUMNS.has(column) ? label(value) : value;
}

/** "copy_error" -> "Copy error" */
export function causeLabel(cause: string): string {
  return columnLabel("cause", cause);
}

/** Names of measures that the page shows in other words. */
const MEASURES = new Map([
  ["outcome", "Trace"],
  ["kind", "Kind of value"],
  ["kinds", "Kinds in the program"],
]);

/** "call_depth" -> "Call depth": the name of a measure or a facet as shown; an outcome is that of a trace. */
export function measureLabel(name: string): string {
  const shown = MEASURES.get(name);
  if (shown !== undefined) return shown;
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The last part of a run's path; the whole path if two runs have the same last part. */
export function runLabel({ runs }: ReportDocument, index: number): string {
  const lastParts = runs.map((run) => run.name.split("/").findLast((part) => part !== "") ?? run.name);
  const isUnique = new Set(lastParts).size === lastParts.length;
  return shorten((isUnique ? lastParts[index] : runs[index]?.name) ?? "", 60);
}
