/** A sample as text to paste elsewhere: Markdown, and the command that shows it. */
import type { SampleDocument } from "./api";
import { label } from "./labels";

/** Characters of a value in Markdown. */
const MAX_VALUE_CHARS = 300;

/** The diagnosis and the program as Markdown, for an issue or a chat. */
export function toMarkdown(sample: SampleDocument, run: string, address: string): string {
  const { divergence, cause } = sample;
  const lines = [`**${sample.id}**: ${sample.summary}`, ""];
  if (divergence) {
    const place = [label(divergence.where), divergence.variable === null ? "" : `\`${divergence.variable}\``];
    lines.push(`First divergence at step ${divergence.step}: ${place.join(" ").trim()}`, "");
    lines.push(`- predicted: ${code(divergence.predicted)}`, `- actual: ${code(divergence.actual)}`);
    if (cause !== null) lines.push(`- cause: ${label(cause)}`);
    lines.push("");
  }
  const fence = fenceFor(sample.source);
  lines.push(
    `${fence}${sample.language ?? "python"}`,
    sample.source.trimEnd(),
    fence,
    "",
    code(toCommand(sample, run)),
  );
  if (/^https?:/.test(address)) lines.push("", address);
  return lines.join("\n") + "\n";
}

/** worldline show runs/a sample_4 */
export function toCommand(sample: SampleDocument, run: string): string {
  return `worldline show ${quoteArgument(run)} ${quoteArgument(sample.id)}`;
}

/** A shell argument; one with special characters is quoted. */
function quoteArgument(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`;
}

/** Inline code, with as many backticks as the text needs. */
function code(text: string): string {
  const shown = text.length > MAX_VALUE_CHARS ? text.slice(0, MAX_VALUE_CHARS) + "…" : text;
  const fence = "`".repeat(longestRun(shown) + 1);
  const space = /^`|`$/.test(shown) ? " " : "";
  return `${fence}${space}${shown}${space}${fence}`;
}

function fenceFor(text: string): string {
  return "`".repeat(Math.max(3, longestRun(text) + 1));
}

/** The largest number of backticks in a row. */
function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
