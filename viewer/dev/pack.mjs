/**
 * Puts documents into the built page, as Python does: node dev/pack.mjs documents.json page.html
 *
 * documents.json: {"report": ReportDocument, "rows": Cell[][][], "samples": SampleDocument[][]}
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const BUILT = new URL("../../src/worldline/viewer/page/index.html", import.meta.url);

/** The page in the file form, with the policy it will have. */
export function pack({ report, rows, samples }) {
  const page = readFileSync(BUILT, "utf8");
  const packed = samples.map((run) => run.map((sample) => gzipSync(toJson(sample)).toString("base64")));
  const data = [script("report", report), script("rows", rows), script("samples", packed)].join("\n");
  return page.replace("<!--worldline-csp-->", () => policy(page)).replace("<!--worldline-data-->", () => data);
}

function policy(page) {
  const code = [...page.matchAll(/<script[^>]*>(.*?)<\/script>/gs)].map((match) => match[1]);
  if (code.length !== 1) throw new Error(`the page has ${code.length} scripts, not one`);
  const hash = createHash("sha256").update(code[0]).digest("base64");
  const rules = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'; base-uri 'none'; form-action 'none'`;
  return `<meta http-equiv="Content-Security-Policy" content="${rules}">`;
}

/** JSON in ASCII, as Python writes it. */
function toJson(value) {
  return JSON.stringify(value).replace(
    /[^\x00-\x7f]/g,
    (unit) => "\\u" + unit.charCodeAt(0).toString(16).padStart(4, "0"),
  );
}

function script(id, value) {
  return `<script type="application/json" id="${id}">${toJson(value).replaceAll("<", "\\u003c")}</script>`;
}

if (process.argv[1]?.endsWith("pack.mjs")) {
  const [, , documents, page] = process.argv;
  writeFileSync(page, pack(JSON.parse(readFileSync(documents, "utf8"))));
}
