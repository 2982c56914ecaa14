import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parseDefinitions } from "../definitions";
import { columnTerm, definedCodes, definitionOf, shownDefinition, valueTerm } from "../src/glossary";
import { setLabels } from "../src/labels";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

/** The identifiers in a block of a Python file. */
function identifiers(path: string, pattern: RegExp): string[] {
  const block = pattern.exec(read(path))?.[1] ?? "";
  return [...block.matchAll(/^ +"([\w-]+)"/gm)].map(([, name]) => name ?? "");
}

/** The labels of a Python file: identifiers to words. */
function labelsOf(path: string): Record<string, string> {
  return Object.fromEntries(
    [...read(path).matchAll(/^ +"([\w-]+)": "(.*)",$/gm)].map(([, code, text]) => [code, text]),
  );
}

const SAMPLE_COLUMNS = [
  ...identifiers("src/worldline/interfaces/viewer/sample_table.py", /^_COLUMN_TITLES = \{\n([^}]*)\}/m),
  "trust",
];
/** The words of the glossary that the components of the page define. */
const PAGE_TERMS = readdirSync(new URL("../src/views/", import.meta.url)).flatMap((file) =>
  [...read(`viewer/src/views/${file}`).matchAll(/"((?:term|column):[\w -]+)"/g)].map(([, term]) => term ?? ""),
);

test("rows of a table define the codes and terms of their first cell", () => {
  const page =
    "| term | definition | replaces |\n|---|---|---|\n| **a**, **b** | See [c](c.md), *n* and `d`. | |\n\n" +
    "| file | content |\n|---|---|\n| `x` | not read |\n\n" +
    "| cause | matches if | example |\n|---|---|---|\n| `p`, `q` | one | |\n| `p` | two | |\n";
  expect([...parseDefinitions(page)]).toEqual([
    ["term:a", "See c, n and d."],
    ["term:b", "See c, n and d."],
    ["cause:p", "one; or two"],
    ["cause:q", "one"],
  ]);
});

test("every cause has a definition", () => {
  const causes = identifiers("src/worldline/analysis/diagnosis/causes.py", /^CauseName = Literal\[\n([^\]]*)\]/m);
  expect(causes.length).toBeGreaterThan(25);
  for (const cause of causes) expect(definitionOf(`cause:${cause}`), cause).not.toBeNull();
});

test("every outcome, verdict, place and action error has a definition", () => {
  const outcomes = identifiers("src/worldline/analysis/diagnosis/facts.py", /^Outcome = Literal\[\n([^\]]*)\]/m);
  const verdicts = identifiers("src/worldline/evaluation/runs/scored_sample.py", /^Verdict = Literal\[\n([^\]]*)\]/m);
  const errors = identifiers(
    "src/worldline/analysis/diagnosis/action_errors.py",
    /^ActionKind = Literal\[\n([^\]]*)\]/m,
  );
  expect([outcomes.length, verdicts.length]).toEqual([8, 5]);
  expect(errors.length).toBeGreaterThan(10);
  for (const code of outcomes) expect(definitionOf(`outcome:${code}`), code).not.toBeNull();
  for (const code of verdicts) expect(definitionOf(`verdict:${code}`), code).not.toBeNull();
  for (const code of errors) expect(definitionOf(`action_error:${code}`), code).not.toBeNull();
  for (const code of ["argument", "state", "action", "return", "exception", "end"])
    expect(definitionOf(valueTerm("where", code) ?? ""), code).not.toBeNull();
});

test("every column of the sample table has a definition", () => {
  expect(SAMPLE_COLUMNS).toContain("where");
  for (const column of SAMPLE_COLUMNS) expect(definitionOf(columnTerm(column)), column).not.toBeNull();
});

test("the codes of a kind are listed in order", () => {
  expect(definedCodes("verdict").map(([code]) => code)).toEqual([
    "correct",
    "incorrect",
    "no_answer",
    "truncated",
    "infra_error",
  ]);
  expect(definitionOf("constructor")).toBeNull();
});

test("the page shows the labels of codes in definitions, never the codes", () => {
  setLabels(
    { correct: "Correct", truncated: "Truncated", return: "Return value" },
    { outcome: { correct: "Same execution", truncated: "Ends too early" } },
  );
  expect(shownDefinition("column:outcome")).toContain("“Same execution”, “diverged”, …");
  expect(shownDefinition("term:outcome")).toContain("“Ends too early”");
  expect(shownDefinition("column:verdict")).toContain("“Correct”");
  expect(shownDefinition("column:differs_in")).toContain("“Return value”");
  expect(shownDefinition("cause:truncated")).toBe(definitionOf("cause:truncated"));
  setLabels({});
});

test("definitions that the page shows have no identifiers", () => {
  const columns = [...SAMPLE_COLUMNS, "action_error"].map(columnTerm);
  const codes = ["verdict", "outcome", "differs_in", "cause", "action_error"].flatMap((kind) =>
    definedCodes(kind).map(([code]) => `${kind}:${code}`),
  );
  setLabels(labelsOf("src/worldline/analysis/diagnosis/labels.py"));
  for (const term of [...columns, ...PAGE_TERMS, ...codes]) {
    expect(shownDefinition(term), term).not.toBeNull();
    expect(shownDefinition(term), term).not.toMatch(/[a-z]_[a-z]|[*`]/);
  }
  setLabels({});
});
