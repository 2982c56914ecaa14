/** Step over and step out, as in a debugger. The depth of a step is the size of its call stack. */

/** The next step that is not inside a call made by this one; the last step if there is none. */
export function stepOver(step: number, length: number, depth: (step: number) => number): number {
  return nextStep(step, length, (later) => depth(later) <= depth(step));
}

/** The next step in the caller; the last step if there is none. */
export function stepOut(step: number, length: number, depth: (step: number) => number): number {
  return nextStep(step, length, (later) => depth(later) < depth(step));
}

function nextStep(step: number, length: number, matches: (step: number) => boolean): number {
  for (let later = step + 1; later < length; later++) if (matches(later)) return later;
  return Math.max(length - 1, 0);
}
