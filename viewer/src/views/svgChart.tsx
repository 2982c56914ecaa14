/** Plain charts as inline SVG, in the colours of the theme: a line with its confidence band, and stacked bars. */
import { useEffect, useRef, useState } from "preact/hooks";
import { formatCount, formatPercent, pluralize } from "../numberFormat";

const HEIGHT = 220;
/** Height of a second line of labels below the chart. */
const SECOND_LINE = 15;
/** Room for the labels of the axes. */
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 14, 10, 44];
/** Pixels of a character of a label, and between two labels. */
const [CHARACTER_WIDTH, LABEL_GAP] = [6.7, 10];
const SHARES = [0, 0.25, 0.5, 0.75, 1];

interface Frame {
  /** Height of the drawing; by default that of a chart with one line of labels. */
  height?: number;
  /** What the chart shows, for screen readers. */
  title: string;
  /** Its most important numbers. */
  description: string;
  /** The title of the x axis. */
  axis: string;
}

export interface Point {
  /** Position from 0 to 1. */
  at: number;
  /** The label on the x axis. */
  name: string;
  /** A share from 0 to 1. */
  y: number | null;
  low?: number | null;
  high?: number | null;
  /** The number of samples, which is shown below the label. */
  samples?: number;
}

interface LineProps extends Frame {
  points: Point[];
  /** Adds the line on which the shares would equal their position. */
  hasDiagonal?: boolean;
  /** The share stays the same until the next point. */
  isStepped?: boolean;
}

/** Shares as a line. */
export function LineChart({ points, hasDiagonal = false, isStepped = false, ...frame }: LineProps) {
  const [box, width] = useWidth();
  const x = (at: number) => LEFT + at * (width - LEFT - RIGHT);
  const y = (share: number) => TOP + (1 - share) * (HEIGHT - TOP - BOTTOM);
  const hasSamples = points.some(({ samples }) => samples !== undefined);
  const height = HEIGHT + (hasSamples ? SECOND_LINE : 0);
  return (
    <div class="chart" ref={box}>
      <Svg width={width} {...frame} height={height}>
        {SHARES.map((share) => (
          <GridLine y={y(share)} width={width} label={`${100 * share}%`} />
        ))}
        {hasDiagonal && <line class="diagonal" x1={x(0)} y1={y(0)} x2={x(1)} y2={y(1)} />}
        {knownRuns(points).map((run) => (
          <Curve points={run} x={x} y={y} isStepped={isStepped} />
        ))}
        <XLabels
          width={width}
          labels={points.map(({ at, name, samples }) => [
            x(at),
            name,
            samples === undefined ? "" : `n = ${formatCount(samples)}`,
          ])}
          axis={frame.axis}
          height={height}
        />
      </Svg>
    </div>
  );
}

type KnownPoint = Point & { y: number };

/** The runs of points with a share; a point without one is a gap in the line. */
export function knownRuns(points: Point[]): KnownPoint[][] {
  const runs: KnownPoint[][] = [[]];
  for (const point of points) {
    if (point.y === null) runs.push([]);
    else runs.at(-1)?.push({ ...point, y: point.y });
  }
  return runs.filter((run) => run.length > 0);
}

interface CurveProps {
  points: KnownPoint[];
  x: (at: number) => number;
  y: (share: number) => number;
  isStepped: boolean;
}

/** A line without a gap, with its points and its band. */
function Curve({ points, x, y, isStepped }: CurveProps) {
  const banded = points.filter((point) => typeof point.low === "number" && typeof point.high === "number");
  const upper = banded.map((point) => `${x(point.at)},${y(point.high ?? 0)}`);
  const lower = banded.map((point) => `${x(point.at)},${y(point.low ?? 0)}`).reverse();
  return (
    <>
      {banded.length > 1 && <polygon class="band" points={[...upper, ...lower].join(" ")} />}
      {banded.length === 1 && <line class="band-line" {...ends(banded[0], x, y)} />}
      <polyline
        class="curve"
        points={linePoints(points, isStepped)
          .map(([at, share]) => `${x(at)},${y(share)}`)
          .join(" ")}
      />
      {points.map((point) => (
        <circle class="point" cx={x(point.at)} cy={y(point.y)} r={3.5}>
          {point.samples !== undefined && (
            <title>{`${point.name}: ${formatPercent(point.y)} of ${pluralize(point.samples, "sample")}`}</title>
          )}
        </circle>
      ))}
    </>
  );
}

