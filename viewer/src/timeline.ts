/** Variables and call stack at any step of an execution. */
import type { Execution, Frame } from "./api";

/** Steps between two stored states. */
const CHECKPOINT_INTERVAL = 64;

export interface Timeline {
  length: number;
  /** The variables at a step, in the order in which they were first set; empty outside of the execution. */
  state(step: number): Map<string, string>;
  stack(step: number): Frame[];
  depth(step: number): number;
}

/** [{set: {x: "1"}}, {set: {y: "2"}, unset: ["x"]}] -> state(1) is {y: "2"} */
export function buildTimeline({ steps }: Execution): Timeline {
  const checkpoints: Map<string, string>[] = [];
  // For each step, the last step up to it that has a stack.
  const stackStep = new Int32Array(steps.length);
  const current = new Map<string, string>();
  steps.forEach((step, index) => {
    apply(current, step);
    if (index % CHECKPOINT_INTERVAL === 0) checkpoints.push(new Map(current));
    stackStep[index] = step.stack || index === 0 ? index : (stackStep[index - 1] ?? 0);
  });
  const stack = (step: number) => steps[stackStep[step] ?? -1]?.stack ?? [];
  return {
    length: steps.length,
    state(step) {
      if (!(step >= 0 && step < steps.length)) return new Map();
      const checkpoint = Math.floor(step / CHECKPOINT_INTERVAL);
      const state = new Map(checkpoints[checkpoint]);
      for (const later of steps.slice(checkpoint * CHECKPOINT_INTERVAL + 1, step + 1)) apply(state, later);
      return state;
    },
    stack,
    depth: (step) => stack(step).length,
  };
}

function apply(state: Map<string, string>, { set, unset }: { set: Record<string, string>; unset: string[] }): void {
  for (const name of unset) state.delete(name);
  for (const [name, value] of Object.entries(set)) state.set(name, value);
}
