/** Where a key takes one from a step. The depth of a step is the size of its call stack. */

/** The next step that is not within a call made here; the last one where there is none. */
export function stepOver(step: number, length: number, depth: (step: number) => number): number {
  return next(step, length, (later) => depth(later) <= depth(step));
}

/** The next step back in the caller; the last one where there is none. */
export function stepOut(step: number, length: number, depth: (step: number) => number): number {
  return next(step, length, (later) => depth(later) < depth(step));
}

function next(step: number, length: number, isThere: (step: number) => boolean): number {
  for (let later = step + 1; later < length; later++) if (isThere(later)) return later;
  return Math.max(length - 1, 0);
}