/** The corners of a line; a stepped one is horizontal up to the next point, then vertical. */
export function linePoints(points: KnownPoint[], isStepped: boolean): [at: number, share: number][] {
  return points.flatMap(({ at, y }, index): [number, number][] => {
    const before = points[index - 1];
    return isStepped && before && before.y !== y
      ? [
          [at, before.y],
          [at, y],
        ]
      : [[at, y]];
  });
}

function ends(point: Point | undefined, x: (at: number) => number, y: (share: number) => number) {
  const [at, low, high] = [point?.at ?? 0, point?.low ?? 0, point?.high ?? 0];
  return { x1: x(at), x2: x(at), y1: y(low), y2: y(high) };
}

export interface Bar {
  name: string;
  /** Parts from the bottom, each with its CSS class. */
  parts: { value: number; style: string }[];
}

/** Counts as bars of several parts. */
export function BarChart({ bars, ...frame }: Frame & { bars: Bar[] }) {
  const [box, width] = useWidth();
  const largest = Math.max(...bars.map(({ parts }) => parts.reduce((sum, part) => sum + part.value, 0)), 1);
  const room = (width - LEFT - RIGHT) / bars.length;
  const height = (value: number) => (value / largest) * (HEIGHT - TOP - BOTTOM);
  const base = HEIGHT - BOTTOM;
  const steps = largest < 4 ? [0, largest] : [0, Math.round(largest / 2), largest];
  return (
    <div class="chart" ref={box}>
      <Svg width={width} {...frame}>
        {steps.map((value) => (
          <GridLine y={base - height(value)} width={width} label={formatCount(value)} />
        ))}
        {bars.map(({ parts }, index) => {
          let bottom = base;
          return parts.map(({ value, style }) => {
            bottom -= height(value);
            const left = LEFT + (index + 0.12) * room;
            return <rect class={style} x={left} y={bottom} width={0.76 * room} height={height(value)} />;
          });
        })}
        <XLabels
          width={width}
          labels={bars.map(({ name }, index) => [LEFT + (index + 0.5) * room, name, ""])}
          axis={frame.axis}
        />
      </Svg>
    </div>
  );
}

function Svg(props: Frame & { width: number; children: preact.ComponentChildren }) {
  const { width, height = HEIGHT, title, description, children } = props;
  return (
    <svg role="img" width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-label={title}>
      <title>{title}</title>
      <desc>{description}</desc>
      {children}
    </svg>
  );
}

function GridLine({ y, width, label }: { y: number; width: number; label: string }) {
  return (
    <>
      <line class="grid" x1={LEFT} x2={width - RIGHT} y1={y} y2={y} />
      <text x={LEFT - 6} y={y + 4} text-anchor="end">
        {label}
      </text>
    </>
  );
}

interface LabelProps {
  width: number;
  /** The position of each label and its lines. */
  labels: [x: number, name: string, second: string][];
  axis: string;
  height?: number;
}

/** The labels below the chart, as many as have room, and the title of the axis. */
function XLabels({ width, labels, axis, height = HEIGHT }: LabelProps) {
  const longest = Math.max(...labels.map(([, name, second]) => Math.max(name.length, second.length)), 1);
  const isAtEnd = (x: number, name: string) => x + (name.length * CHARACTER_WIDTH) / 2 + LABEL_GAP / 2 > width;
  let end = -Infinity;
  const shown = labels.filter(([x]) => {
    if (x < end) return false;
    end = x + longest * CHARACTER_WIDTH + LABEL_GAP;
    return true;
  });
  return (
    <>
      {shown.map(([x, ...lines]) =>
        lines.map((line, index) => (
          <text
            x={isAtEnd(x, line) ? width - 1 : x}
            y={HEIGHT - BOTTOM + 17 + index * SECOND_LINE}
            text-anchor={isAtEnd(x, line) ? "end" : "middle"}
          >
            {line}
          </text>
        )),
      )}
      <text class="axis" x={LEFT + (width - LEFT - RIGHT) / 2} y={height - 6} text-anchor="middle">
        {axis}
      </text>
    </>
  );
}

/** The width of an element in pixels, updated when it changes. */
function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(480);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(Math.max(element.clientWidth, 160)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}
