/**
 * Embed documents in the built page, as html_report.py does: node dev/embed.mjs documents.json page.html
 *
 * documents.json: {"report": ReportDocument, "rows": Cell[][][], "samples": SampleDocument[][]}
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUILT_PAGE = new URL("../../src/worldline/interfaces/viewer/page/index.html", import.meta.url);

/** The page with its documents and its Content-Security-Policy. */
export function embed({ report, rows, samples }) {
  const page = readFileSync(BUILT_PAGE, "utf8");
  const compressed = samples.map((run) => run.map((sample) => gzipSync(toJson(sample)).toString("base64")));
  const data = [script("report", report), script("rows", rows), script("samples", compressed)].join("\n");
  return page.replace("<!--worldline-csp-->", () => policy(page)).replace("<!--worldline-data-->", () => data);
}

function policy(page) {
  const code = [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map((match) => match[1]);
  if (code.length !== 1) throw new Error(`the page must have one script, but has ${code.length}`);
  const hash = createHash("sha256").update(code[0]).digest("base64");
  const rules = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'`;
  return `<meta http-equiv="Content-Security-Policy" content="${rules}">`;
}

/** JSON in ASCII, like Python's json.dumps. */
function toJson(value) {
  return JSON.stringify(value).replace(
    /[^\x00-\x7f]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

function script(id, value) {
  return `<script type="application/json" id="${id}">${toJson(value).replaceAll("<", "\\u003c")}</script>`;
}

if (process.argv[1]?.endsWith("embed.mjs")) {
  const [, , documents, page] = process.argv;
  writeFileSync(page, embed(JSON.parse(readFileSync(documents, "utf8"))));
}
