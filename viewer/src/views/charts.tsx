/** Charts of the overview, each with a table of its numbers. */
import type { Calibration, LengthAccuracy, LengthBin, SurvivalPoint, TokenBin } from "../api";
import { escapeHidden, shorten } from "../escape";
import { measureLabel } from "../labels";
import { navigate } from "../navigation";
import { formatCount, formatInterval, formatPercent, formatShare, pluralize, shareValue } from "../numberFormat";
import { BarChart, LineChart, type Point } from "./svgChart";
import { Text } from "./text";

/** Steps up to which the axis of the survival curve is linear. */
const MAX_LINEAR_STEPS = 40;

export function LengthChart({ lengths, run, by }: { lengths: LengthAccuracy[]; run: number; by: string | null }) {
  const length = lengths.find((one) => one.by === by) ?? lengths[0];
  if (!length) return null;
  const title = measureLabel(length.by);
  const bins = fillBins(length.bins);
  const points = bins.map(({ group, share }, index): Point => {
    const name = escapeHidden(shorten(group, 20));
    const at = (index + 0.5) / bins.length;
    return { at, name, y: shareValue(share), low: share.low, high: share.high, samples: share.of };
  });
  return (
    <>
      <div class="switch" role="group" aria-label="Measure of length">
        {lengths.map((one) => (
          <button
            type="button"
            aria-pressed={one === length}
            onClick={() => navigate({ page: "overview", run, by: one.by }, { replace: true })}
          >
            <Text of={measureLabel(one.by)} />
          </button>
        ))}
      </div>
      <LineChart
        title={`Share of correct samples by ${escapeHidden(length.by)}, with 95% intervals`}
        description={describe(points)}
        axis={escapeHidden(title)}
        points={points}
      />
      <NumberTable headings={[title, "Correct", "95% interval"]}>
        {bins.map(({ group, share }) => [group, formatShare({ ...share, low: null }), formatInterval(share)])}
      </NumberTable>
    </>
  );
}

/** The bins with the empty ones between them, if they end at powers of two: "4–7", "16–31" -> "4–7", "8–15", "16–31" */
export function fillBins(bins: LengthBin[]): LengthBin[] {
  const positions = bins.map(({ group }) => binPosition(group));
  const [first, last] = [positions[0], positions.at(-1)];
  const isBinned = bins.some(({ group }) => group.includes("–"));
  if (!isBinned || positions.includes(null) || typeof first !== "number" || typeof last !== "number") return bins;
  return Array.from({ length: last - first + 1 }, (_, offset) => {
    const group = binName(first + offset);
    return bins.find((bin) => bin.group === group) ?? { group, share: { correct: 0, of: 0, low: null, high: null } };
  });
}

/** 0 -> "0", 1 -> "1", 2 -> "2–3", 3 -> "4–7", as in binning.py */
const binName = (position: number) => (position < 2 ? String(position) : `${2 ** (position - 1)}–${2 ** position - 1}`);

/** The inverse of `binName`; null for any other text. */
function binPosition(group: string): number | null {
  const low = Number(/^\d+/.exec(group)?.[0] ?? NaN);
  const position = low < 2 ? low : Math.floor(Math.log2(low)) + 1;
  return Number.isNaN(low) || binName(position) !== group ? null : position;
}

export function SurvivalChart({ survival }: { survival: SurvivalPoint[] }) {
  const last = Math.max(survival.at(-1)?.step ?? 1, 1);
  // Many steps: the axis is logarithmic.
  const position = (step: number) =>
    last > MAX_LINEAR_STEPS ? Math.log2(step + 1) / Math.log2(last + 1) : step / last;
  const points = survival.map((point): Point => {
    return { at: position(point.step), name: formatCount(point.step), y: point.survival };
  });
  return (
    <>
      <LineChart
        title="Share of predictions without a divergence, by step"
        description={describe(points)}
        axis="Step, from 0"
        points={points}
        isStepped
      />
      <p class="note">
        The curve falls at each step by the predictions that first diverge there. A truncated prediction counts up to
        its last step (Kaplan–Meier).
      </p>
      <NumberTable headings={["Step", "Without a divergence", "Samples at risk"]}>
        {survival.map((point) => [formatCount(point.step), formatPercent(point.survival), formatCount(point.at_risk)])}
      </NumberTable>
    </>
  );
}

/** Samples by the number of their completion tokens: correct ones, and the others above. */
export function TokenChart({ bins }: { bins: TokenBin[] }) {
  const total = bins.reduce((sum, bin) => sum + bin.tokens, 0);
  return (
    <>
      <BarChart
        title="Samples by completion tokens"
        description={bins
          .map((bin) => `${bin.group} tokens: ${pluralize(bin.samples, "sample")}, ${formatCount(bin.correct)} correct`)
          .join("; ")}
        axis="Completion tokens"
        bars={bins.map(({ group, samples, correct }) => ({
          name: group,
          parts: [
            { value: correct, style: "correct-part" },
            { value: samples - correct, style: "other-part" },
          ],
        }))}
      />
      <p class="legend">
        <span class="key correct-part" /> correct <span class="key other-part" /> not correct
      </p>
      <NumberTable headings={["Completion tokens", "Samples", "Correct", "Share of all tokens"]}>
        {bins.map(({ group, samples, correct, tokens }) => [
          group,
          formatCount(samples),
          formatPercent(correct / samples),
          formatPercent(total ? tokens / total : null),
        ])}
      </NumberTable>
    </>
  );
}

export function CalibrationChart({ calibration }: { calibration: Calibration }) {
  const { bins, questions, error } = calibration;
  const points = bins.map(({ confidence, correct }): Point => {
    const name = formatPercent(confidence).replace(/\.\d+/, "");
    return { at: confidence, name, y: shareValue(correct), low: correct.low, high: correct.high };
  });
  return (
    <>
      <p class="note">
        {pluralize(questions, "question")}. Confidence is the share of a question's repeats that give its most frequent
        answer. On the dashed line, it equals the accuracy; the mean distance is {formatPercent(error)}.
      </p>
      <LineChart
        title="Share of questions whose most frequent answer is correct, by confidence"
        description={describe(points)}
        axis="Confidence"
        points={points}
        hasDiagonal
      />
      <NumberTable headings={["Repeats that agree", "Mean confidence", "Correct", "95% interval"]}>
        {bins.map(({ low, high, confidence, correct }) => [
          `${Math.round(100 * low)}–${Math.round(100 * high)}%`,
          formatPercent(confidence),
          formatShare({ ...correct, low: null }),
          formatInterval(correct),
        ])}
      </NumberTable>
    </>
  );
}

/** "1: 98.0%, 2: 95.1%" */
function describe(points: Point[]): string {
  return points.map(({ name, y }) => `${name}: ${formatPercent(y)}`).join(", ");
}

export function NumberTable({ headings, children }: { headings: string[]; children: string[][] }) {
  return (
    <details>
      <summary>Numbers</summary>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="Numbers of the chart">
        <table>
          <thead>
            <tr>
              {headings.map((heading) => (
                <th scope="col">
                  <Text of={heading} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {children.map((row) => (
              <tr>
                {row.map((cell) => (
                  <td>
                    <Text of={cell} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
