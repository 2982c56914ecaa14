/** Definitions of codes, columns and terms. The documentation is their only source (viewer/definitions.ts). */
import definitions from "virtual:definitions";
import { columnLabel } from "./labels";

/** A key of the definitions: "cause:copy_error", "column:differs_in", "term:divergence". */
export type Term = `${"action_error" | "cause" | "column" | "differs_in" | "outcome" | "term" | "verdict"}:${string}`;

/** Columns of the sample table that have another name in a run. */
const RUN_COLUMNS: Record<string, string> = {
  id: "sample",
  where: "differs_in",
  predicted: "predicted_value",
  actual: "actual_value",
  steps: "actual_steps",
  tokens: "usage_completion",
};
/** A column that no run has: a trust model adds it. */
const TRUST_COLUMN = "trust";
/** A kind of codes: that of a column whose values are codes. */
type CodeKind = "action_error" | "cause" | "differs_in" | "outcome" | "verdict";

/** Columns of the sample table whose values are codes, with the kind of these codes. */
const CODE_COLUMNS: Record<string, CodeKind> = {
  verdict: "verdict",
  outcome: "outcome",
  where: "differs_in",
  differs_in: "differs_in",
  cause: "cause",
  action_error: "action_error",
};

/** "cause:copy_error" -> "the value only had to be copied: …"; null if there is no definition. */
export function definitionOf(term: string): string | null {
  return Object.hasOwn(definitions, term) ? (definitions[term] ?? null) : null;
}

/** Definitions that list codes, with the kind of these codes. */
const CODE_LISTS: Record<string, CodeKind> = {
  "column:action_error": "action_error",
  "column:differs_in": "differs_in",
  "column:outcome": "outcome",
  "column:verdict": "verdict",
  "term:divergence": "differs_in",
  "term:outcome": "outcome",
};

/** The definition as the page shows it: with the labels of the codes that it lists ("Ends too early" for `truncated`). */
export function shownDefinition(term: string): string | null {
  const definition = definitionOf(term);
  const kind = CODE_LISTS[term];
  if (definition === null || kind === undefined) return definition;
  const codes = definedCodes(kind).map(([code]) => code);
  const pattern = new RegExp(`\\b(?:${codes.join("|")})\\b`, "g");
  return definition.replace(pattern, (code) => `“${columnLabel(kind, code)}”`);
}

/** "where" -> "column:differs_in" */
export function columnTerm(column: string): Term {
  if (column === TRUST_COLUMN) return "term:trust";
  return `column:${RUN_COLUMNS[column] ?? column}`;
}

/** "cause", "copy_error" -> "cause:copy_error"; undefined if the values of the column are not codes. */
export function valueTerm(column: string, value: string): Term | undefined {
  const kind = CODE_COLUMNS[column];
  return kind && `${kind}:${value}`;
}

/** The codes of a kind with their definitions, in the order of the documentation. */
export function definedCodes(kind: string): [code: string, definition: string][] {
  return Object.entries(definitions)
    .filter(([term]) => term.startsWith(`${kind}:`))
    .map(([term, definition]) => [term.slice(kind.length + 1), definition]);
}
