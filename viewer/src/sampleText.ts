/** A sample as text to paste elsewhere: Markdown, and the command that shows it. */
import type { SampleDocument } from "./api";
import { shortenAround } from "./escape";
import { causeLabel, label } from "./labels";

/** Characters of a value in Markdown. */
const MAX_VALUE_CHARS = 300;

/** The diagnosis and the program as Markdown, for an issue or a chat. */
export function toMarkdown(sample: SampleDocument, run: string, address: string): string {
  const { divergence, cause } = sample;
  const lines = [`**${sample.id}**: ${sample.summary}`, ""];
  if (divergence) {
    const place = [label(divergence.where), divergence.variable === null ? "" : `\`${divergence.variable}\``];
    lines.push(`First divergence at step ${divergence.step}: ${place.join(" ").trim()}`, "");
    const { actual, predicted } = divergence;
    lines.push(`- actual: ${value(actual, predicted)}`, `- predicted: ${value(predicted, actual)}`);
    if (cause !== null) lines.push(`- cause: ${causeLabel(cause)}`);
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

/** A value as inline code; a long one is shortened around what differs from the other value. */
function value(text: string, other: string): string {
  return text === "" ? "nothing" : code(shortenAround(text, other, MAX_VALUE_CHARS));
}

/** Inline code, with as many backticks as the text needs. */
function code(text: string): string {
  const fence = "`".repeat(longestRun(text) + 1);
  const space = /^`|`$/.test(text) ? " " : "";
  return `${fence}${space}${text}${space}${fence}`;
}

function fenceFor(text: string): string {
  return "`".repeat(Math.max(3, longestRun(text) + 1));
}

/** The largest number of backticks in a row. */
function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
