/** Threads of an execution: which one each step belongs to, when it runs, and where it was interrupted. */
import type { Execution } from "./api";

/** Consecutive steps of one thread. */
export interface LaneSegment {
  thread: number;
  from: number;
  /** The step after the last one. */
  to: number;
}

/** A switch away from a thread that could continue. */
export interface Preemption {
  /** The last step of the interrupted thread. */
  step: number;
  thread: number;
  /** The line that it was about to execute. */
  line: number;
  /** The thread that runs instead. */
  next: number;
}

export interface Lanes {
  /** Number of threads. */
  count: number;
  /** The thread of each step; null outside of the execution. */
  threadOf(step: number): number | null;
  /** The first and the last step of a thread; null if it has none. */
  extent(thread: number): [first: number, last: number] | null;
  segments: LaneSegment[];
  preemptions: Preemption[];
  /** The preemption after a step. */
  preemptionAfter(step: number): Preemption | undefined;
}

/** The lanes of an execution; null if it has one thread. */
export function buildLanes({ steps }: Execution): Lanes | null {
  // A gap belongs to the thread of the step before it.
  const threads: number[] = [];
  steps.forEach((step, index) => threads.push(step.is_gap ? (threads[index - 1] ?? 0) : (step.thread ?? 0)));
  const count = threads.reduce((max, thread) => Math.max(max, thread), 0) + 1;
  if (count === 1) return null;
  const segments: LaneSegment[] = [];
  const extents = new Map<number, [number, number]>();
  threads.forEach((thread, step) => {
    const last = segments.at(-1);
    if (last?.thread === thread) last.to = step + 1;
    else segments.push({ thread, from: step, to: step + 1 });
    extents.set(thread, [extents.get(thread)?.[0] ?? step, step]);
  });
  const preemptions = steps.flatMap(({ preempted_at: line }, step): Preemption[] => {
    const next = threads[step + 1];
    const thread = threads[step];
    return line === undefined || next === undefined || thread === undefined ? [] : [{ step, thread, line, next }];
  });
  const byStep = new Map(preemptions.map((each) => [each.step, each]));
  return {
    count,
    threadOf: (step) => threads[step] ?? null,
    extent: (thread) => extents.get(thread) ?? null,
    segments,
    preemptions,
    preemptionAfter: (step) => byStep.get(step),
  };
}

/** The last step of a thread up to a step, and its next one; null where there is none. */
export function ownSteps(lanes: Lanes, thread: number, step: number): [last: number | null, next: number | null] {
  let last: number | null = null;
  for (const { thread: owner, from, to } of lanes.segments) {
    if (owner !== thread) continue;
    if (from > step) return [last, from];
    last = Math.min(to - 1, step);
    if (to - 1 > step) return [last, step + 1];
  }
  return [last, null];
}
