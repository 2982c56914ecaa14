/** Threads of an execution as lanes: next to a step, and as a strip below the bar of steps. */
import type { Lanes } from "../lanes";

/** Pixels of a lane, and of the first line of a row. */
const LANE = 15;
const MIDDLE = 11;
const RADIUS = 6.5;
/** More threads have no lanes, only their numbers. */
const [MAX_LANES, MAX_NARROW_LANES] = [10, 5];
/** Lane colours; further threads use them again. */
const COLOURS = 6;
const LARGEST_STRIP = 60;

const laneClass = (thread: number) => `lane-${thread % COLOURS}`;
const laneX = (thread: number) => LANE * (thread + 0.5) + 4;

/** Whether the threads are drawn as lanes, and how wide their column is. */
export function laneColumn(lanes: Lanes, isNarrow: boolean): { isDrawn: boolean; width: string } {
  const isDrawn = lanes.count <= (isNarrow ? MAX_NARROW_LANES : MAX_LANES);
  return { isDrawn, width: isDrawn ? `${Math.max(LANE * lanes.count + 8, 50)}px` : "50px" };
}

/** "thread 2", and what happens before or after the step. */
export function laneText(lanes: Lanes, step: number): string {
  const thread = lanes.threadOf(step);
  if (thread === null) return "";
  const [before, after] = [lanes.preemptionAfter(step - 1), lanes.preemptionAfter(step)];
  return [
    threadName(thread),
    ...(before ? [`interrupts ${threadName(before.thread)}`] : []),
    ...(after ? [`is interrupted after this step, before line ${after.line}`] : []),
  ].join(", ");
}

/** 0 -> "main thread", 2 -> "thread 2" */
export const threadName = (thread: number) => (thread === 0 ? "main thread" : `thread ${thread}`);

interface LaneCellProps {
  lanes: Lanes;
  step: number;
  /** Height of the row in pixels. */
  height: number;
  isDrawn: boolean;
}

/** The lanes next to one step: the thread that runs, the others that have begun and not ended, and a switch. */
export function LaneCell({ lanes, step, height, isDrawn }: LaneCellProps) {
  const thread = lanes.threadOf(step);
  const text = laneText(lanes, step);
  const preemption = lanes.preemptionAfter(step - 1);
  if (thread === null) return <span class="lane-cell" />;
  return (
    <span class="lane-cell" title={text}>
      <span class="visually-hidden">{text}</span>
      {isDrawn ? (
        <svg class="lanes" width={LANE * lanes.count + 8} height={height} aria-hidden="true">
          {Array.from({ length: lanes.count }, (_, lane) => (
            <OpenLane lanes={lanes} lane={lane} step={step} height={height} />
          ))}
          <Switch lanes={lanes} step={step} thread={thread} />
          {lanes.threadOf(step + 1) !== null && (
            <line class={laneClass(thread)} x1={laneX(thread)} x2={laneX(thread)} y1={MIDDLE} y2={height} />
          )}
          {preemption && <Pause thread={preemption.thread} />}
          <circle class={laneClass(thread)} cx={laneX(thread)} cy={MIDDLE} r={RADIUS} />
          <text x={laneX(thread)} y={MIDDLE + 3.5} text-anchor="middle">
            {thread}
          </text>
        </svg>
      ) : (
        <span aria-hidden="true" class={preemption ? "lane-number after-preemption" : "lane-number"}>
          {preemption ? "‖" : ""}
          {thread}
        </span>
      )}
    </span>
  );
}

/** The thin line of a thread that does not run at this step, but did before and will again. */
function OpenLane({ lanes, lane, step, height }: { lanes: Lanes; lane: number; step: number; height: number }) {
  const extent = lanes.extent(lane);
  if (!extent || step < extent[0] || step > extent[1]) return null;
  const [top, bottom] = [step === extent[0] ? MIDDLE : 0, step === extent[1] ? MIDDLE : height];
  return <line class="open-lane" x1={laneX(lane)} x2={laneX(lane)} y1={top} y2={bottom} />;
}

/** The line from the thread of the step before; dashed after a preemption. */
function Switch({ lanes, step, thread }: { lanes: Lanes; step: number; thread: number }) {
  const before = lanes.threadOf(step - 1);
  if (before === null) return null;
  const [from, to] = [laneX(before), laneX(thread)];
  if (before === thread) return <line class={laneClass(thread)} x1={to} x2={to} y1={0} y2={MIDDLE} />;
  const style = lanes.preemptionAfter(step - 1) ? "preempted-path" : "switch-path";
  return <path class={style} d={`M${from} 0 C${from} ${MIDDLE} ${to} 0 ${to} ${MIDDLE}`} />;
}

/** The sign of a thread that is interrupted: two bars, as on a button for a pause. */
function Pause({ thread }: { thread: number }) {
  const x = laneX(thread);
  return (
    <>
      <rect class="pause-back" x={x - 6} y={MIDDLE - 5} width={12} height={12} rx={2} />
      <rect class="pause" x={x - 4} y={MIDDLE - 4} width={3} height={10} />
      <rect class="pause" x={x + 1} y={MIDDLE - 4} width={3} height={10} />
    </>
  );
}

interface StripProps {
  lanes: Lanes;
  /** Number of steps of the bar. */
  length: number;
  choose: (step: number) => void;
}

/** Pixels of the strip. */
export function stripHeight(lanes: Lanes | null): number {
  return lanes === null ? 0 : Math.min(7 * lanes.count, LARGEST_STRIP);
}

/** The threads below the bar of steps: a lane each; a vertical line is a preemption. */
export function LaneStrip({ lanes, length, choose }: StripProps) {
  const names = Array.from({ length: lanes.count }, (_, thread) => threadName(thread)).join(", ");
  return (
    <svg
      class="lane-strip"
      viewBox={`0 0 ${length} ${lanes.count}`}
      preserveAspectRatio="none"
      style={{ height: `${stripHeight(lanes)}px` }}
      role="img"
      aria-label={`Steps by thread: ${names}; ${lanes.preemptions.length} preemptions`}
    >
      {lanes.segments.map(({ thread, from, to }) => (
        <rect
          class={laneClass(thread)}
          x={from}
          y={thread + 0.12}
          width={to - from}
          height={0.76}
          onClick={() => choose(from)}
        >
          <title>{`Steps ${from} to ${to - 1}: ${threadName(thread)}`}</title>
        </rect>
      ))}
      {lanes.preemptions.map(({ step }) => (
        <line class="preemption-mark" x1={step + 1} x2={step + 1} y1={0} y2={lanes.count} />
      ))}
    </svg>
  );
}
