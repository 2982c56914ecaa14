/** Charts, each with a table of its numbers. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { LengthAccuracy, SurvivalPoint } from "../api";
import { escapeHidden, shorten } from "../escape";
import { measureLabel } from "../labels";
import { navigate } from "../navigation";
import { formatCount, formatInterval, formatPercent, formatShare, shareValue } from "../numberFormat";
import { Text } from "./text";
import { useThemeVersion } from "./theme";

const HEIGHT = 220;
/** Pixels of a character of a label on the x axis, and between two labels. */
const [CHARACTER_WIDTH, LABEL_GAP] = [7, 14];

interface Chart {
  /** Description for screen readers. */
  label: string;
  x: number[];
  y: (number | null)[];
  /** The confidence band, if there is one. */
  low?: (number | null)[];
  high?: (number | null)[];
  /** Labels of x = 0, 1, 2, … for an axis without numbers. */
  names?: string[];
  axis: string;
  /** The x axis is linear instead of logarithmic. */
  isLinear?: boolean;
}

export function LengthChart({ lengths, run, by }: { lengths: LengthAccuracy[]; run: number; by: string | null }) {
  const length = lengths.find((one) => one.by === by) ?? lengths[0];
  if (!length) return null;
  const title = measureLabel(length.by);
  const bins = length.bins;
  const names = bins.map((bin) => escapeHidden(shorten(bin.group, 20)));
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
      <Plot
        label={`Share of correct samples by ${escapeHidden(length.by)}, with 95% intervals`}
        x={bins.map((_, index) => index)}
        y={bins.map((bin) => shareValue(bin.share))}
        low={bins.map((bin) => bin.share.low)}
        high={bins.map((bin) => bin.share.high)}
        names={names}
        axis={escapeHidden(title)}
      />
      <NumberTable headings={[title, "Correct", "95% interval"]}>
        {bins.map(({ group, share }) => [group, formatShare({ ...share, low: null }), formatInterval(share)])}
      </NumberTable>
    </>
  );
}

export function SurvivalChart({ survival }: { survival: SurvivalPoint[] }) {
  return (
    <>
      <Plot
        label="Share of predictions without a divergence, by step"
        x={survival.map((point) => point.step)}
        y={survival.map((point) => point.survival)}
        axis="Step"
      />
      <NumberTable headings={["Step", "Without a divergence", "Samples at risk"]}>
        {survival.map((point) => [formatCount(point.step), formatPercent(point.survival), formatCount(point.at_risk)])}
      </NumberTable>
    </>
  );
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

/** A line with its points, and with its confidence band if there is one. */
export function Plot(chart: Chart) {
  const container = useRef<HTMLDivElement>(null);
  const themeVersion = useThemeVersion();
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const plot = new uPlot(options(element, chart), data(chart), element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [JSON.stringify(chart), themeVersion]);
  return <div class="plot" ref={container} role="img" aria-label={chart.label} />;
}

function data({ x, y, low, high }: Chart): uPlot.AlignedData {
  return low && high ? [x, high, low, y] : [x, y];
}

function options(element: HTMLElement, chart: Chart): uPlot.Options {
  const text = colour(element, "--muted");
  const line = colour(element, "--accent");
  const grid = { stroke: colour(element, "--line"), width: 1 };
  const edge: uPlot.Series = { stroke: "transparent", points: { show: false } };
  const axis = { stroke: text, grid, ticks: grid, font: "12px system-ui", labelFont: "12px system-ui" };
  const value: uPlot.Series = { stroke: line, width: 2, points: { show: true, size: 7, fill: line } };
  const last = chart.x.at(-1) ?? 0;
  const names = chart.names;
  const longest = Math.max(...(names ?? chart.x.map(formatCount)).map((name) => name.length));
  const xAxis: Partial<uPlot.Axis> = {
    splits: (plot: uPlot) => everyNth(chart.x, plot.width, longest * CHARACTER_WIDTH + LABEL_GAP),
    values: (_: uPlot, splits: number[]) => splits.map((x) => names?.[x] ?? formatCount(x)),
    filter: (_: uPlot, splits: number[]) => splits,
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // Survival is measured at steps 1, 2, 4, 8, …: the axis is logarithmic.
      x: names
        ? { time: false, range: [-0.5, last + 0.5] }
        : chart.isLinear
          ? { time: false, range: padded(chart.x) }
          : { time: false, distr: 3, log: 2, range: [0.9, Math.max(last, 2) * 1.1] },
      y: { range: [0, 1] },
    },
    axes: [
      { ...axis, label: chart.axis, labelSize: 20, size: 32, ...xAxis },
      { ...axis, size: 52, values: (_, splits) => splits.map((part) => `${Math.round(100 * part)}%`) },
    ],
    series: chart.low ? [{}, edge, edge, value] : [{}, value],
    bands: chart.low ? [{ series: [1, 2], fill: colour(element, "--band") }] : [],
  };
}

/** The range of an axis, with some space at both ends. */
function padded(x: number[]): [number, number] {
  const [low, high] = [Math.min(...x), Math.max(...x)];
  const space = (high - low || 1) / 30;
  return [low - space, high + space];
}

/** Every n-th point, so that their labels do not overlap. */
function everyNth(x: number[], width: number, labelWidth: number): number[] {
  const n = Math.max(Math.ceil((x.length * labelWidth) / Math.max(width - 60, 1)), 1);
  return x.filter((_, index) => index % n === 0);
}

/** The current value of a CSS colour variable. */
function colour(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement("span"));
  probe.style.color = `var(${name})`;
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
