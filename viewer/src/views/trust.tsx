/** How far the results of a run can be trusted. */
import type { MeasuredTrust, RunTrust, Trust } from "../api";
import { formatCount, formatPercent, formatShare, pluralize } from "../numberFormat";
import { NumberTable } from "./charts";
import { LineChart } from "./svgChart";

export function TrustView({ trust: { results, trusted, threshold, measured } }: { trust: RunTrust }) {
  return (
    <>
      <p class="note">
        {threshold === null
          ? "No result can be trusted: no threshold keeps the promised share of wrong results."
          : `${formatCount(trusted)} of ${pluralize(results, "result")} are trusted, with a probability of ` +
            `${formatPercent(threshold)} or more.`}{" "}
        {measured === null
          ? "The trust model was fitted on all programs of this run, so its quality is not measured here."
          : qualityText(measured)}
      </p>
      {measured !== null && <RiskCoverageChart {...measured} />}
    </>
  );
}

function RiskCoverageChart({ curve }: MeasuredTrust) {
  return (
    <>
      <LineChart
        title="Share of wrong results among the trusted ones, by share of trusted results"
        description={curve.map(([coverage, wrong]) => `${formatPercent(coverage)}: ${formatPercent(wrong)}`).join(", ")}
        axis="Trusted results, the surest first"
        points={curve.map(([coverage, wrong]) => ({ at: coverage, name: wholePercent(coverage), y: wrong }))}
      />
      <NumberTable headings={["Trusted", "Wrong among them"]}>
        {curve.map(([coverage, wrong]) => [formatPercent(coverage), formatPercent(wrong)])}
      </NumberTable>
    </>
  );
}

function qualityText({ correct, correct_trusted, auroc, excluded }: MeasuredTrust): string {
  const sentences = [`Correct on programs that the model was not fitted on: ${formatShare(correct)}`];
  if (correct_trusted !== null && correct_trusted.of > 0)
    sentences.push(`Among the trusted results: ${formatShare(correct_trusted)}`);
  if (auroc !== null)
    sentences.push(`AUROC ${auroc.value.toFixed(3)} (${auroc.low.toFixed(3)} to ${auroc.high.toFixed(3)})`);
  if (excluded > 0) sentences.push(`${pluralize(excluded, "result")} left out: the model was fitted on their programs`);
  return `${sentences.join(". ")}.`;
}

/** "82%, trusted (from 71% on); lowered by 14 executed lines" */
export function trustText({ probability, threshold, is_trusted, reasons }: Trust): string {
  const limit = threshold === null ? "" : ` (from ${formatPercent(threshold)} on)`;
  const lowered = reasons.length > 0 ? `; lowered by: ${reasons.join("; ")}` : "";
  return `${formatPercent(probability)}, ${is_trusted ? "trusted" : "not trusted"}${limit}${lowered}`;
}

/** 0.333 -> "33%" */
function wholePercent(share: number): string {
  return `${Math.round(100 * share)}%`;
}
