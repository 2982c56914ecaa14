/** The results of a program with chance: their exact probabilities next to the shares of the answers. */
import type { Distance, OutcomeShare, ResultDistribution } from "../api";
import { shorten } from "../escape";
import { formatCount, formatPercent, pluralize } from "../numberFormat";
import { Text } from "./text";

const MAX_VALUE_CHARS = 60;

export function DistributionView({ distribution }: { distribution: ResultDistribution }) {
  const { outcomes, omitted, predictions, own, score } = distribution;
  const share = ({ predicted }: OutcomeShare) => (predictions ? predicted / predictions : 0);
  const largest = Math.max(...outcomes.map((each) => Math.max(each.probability, share(each))), 0.01);
  return (
    <section class="panel distribution" aria-label="Distribution of results">
      <h2>Results: exact distribution and {pluralize(predictions, "prediction")}</h2>
      <p class="legend">
        <span class="key exact-part" /> exact probability <span class="key predicted-part" /> share of the predictions
        {outcomes.some(({ exact }) => exact === null) && (
          <>
            {" "}
            <span class="key impossible-part" /> predicted, but impossible
          </>
        )}
      </p>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="Table of results">
        <table class="outcomes">
          <thead>
            <tr>
              <th scope="col">Result</th>
              <th scope="col">
                <span class="visually-hidden">Bars</span>
              </th>
              <th scope="col" class="number">
                Exact
              </th>
              <th scope="col" class="number">
                Predicted
              </th>
              <th scope="col">
                <span class="visually-hidden">Remark</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {outcomes.map((outcome) => (
              <OutcomeRow
                outcome={outcome}
                share={share(outcome)}
                largest={largest}
                isOwn={outcome.value === own}
                hasShares={predictions > 0}
              />
            ))}
          </tbody>
        </table>
      </div>
      {omitted > 0 && <p class="note">{pluralize(omitted, "less probable result")} left out.</p>}
      {score && (
        <dl class="facts distances">
          <DistanceFact name="Total variation" distance={score.total_variation} />
          <DistanceFact name="Jensen–Shannon distance" distance={score.jensen_shannon} />
          <div>
            <dt>Log score</dt>
            <dd>
              {formatBits(score.log_score)} bits (best possible {formatBits(score.best_log_score)})
            </dd>
          </div>
          <div>
            <dt>Impossible</dt>
            <dd>
              {formatCount(score.impossible)} of {pluralize(score.predictions, "prediction")}
            </dd>
          </div>
        </dl>
      )}
      {score && <p class="note">{MEASURES_NOTE}</p>}
    </section>
  );
}

/** How the measures are defined; distribution_distance.py computes them. */
export const MEASURES_NOTE =
  "The Jensen–Shannon distance is the square root of the divergence in bits. For the log score, one half is added to the " +
  "number of predictions of each outcome, so that an outcome that was never predicted has a probability.";

interface OutcomeProps {
  outcome: OutcomeShare;
  share: number;
  /** The largest share, which takes the whole width. */
  largest: number;
  /** The shown sample has this answer. */
  isOwn: boolean;
  hasShares: boolean;
}

function OutcomeRow({ outcome, share, largest, isOwn, hasShares }: OutcomeProps) {
  const { value, exact, probability, predicted } = outcome;
  const remarks = [
    ...(exact === null ? ["impossible"] : hasShares && predicted === 0 ? ["never predicted"] : []),
    ...(isOwn ? ["this sample"] : []),
  ];
  const style = exact === null ? "impossible" : predicted === 0 && hasShares ? "never" : undefined;
  return (
    <tr class={[style, isOwn && "own"].filter(Boolean).join(" ") || undefined}>
      <th scope="row">
        <bdi class="mono">
          <Text of={shorten(value, MAX_VALUE_CHARS)} marks="value" />
        </bdi>
      </th>
      <td class="bars">
        <svg viewBox="0 0 100 16" preserveAspectRatio="none" aria-hidden="true">
          <rect class="exact-part" x={0} y={1} width={(100 * probability) / largest} height={6} />
          <rect
            class={exact === null ? "impossible-part" : "predicted-part"}
            x={0}
            y={9}
            width={(100 * share) / largest}
            height={6}
          />
        </svg>
      </td>
      <td class="number">
        {exact === null ? (
          "0%"
        ) : (
          <>
            {formatPercent(probability)} {exact.length <= 7 && <span class="muted fraction">{exact}</span>}
          </>
        )}
      </td>
      <td class="number">
        {hasShares ? formatPercent(share) : "–"}{" "}
        {hasShares && <span class="muted fraction">{formatCount(predicted)}</span>}
      </td>
      <td class="remark">{remarks.join(", ")}</td>
    </tr>
  );
}

/** "0.317 (95% interval 0.272 to 0.383); more than sampling noise (up to 0.121)" */
export function distanceText({ value, low, high, chance }: Distance): string {
  const interval = `${value.toFixed(3)} (95% interval ${low.toFixed(3)} to ${high.toFixed(3)})`;
  const verdict = value > chance ? "more than sampling noise" : "within sampling noise";
  return `${interval}; ${verdict} (up to ${chance.toFixed(3)})`;
}

function DistanceFact({ name, distance }: { name: string; distance: Distance }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <span class="distance-scale">
          <span aria-hidden="true">0</span>
          <DistanceBar distance={distance} />
          <span aria-hidden="true">1</span>
        </span>
        {distanceText(distance)}
      </dd>
    </div>
  );
}

/** A line from 0 to 1: the band is the interval, the tick is the distance, the open part is what chance explains. */
export function DistanceBar({ distance }: { distance: Distance }) {
  const { value, low, high, chance } = distance;
  const position = (part: number) => `${(100 * Math.min(Math.max(part, 0), 1)).toFixed(2)}%`;
  return (
    <span class={value > chance ? "interval distance beyond" : "interval distance"} aria-hidden="true">
      <span class="chance" style={{ width: position(chance) }} />
      <span class="band" style={{ left: position(low), width: position(high - low) }} />
      <span class="tick" style={{ left: position(value) }} />
    </span>
  );
}

/** -3.2744 -> "−3.274" */
export const formatBits = (bits: number) => bits.toFixed(3).replace("-", "−");
