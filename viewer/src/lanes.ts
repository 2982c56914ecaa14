/** A lane of steps in, the variables and the call stack at any of them out. */
import type { Frame, Lane } from "./contract";

/** So many steps lie between two states that are kept. */
const APART = 64;

export interface Timeline {
  length: number;
  /** The variables at a step, in the order they came up; none outside of the lane. */
  state(step: number): Map<string, string>;
  stack(step: number): Frame[];
  depth(step: number): number;
}

/** [{set: {x: "1"}}, {set: {y: "2"}, unset: ["x"]}] -> state(1) is {y: "2"} */
export function timeline({ steps }: Lane): Timeline {
  const kept: Map<string, string>[] = [];
  const stackFrom = new Int32Array(steps.length);
  const state = new Map<string, string>();
  steps.forEach((step, at) => {
    apply(state, step);
    if (at % APART === 0) kept.push(new Map(state));
    stackFrom[at] = step.stack || at === 0 ? at : (stackFrom[at - 1] ?? 0);
  });
  const stack = (step: number) => steps[stackFrom[step] ?? -1]?.stack ?? [];
  return {
    length: steps.length,
    state(step) {
      if (!(step >= 0 && step < steps.length)) return new Map();
      const from = Math.floor(step / APART);
      const found = new Map(kept[from]);
      for (const later of steps.slice(from * APART + 1, step + 1)) apply(found, later);
      return found;
    },
    stack,
    depth: (step) => stack(step).length,
  };
}

function apply(state: Map<string, string>, { set, unset }: { set: Record<string, string>; unset: string[] }): void {
  for (const name of unset) state.delete(name);
  for (const [name, value] of Object.entries(set)) state.set(name, value);
}
