/** Accuracy over the checkpoints of one model. */
import type { Trend } from "../api";
import { escapeHidden, shorten } from "../escape";
import {
  formatCount,
  formatDifferenceInterval,
  formatPercent,
  formatPoints,
  formatPValue,
  shareValue,
} from "../numberFormat";
import { comparePath, runPath } from "../project/links";
import type { ProjectState } from "../project/state";
import { NumberHeadings } from "./elements";
import type { StateUpdate } from "./projectPage";
import { ShareCell } from "./shareBar";
import { LineChart, type Point } from "./svgChart";
import { Text } from "./text";

interface Props {
  trends: Trend[];
  isServed: boolean;
  state: ProjectState;
  update: StateUpdate;
}

export function TrendView({ trends, isServed, state, update }: Props) {
  const trend = trends.find((each) => each.name === state.trend) ?? trends[0];
  if (!trend) return null;
  const ofAll = state.of === "all";
  const shares = trend.points.map((point) => (ofAll ? point.of_all : point.of_answered));
  const [first, last] = [trend.points[0]?.step ?? 0, trend.points.at(-1)?.step ?? 0];
  const points = trend.points.map(({ step }, index): Point => {
    const share = shares[index];
    // A single checkpoint is in the middle.
    const at = last > first ? (step - first) / (last - first) : 0.5;
    return { at, name: formatCount(step), y: share ? shareValue(share) : null, low: share?.low, high: share?.high };
  });
  return (
    <>
      <div class="compared-runs">
        {trends.length > 1 && (
          <label>
            <span>Model</span>
            <select value={trend.name} onChange={(event) => update({ trend: event.currentTarget.value })}>
              {trends.map(({ name }) => (
                <option value={name}>{escapeHidden(shorten(name, 60))}</option>
              ))}
            </select>
          </label>
        )}
        <div class="switch" role="group" aria-label="Denominator">
          <button type="button" aria-pressed={!ofAll} onClick={() => update({ of: "answered" })}>
            Of answered
          </button>
          <button type="button" aria-pressed={ofAll} onClick={() => update({ of: "all" })}>
            Of all
          </button>
        </div>
      </div>
      <p>
        <Text of={trend.name} />
      </p>
      <LineChart
        title={`Share of correct samples by step of ${escapeHidden(trend.name)}, with 95% intervals`}
        description={points.map(({ name, y }) => `step ${name}: ${formatPercent(y)}`).join(", ")}
        axis="Step"
        points={points}
      />
      <details>
        <summary>Numbers, and the change from each checkpoint to the next</summary>
        <TrendTable trend={trend} shares={shares} isServed={isServed} />
      </details>
    </>
  );
}

function TrendTable({
  trend,
  shares,
  isServed,
}: {
  trend: Trend;
  shares: Trend["points"][0]["of_all"][];
  isServed: boolean;
}) {
  return (
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Numbers of the trend">
      <table>
        <thead>
          <tr>
            <NumberHeadings of={["Step"]} />
            <th scope="col">Run</th>
            <th scope="col">Correct</th>
            <NumberHeadings of={["Change", "95% interval", "Pairs", "p"]} />
          </tr>
        </thead>
        <tbody>
          {trend.points.map(({ run, step, change }, index) => {
            const before = trend.points[index - 1];
            const share = shares[index];
            return (
              <tr>
                <td class="number">{formatCount(step)}</td>
                <th scope="row">
                  {isServed ? (
                    <a href={runPath(run)}>
                      <Text of={run} />
                    </a>
                  ) : (
                    <Text of={run} />
                  )}
                </th>
                <td class="nowrap">{share && <ShareCell share={share} />}</td>
                {change === null || !before ? (
                  <td colSpan={4} />
                ) : (
                  <>
                    <td class="number">
                      {isServed ? (
                        <a href={comparePath(before.run, run)}>{formatPoints(change.value)}</a>
                      ) : (
                        formatPoints(change.value)
                      )}
                    </td>
                    <td class="number nowrap">{formatDifferenceInterval(change)}</td>
                    <td class="number">{formatCount(change.of)}</td>
                    <td class="number">{formatPValue(change.p)}</td>
                  </>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
