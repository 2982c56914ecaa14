/** Tokens of the completions, and of the actual traces in other formats. */
import { useState } from "preact/hooks";
import type { DataSource, RunDocument, TokenUsage } from "../api";
import { errorMessage } from "../dataSource/errors";
import { formatCount, formatPercent, pluralize } from "../numberFormat";
import { TokenChart } from "./charts";
import { Defined } from "./defined";
import { NumberHeadings } from "./elements";
import { Message } from "./message";
import { Text } from "./text";

/** Whether there is anything to show: imported predictions have no limit and no counts. */
export function hasTokenUsage({ token_usage }: RunDocument): boolean {
  const { max_tokens, completion_tokens, formats, can_count } = token_usage;
  return max_tokens !== null || completion_tokens !== null || formats.length > 0 || can_count;
}

export function TokenUsageView({ data, run, index }: { data: DataSource; run: RunDocument; index: number }) {
  const [usage, setUsage] = useState(run.token_usage);
  const isScored = run.one_step_accuracy.length > 0;
  return (
    <>
      {!isScored && <p>{usageText(usage)}</p>}
      {usage.completion_tokens && usage.completion_tokens.bins.length > 1 && (
        <TokenChart bins={usage.completion_tokens.bins} />
      )}
      {usage.formats.length > 0 && <FormatTable formats={usage.formats} />}
      {usage.formats.length === 0 && !usage.can_count && data.isServed && (
        <p class="note">Add --tokenizer to the command to compare the token counts of other formats.</p>
      )}
      {usage.can_count && <CountButton data={data} index={index} onCounted={setUsage} />}
      {usage.tokenizer && (
        <p class="note">
          Tokens of the actual traces, counted with the tokenizer <Text of={usage.tokenizer} />.
        </p>
      )}
    </>
  );
}

/** "Limit: 1,024 tokens per sample. 3 samples truncated. Completion tokens: 28,410 in total, median 612, maximum 1,024." */
function usageText({ max_tokens, truncated, completion_tokens }: TokenUsage): string {
  const limit =
    max_tokens === null ? "The token limit is not recorded." : `Limit: ${formatCount(max_tokens)} tokens per sample.`;
  const samples = `${pluralize(truncated, "sample")} truncated.`;
  if (!completion_tokens) return `${limit} ${samples}`;
  const { total, median, max } = completion_tokens;
  const numbers = `${formatCount(total)} in total, median ${formatCount(median)}, maximum ${formatCount(max)}`;
  return `${limit} ${samples} Completion tokens: ${numbers}.`;
}

function FormatTable({ formats }: { formats: TokenUsage["formats"] }) {
  const first = formats[0]?.tokens ?? 0;
  const largest = Math.max(...formats.map((format) => format.tokens), 1);
  const hasLimit = formats.some((format) => format.fitting !== null);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Tokens by format">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <Defined term="term:codec">Format</Defined>
            </th>
            <NumberHeadings
              of={["Tokens", "Relative to the first", ...(hasLimit ? ["Traces within the limit"] : [])]}
            />
            <th scope="col" class="bar-cell">
              <span class="visually-hidden">Bar</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {formats.map((format) => (
            <tr>
              <th scope="row">
                <Text of={format.codec} />
              </th>
              <td class="number">{formatCount(format.tokens)}</td>
              <td class="number">{formatPercent(first ? format.tokens / first : null)}</td>
              {hasLimit && (
                <td class="number">
                  {format.fitting === null ? "–" : `${formatCount(format.fitting)} of ${formatCount(format.traces)}`}
                </td>
              )}
              <td class="bar-cell">
                <span class="bar" style={{ width: `${(100 * format.tokens) / largest}%` }} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Counts the formats on request, since that executes all programs of the run. */
function CountButton(props: { data: DataSource; index: number; onCounted: (usage: TokenUsage) => void }) {
  const { data, index, onCounted } = props;
  const [isCounting, setCounting] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const count = () => {
    setCounting(true);
    setError(null);
    data
      .tokenUsage(index)
      .then(onCounted, (reason: unknown) => setError(errorMessage(reason)))
      .finally(() => setCounting(false));
  };
  if (error !== null) return <Message text={error} retry={count} />;
  return (
    <button type="button" disabled={isCounting} onClick={count}>
      {isCounting ? "Executing all programs …" : "Count the tokens of other formats"}
    </button>
  );
}
