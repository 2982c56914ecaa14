/** How far the results of a run can be trusted. */
import type { MeasuredTrust, RunTrust, Trust } from "../api";
import { formatCount, formatPercent, formatShare, pluralize } from "../numberFormat";
import { NumberTable } from "./charts";
import { LineChart } from "./svgChart";

export function TrustView({ trust }: { trust: RunTrust }) {
  const { measured } = trust;
  return (
    <>
      <p>{promiseText(trust)}</p>
      <p class="note">
        {measured === null
          ? "The trust model was fitted on all programs of this run, so its quality is not measured here."
          : qualityText(measured)}
      </p>
      {measured !== null && <RiskCoverageChart {...measured} />}
    </>
  );
}

/** What the threshold promises, and how many results are above it. */
export function promiseText({ results, trusted, threshold, max_wrong, confidence }: RunTrust): string {
  const promise =
    `The promise: at most ${wholePercent(max_wrong)} wrong among the trusted results, ` +
    `with ${wholePercent(confidence)} confidence.`;
  if (threshold !== null)
    return (
      `${promise} ${formatCount(trusted)} of ${pluralize(results, "result")} are trusted: those with a probability of ` +
      `${formatPercent(threshold)} or more.`
    );
  return (
    `${promise} No threshold keeps it, so that no result is trusted. ` +
    "The probabilities of the samples are still shown; they are estimates."
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
  const sentences = [`Correct on programs that the trust model was not fitted on: ${formatShare(correct)}`];
  if (correct_trusted !== null && correct_trusted.of > 0)
    sentences.push(`Among the trusted results: ${formatShare(correct_trusted)}`);
  if (auroc !== null)
    sentences.push(
      `AUROC ${auroc.value.toFixed(3)} (${auroc.low.toFixed(3)} to ${auroc.high.toFixed(3)}); chance is 0.5`,
    );
  if (excluded > 0)
    sentences.push(`${pluralize(excluded, "result")} left out: the trust model was fitted on their programs`);
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
