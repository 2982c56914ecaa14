/** Curves, each with the same numbers in a table. */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { Length, Survival } from "../contract";
import { go } from "../navigate";
import { count, intervalText, partOf, percent, shareText } from "../numbers";
import { clip, visible } from "../visible";
import { Text } from "./text";
import { useColours } from "./theme";

const HEIGHT = 220;
/** A label on the x axis needs so many pixels a character, and so many beside. */
const [CHARACTER, BESIDE] = [7, 14];

interface Curve {
  /** What it shows, for those who cannot see it. */
  label: string;
  x: number[];
  y: (number | null)[];
  /** The band, where there is one. */
  low?: (number | null)[];
  high?: (number | null)[];
  /** What the x axis says at 0, 1, 2, …, where it is not numbers. */
  names?: string[];
  axis: string;
}

export function Lengths({ lengths, run, by }: { lengths: Length[]; run: number; by: string | null }) {
  const length = lengths.find((one) => one.by === by) ?? lengths[0];
  if (!length) return <p class="note">No lengths are known.</p>;
  const bins = length.bins;
  const names = bins.map((bin) => visible(clip(bin.group, 20)));
  return (
    <>
      <div class="switch" role="group" aria-label="length in">
        {lengths.map((one) => (
          <button
            type="button"
            aria-pressed={one === length}
            onClick={() => go({ page: "overview", run, by: one.by }, { replace: true })}
          >
            <Text of={one.by} />
          </button>
        ))}
      </div>
      <Plot
        label={`Share right by ${visible(length.by)}, with 95% intervals`}
        x={bins.map((_, at) => at)}
        y={bins.map((bin) => partOf(bin.share))}
        low={bins.map((bin) => bin.share.low)}
        high={bins.map((bin) => bin.share.high)}
        names={names}
        axis={visible(length.by)}
      />
      <Numbers heads={[length.by, "right", "95% interval"]}>
        {bins.map(({ group, share }) => [group, shareText({ ...share, low: null }), intervalText(share)])}
      </Numbers>
    </>
  );
}

export function SurvivalCurve({ survival }: { survival: Survival[] }) {
  if (survival.length === 0) return <p class="note">No steps are known.</p>;
  return (
    <>
      <Plot
        label="Share of samples right up to a step"
        x={survival.map((point) => point.step)}
        y={survival.map((point) => point.survival)}
        axis="step"
      />
      <Numbers heads={["step", "still right", "samples at risk"]}>
        {survival.map((point) => [count(point.step), percent(point.survival), count(point.at_risk)])}
      </Numbers>
    </>
  );
}

function Numbers({ heads, children }: { heads: string[]; children: string[][] }) {
  return (
    <details>
      <summary>the numbers</summary>
      <div class="scroll tall" tabIndex={0} role="region" aria-label="the numbers of the curve">
        <table>
          <thead>
            <tr>
              {heads.map((head) => (
                <th scope="col">
                  <Text of={head} />
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

function Plot(curve: Curve) {
  const place = useRef<HTMLDivElement>(null);
  const colours = useColours();
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const plot = new uPlot(options(element, curve), data(curve), element);
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [JSON.stringify(curve), colours]);
  return <div class="plot" ref={place} role="img" aria-label={curve.label} />;
}

function data({ x, y, low, high }: Curve): uPlot.AlignedData {
  return low && high ? [x, high, low, y] : [x, y];
}

function options(element: HTMLElement, curve: Curve): uPlot.Options {
  const text = colour(element, "--soft");
  const line = colour(element, "--accent");
  const grid = { stroke: colour(element, "--line"), width: 1 };
  const edge: uPlot.Series = { stroke: "transparent", points: { show: false } };
  const axis = { stroke: text, grid, ticks: grid, font: "12px system-ui", labelFont: "12px system-ui" };
  const value: uPlot.Series = { stroke: line, width: 2, points: { show: true, size: 7, fill: line } };
  const last = curve.x.at(-1) ?? 0;
  const names = curve.names;
  const longest = Math.max(...(names ?? curve.x.map(count)).map((name) => name.length));
  const told: Partial<uPlot.Axis> = {
    splits: (plot: uPlot) => sparse(curve.x, plot.width, longest * CHARACTER + BESIDE),
    values: (_: uPlot, splits: number[]) => splits.map((x) => names?.[x] ?? count(x)),
    filter: (_: uPlot, splits: number[]) => splits,
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      // Steps are told at 1, 2, 4, 8, …: far apart, so the axis is one of powers.
      x: names
        ? { time: false, range: [-0.5, last + 0.5] }
        : { time: false, distr: 3, log: 2, range: [0.9, Math.max(last, 2) * 1.1] },
      y: { range: [0, 1] },
    },
    axes: [
      { ...axis, label: curve.axis, labelSize: 20, size: 32, ...told },
      { ...axis, size: 52, values: (_, splits) => splits.map((part) => `${Math.round(100 * part)}%`) },
    ],
    series: curve.low ? [{}, edge, edge, value] : [{}, value],
    bands: curve.low ? [{ series: [1, 2], fill: colour(element, "--band") }] : [],
  };
}

/** As many of the points as have room for a label. */
function sparse(x: number[], width: number, label: number): number[] {
  const every = Math.max(Math.ceil((x.length * label) / Math.max(width - 60, 1)), 1);
  return x.filter((_, at) => at % every === 0);
}

/** What a colour of the styles is at this moment. */
function colour(element: HTMLElement, name: string): string {
  const probe = element.appendChild(document.createElement("span"));
  probe.style.color = `var(${name})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}
