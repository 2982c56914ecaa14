/** Definitions of terms, codes and columns, from the tables of the documentation: they are written there only. */
import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

/** The pages with tables of definitions, relative to this folder. */
const PAGES = [
  "../docs/glossary.md",
  "../docs/reference/diagnosis.md",
  "../docs/reference/causes.md",
  "../docs/reference/runs.md",
];
/** For the first heading of each table that is read: the cell with the definition, and the number of cells. */
const TABLES: Record<string, [definition: number, cells: number]> = {
  term: [1, 3],
  outcome: [1, 3],
  verdict: [1, 2],
  differs_in: [1, 2],
  action_error: [1, 2],
  cause: [1, 3],
  column: [2, 3],
};
const MODULE = "virtual:definitions";

/**
 * The definitions of a page in Markdown: "cause:copy_error" to "the value only had to be copied: …".
 *
 * A row defines every `code` or **term** in its first cell; a code with two rows has both definitions.
 */
export function parseDefinitions(page: string): Map<string, string> {
  const definitions = new Map<string, string>();
  let kind: string | null = null;
  for (const line of page.split("\n")) {
    const cells = line.startsWith("|")
      ? line
          .split("|")
          .slice(1, -1)
          .map((cell) => cell.trim())
      : [];
    if (cells.length === 0) kind = null;
    else if (kind === null) {
      const heading = plainText(cells[0] ?? "");
      kind = TABLES[heading]?.[1] === cells.length ? heading : "";
    } else if (kind !== "") {
      const text = plainText(cells[TABLES[kind]?.[0] ?? 1] ?? "");
      for (const [, code, term] of (cells[0] ?? "").matchAll(/`([^`]+)`|\*\*([^*]+)\*\*/g)) {
        const key = `${kind}:${code ?? term}`;
        const before = definitions.get(key);
        if (text) definitions.set(key, before === undefined ? text : `${before}; or ${text}`);
      }
    }
  }
  return definitions;
}

/** "**a** `b` *c* [d](e.md)" -> "a b c d" */
function plainText(markdown: string): string {
  return markdown
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\*\*|`/g, "")
    .replace(/\*(\w+)\*/g, "$1");
}

/** Provides the definitions of all pages as the module `virtual:definitions`. */
export function definitions(): Plugin {
  return {
    name: "definitions",
    resolveId: (id) => (id === MODULE ? "\0" + MODULE : null),
    load(id) {
      if (id !== "\0" + MODULE) return null;
      const files = PAGES.map((page) => new URL(page, import.meta.url).pathname);
      files.forEach((file) => this.addWatchFile(file));
      const all = new Map(files.flatMap((file) => [...parseDefinitions(readFileSync(file, "utf8"))]));
      return `export default ${JSON.stringify(Object.fromEntries(all))};`;
    },
  };
}
